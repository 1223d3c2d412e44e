package logbench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
)

// pipeline is the real thing.
type pipeline struct {
	dir         string
	preallocate bool
	segment     int64 // max_binlog_size
	log         *binlog.Log
	engine      engine.Engine
	pipeline    *commit.Pipeline
	failed      error // what Config.Fatal got
}

// pipelineOptions say what a pipeline is made of.
type pipelineOptions struct {
	lsm         bool // otherwise idleEngine
	preallocate bool
	method      binlog.SyncMethod
	segment     int64 // max_binlog_size
}

// quiet hears nothing of what log and engine have to say: errors are returned.
var quiet = slog.New(slog.DiscardHandler)

func openPipeline(dir string, o pipelineOptions) (_ *pipeline, err error) {
	p := &pipeline{dir: dir, preallocate: o.preallocate, segment: o.segment, engine: &idleEngine{}}
	defer func() {
		if err != nil {
			// The first error tells what happened.
			_ = p.close()
		}
	}()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	p.log, _, err = binlog.Open(binlog.Options{FS: vfs.Default, Dir: dir, ServerID: 1, MaxSize: o.segment, NoPreallocate: !o.preallocate, SyncMethod: o.method, Logger: quiet})
	if err != nil {
		return nil, err
	}
	if o.lsm {
		tables := filepath.Join(dir, "lsm")
		if err := os.Mkdir(tables, 0o755); err != nil {
			return nil, err
		}
		e, err := lsm.Open(lsm.Options{Dir: tables, Logger: quiet})
		if err != nil {
			return nil, err
		}
		p.engine = e
	}
	p.pipeline = commit.New(commit.Config{
		Log: commit.BinaryLog(p.log), Applier: commit.EngineApplier(p.engine, catalog.NewRegistry(catalog.Empty(), nil)),
		ServerID: 1, SyncBinlog: 1, Logger: quiet, Fatal: func(err error) { p.failed = err },
	})
	return p, nil
}

func (p *pipeline) turn(ctx context.Context, t task) (Slice, error) {
	stats, zeros := p.pipeline.Stats(), p.zeroBytes()
	before := t.meter.Read()
	started, elapsed, err := t.drive(ctx, func(n int) func() error {
		c := newCommitter(n, t.committers)
		return func() error { return p.pipeline.Commit(context.Background(), c.next()) }
	})
	if err != nil {
		return Slice{}, err
	}
	if err := p.settle(ctx); err != nil {
		return Slice{}, err
	}
	after := p.pipeline.Stats()
	s := Slice{
		Time: started, Elapsed: elapsed,
		Commits: int64(after.Commits - stats.Commits), Groups: int64(after.GroupCommits - stats.GroupCommits),
		EventBytes: int64(after.BytesWritten - stats.BytesWritten), ZeroBytes: p.zeroBytes() - zeros,
		SyncMethod: p.log.SyncMethod().String(), WriteUnit: p.log.WriteUnit(), Depth: p.pipeline.Depth(),
		Latency: t.histograms.all.Latency(), Traffic: t.meter.Read().Since(before),
	}
	_, err = p.log.PurgeTo(p.log.End().Segment)
	return s, err
}

// settle waits for the background work of a turn.
func (p *pipeline) settle(ctx context.Context) error {
	mark, err := p.engine.Checkpoint()
	if err != nil {
		return err
	}
	p.log.SetRecoveryStart(mark.Position)
	for {
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			return err
		}
		filling := false
		for _, e := range entries {
			filling = filling || strings.HasSuffix(e.Name(), ".tmp")
		}
		if !filling {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// zeroBytes is how much was filled ahead of need so far, when nothing is being filled.
func (p *pipeline) zeroBytes() int64 {
	if !p.preallocate {
		return 0
	}
	n := int64(p.log.End().Segment) * p.segment
	if fi, err := os.Stat(filepath.Join(p.dir, p.log.Basename()+".next")); err == nil {
		n += fi.Size()
	}
	return n
}

func (p *pipeline) close() error {
	var errs []error
	if p.pipeline != nil {
		errs = append(errs, p.pipeline.Close())
	}
	errs = append(errs, p.engine.Close())
	if p.log != nil {
		errs = append(errs, p.log.Close())
	}
	if p.failed != nil {
		return fmt.Errorf("the log failed: %w", p.failed)
	}
	return errors.Join(errs...)
}
