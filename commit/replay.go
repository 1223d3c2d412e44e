package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// ErrLogContent marks errors about log groups that cannot be applied: a table
// map without a table, rows that do not fit their table, a row to
// change that is not there.
var ErrLogContent = errors.New("commit: log does not fit the engine")

// ReplayConfig says what to replay into which engine.
type ReplayConfig struct {
	Log    *binlog.Log
	Engine engine.Engine
	// Catalog is the engine's catalog at its mark.
	Catalog *catalog.Snapshot
	// Collations resolves the collations of tables that the log creates.
	Collations catalog.Collations
	// Owns reports whether the engine holds a table; nil means all.
	Owns func(*catalog.TableDef) bool
	// Logger is slog.Default if nil.
	Logger *slog.Logger
	// TotalBytes is about how much there is to replay, for the reports.
	TotalBytes int64
	// ProgressInterval is the time between two reports; 0 means binlog.ProgressInterval.
	ProgressInterval time.Duration
	// BatchBytes is the size from which a batch is applied; 0 means 4 MiB.
	BatchBytes int
}

// ReplayResult is where a replay ended.
type ReplayResult struct {
	// Catalog is the engine's catalog at the end of the log.
	Catalog *catalog.Snapshot
	State   *gtid.State
	Groups  int64
	Rows    int64
	Bytes   int64
}

// Replay applies to an engine what the log holds behind the engine's mark, in
// order, up to the log's visible end. Groups are applied in batches, each with
// the mark of its last group, so a replay that is interrupted goes on where it
// was, and replaying what is already applied does not happen, except for parts of a large group (chunk.go).
//
// An update whose images are not full (binlog_row_image MINIMAL or NOBLOB) is
// completed from the row in the engine, which is the row before the update
// because the engine is exactly at the group before it.
func Replay(ctx context.Context, cfg ReplayConfig) (*ReplayResult, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.BatchBytes == 0 {
		cfg.BatchBytes = 4 << 20
	}
	mark := cfg.Engine.Applied()
	state, err := gtid.ParseState(mark.GTIDState)
	if err != nil {
		return nil, fmt.Errorf("commit: replay: GTID state in the mark of %s: %w", cfg.Engine.Name(), err)
	}
	r := &replayer{cfg: cfg, redo: newRedo(&cfg), state: state, applied: mark.Position}
	if r.redo.chunks, err = Unfinished(cfg.Engine); err != nil {
		return nil, fmt.Errorf("commit: replay for %s: %w", cfg.Engine.Name(), err)
	}
	if err := r.run(ctx); err != nil {
		r.redo.discard()
		return nil, err
	}
	if r.redo.chunks {
		return nil, fmt.Errorf("commit: replay for %s: %w: it holds a part of the transaction behind %s, which the log does not have", cfg.Engine.Name(), ErrLogContent, r.end)
	}
	r.result.Catalog = r.redo.catalog
	r.result.State = r.state
	return &r.result, nil
}

// replayer walks over the log and cuts it into groups.
type replayer struct {
	cfg    ReplayConfig
	redo   *redo
	state  *gtid.State
	result ReplayResult

	inGroup    bool
	standalone bool
	end        logpos.Pos // end of the last complete group
	applied    logpos.Pos // end of the last group that is in the engine
}

