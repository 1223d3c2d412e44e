package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/internal/cowfs"
	"github.com/duramendb/duramen/store"
)

// Check verifies a data directory that no server uses: it opens it, which verifies and recovers its log, and
// compares every table with its indexes. The directory is not changed: what recovery writes is in memory. It writes
// what it finds to out. Damage gives an ExitError with ExitCorrupt.
func Check(ctx context.Context, dir string, out io.Writer) error {
	if _, err := os.Stat(dir); err != nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("check: %w", err)}
	}
	// An empty directory would be made a data directory.
	if _, err := os.Stat(filepath.Join(dir, "FORMAT")); errors.Is(err, fs.ErrNotExist) {
		return &ExitError{Code: ExitFormat, Err: fmt.Errorf("check: %s is not a data directory: it has no FORMAT file", dir)}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("check: %w", err)}
	}
	cfg := DefaultConfig()
	cfg.DataDir = abs
	cfg.Logger = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o := storeOptions(&cfg, nil)
	o.VerifyLog = true
	files := cowfs.New(vfs.Default)
	// Nothing is written ahead of need, and no file is written anew that can stay as it is: it is all memory.
	o.FS, o.NoPreallocate, o.SyncMethod = files, true, binlog.SyncFdatasync
	o.Engines = engines(lsm.Kind{CacheBytes: cfg.BufferPoolSize, NoCompactions: true})
	st, err := store.Open(ctx, o)
	if err != nil {
		return joinClose(openError(dir, err), files)
	}
	err = checkTables(ctx, st, out)
	return joinClose(joinClose(err, st), files)
}

func checkTables(ctx context.Context, st *store.Store, out io.Writer) error {
	results, err := st.CheckAll(ctx)
	if err != nil {
		return &ExitError{Code: ExitCorrupt, Err: fmt.Errorf("check: %w", err)}
	}
	var text bytes.Buffer
	rows, entries, bad := int64(0), int64(0), 0
	for _, r := range results {
		rows += r.Rows
		entries += r.Entries
		if r.OK() {
			fmt.Fprintf(&text, "%s.%s: %d rows, %d index entries: OK\n", r.DB, r.Table, r.Rows, r.Entries)
			continue
		}
		bad++
		fmt.Fprintf(&text, "%s.%s: %d rows, %d index entries: %d problems\n", r.DB, r.Table, r.Rows, r.Entries, r.ProblemCount)
		for _, p := range r.Problems {
			fmt.Fprintf(&text, "  %s\n", p)
		}
	}
	if bad == 0 {
		fmt.Fprintf(&text, "log and %d tables are in order: %d rows, %d index entries\n", len(results), rows, entries)
	}
	_, err = out.Write(text.Bytes())
	if bad > 0 { // which counts more than a result that could not be written
		return &ExitError{Code: ExitCorrupt, Err: fmt.Errorf("check: %d damaged tables", bad)}
	}
	if err != nil {
		return fmt.Errorf("check: write the result: %w", err)
	}
	return nil
}
