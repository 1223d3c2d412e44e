package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// ErrContent marks errors about log groups that cannot be applied: a table
// map without a table, rows that do not fit their table, a row to
// change that is not there.
var ErrContent = errors.New("replay: log does not fit the engine")

// Config says what to replay into which engine.
type Config struct {
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

// Result is where a replay ended.
type Result struct {
	// Catalog is the engine's catalog at the end of the log.
	Catalog *catalog.Snapshot
	State   *gtid.State
	Groups  int64
	Rows    int64
	Bytes   int64
}

// Run applies to an engine what the log holds after the engine's mark, in
// order, up to the log's visible end. Groups are applied in batches, each with
// the mark of its last group, so a replay that is interrupted goes on where it
// was, and replaying what is already applied does not happen, except for parts of a large group (chunk.go).
//
// An update whose images are not full (binlog_row_image MINIMAL or NOBLOB) is
// completed from the row in the engine, which is the row before the update
// because the engine is exactly at the group before it.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.BatchBytes == 0 {
		cfg.BatchBytes = 4 << 20
	}
	to, err := newBatches(&cfg)
	if err != nil {
		return nil, err
	}
	r := &runner{cfg: cfg, to: to, decoder: newDecoder(to), from: to.appliedTo}
	defer to.discard()
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	if to.chunks {
		return nil, fmt.Errorf("replay for %s: %w: it holds a part of the transaction after %s, which the log does not have", cfg.Engine.Name(), ErrContent, to.read)
	}
	r.result.Catalog, r.result.State = to.catalog, to.point.State
	return &r.result, nil
}

// runner reads a log into batches of an engine.
type runner struct {
	cfg     Config
	to      *batches
	decoder *decoder
	from    logpos.Pos
	result  Result
}

func (r *runner) run(ctx context.Context) error {
	name := r.cfg.Engine.Name()
	from := r.from
	from.Segment = max(from.Segment, 1) // an engine that has never applied anything starts with the first file
	reader, err := r.cfg.Log.NewReader(from)
	if err != nil {
		return fmt.Errorf("replay for %s from %s: %w", name, r.from, err)
	}
	defer reader.Close()
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
			return fmt.Errorf("replay for %s: %w", name, err)
		}
		r.result.Bytes += int64(len(ev))
		progress.Add(len(ev))
		if err := r.event(ev, at); err != nil {
			return err
		}
	}
	if r.decoder.inGroup {
		return fmt.Errorf("replay for %s: the log ends inside a group, after %s", name, r.to.read)
	}
	if err := errors.Join(r.to.flush(0), r.to.await()); err != nil {
		return fmt.Errorf("replay for %s: %w", name, err)
	}
	r.report(time.Since(started))
	return nil
}

// event hands an event to the decoder, and applies a large group chunk by chunk.
func (r *runner) event(ev []byte, at logpos.Pos) error {
	r.to.at = at
	done, err := r.decoder.event(ev, at)
	switch {
	case err != nil:
		return fmt.Errorf("replay for %s: event at %s: %w", r.cfg.Engine.Name(), at, err)
	case done:
		r.result.Groups++
		return nil
	case r.decoder.pending != nil:
		return nil
	}
	if err := r.to.flushChunk(); err != nil {
		return fmt.Errorf("replay for %s: %w", r.cfg.Engine.Name(), err)
	}
	return nil
}

func perSecond(n int64, d time.Duration) int64 { return int64(float64(n) / max(d.Seconds(), 1e-6)) }

func (r *runner) report(d time.Duration) {
	r.result.Rows = r.to.rows
	if r.result.Groups > 0 {
		r.cfg.Logger.Info("replayed the binary log", "engine", r.cfg.Engine.Name(), "from", r.from.String(),
			"to", r.to.read.String(), "transactions", r.result.Groups, "rows", r.result.Rows, "bytes", r.result.Bytes,
			"duration", d.Round(time.Millisecond), "transactions_per_second", perSecond(r.result.Groups, d), "bytes_per_second", perSecond(r.result.Bytes, d))
	}
}