func (r *replayer) run(ctx context.Context) error {
	from := r.applied
	from.Segment = max(from.Segment, 1) // an engine that has never applied anything starts with the first file
	reader, err := r.cfg.Log.NewReader(from)
	if err != nil {
		return fmt.Errorf("commit: replay for %s from %s: %w", r.cfg.Engine.Name(), r.applied, err)
	}
	defer reader.Close()
	r.end = r.applied
	started := time.Now()
	progress := binlog.NewProgress(r.cfg.Logger, "replaying the binary log", r.cfg.TotalBytes, r.cfg.ProgressInterval)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		ev, at, err := reader.NextNoWait()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("commit: replay for %s: %w", r.cfg.Engine.Name(), err)
		}
		r.result.Bytes += int64(len(ev))
		progress.Add(len(ev))
		done, err := r.event(ev)
		if err != nil {
			return fmt.Errorf("commit: replay for %s: event at %s: %w", r.cfg.Engine.Name(), at, err)
		}
		if !done {
			if err := r.flushChunk(); err != nil {
				return err
			}
			continue
		}
		r.result.Groups++
		r.end = at.Plus(len(ev))
		if err := r.flush(r.cfg.BatchBytes); err != nil {
			return err
		}
	}
	if r.inGroup {
		return fmt.Errorf("commit: replay for %s: the log ends inside a group, after %s", r.cfg.Engine.Name(), r.end)
	}
	if err := r.flush(0); err != nil {
		return err
	}
	r.result.Rows = r.redo.rows
	if r.result.Groups > 0 {
		r.cfg.Logger.Info("replayed the binary log", "engine", r.cfg.Engine.Name(), "from", from.String(),
			"to", r.end.String(), "transactions", r.result.Groups, "rows", r.result.Rows, "bytes", r.result.Bytes,
			"duration", time.Since(started).Round(time.Millisecond))
	}
	return nil
}

// flush applies the batch if it has grown to size, with the mark of the last
// complete group.
func (r *replayer) flush(size int) error {
	if !r.applied.Before(r.end) || r.redo.size() < size {
		return nil
	}
	if err := engine.Writable(r.cfg.Engine); err != nil {
		return fmt.Errorf("commit: replay for %s up to %s: %w", r.cfg.Engine.Name(), r.end, err)
	}
	m := engine.Mark{Position: r.end, GTIDState: r.state.String()}
	if err := r.redo.apply(m); err != nil {
		return fmt.Errorf("commit: replay: applying up to %s: %w", r.end, err)
	}
	r.applied = r.end
	return nil
}

// event processes one event and reports whether it completes a group.
func (r *replayer) event(ev []byte) (done bool, err error) {
	e, err := event.Decode(ev)
	if err != nil {
		return false, misfit(err)
	}
	if !r.inGroup {
		return r.outside(e)
	}
	switch body := e.Body.(type) {
	case *event.Xid:
		return r.finish()
	case *event.Query:
		if r.standalone || body.SQL == "COMMIT" || body.SQL == "ROLLBACK" {
			return r.finish()
		}
		return false, nil // a statement inside a transaction has no redo of its own
	case *event.GTIDInfo:
		return false, fmt.Errorf("%w: a group begins inside another one", ErrLogContent)
	default:
		return false, r.redo.event(e)
	}
}

// outside processes an event between two groups.
func (r *replayer) outside(e event.Event) (done bool, err error) {
	switch body := e.Body.(type) {
	case *event.GTIDInfo:
		r.inGroup = true
		r.standalone = body.Flags&event.FLStandalone != 0
		r.state.Update(body.GTID)
		return false, nil
	case *event.Private:
		if body.Kind == binlog.PrivateWriteMark {
			return false, r.announced(body)
		}
		if body.Kind == binlog.PrivatePadding {
			return false, nil
		}
		if body.Kind != event.PrivateLocal {
			return false, fmt.Errorf("%w: private record %d outside of a group", ErrLogContent, body.Kind)
		}
		if err := r.redo.local(body.Payload); err != nil {
			return false, err
		}
		return r.finish()
	case *event.RowsInfo, *event.TableMapInfo, *event.Xid, *event.Query:
		return false, fmt.Errorf("%w: %s event outside of a group", ErrLogContent, e.Header.Type)
	default:
		return false, nil // format description, GTID list, checkpoint, rotate, stop
	}
}

func (r *replayer) finish() (bool, error) {
	r.inGroup = false
	return true, r.redo.endGroup()
}
