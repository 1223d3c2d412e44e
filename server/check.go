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
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/internal/cowfs"
	"github.com/duramendb/duramen/store"
)

// Check verifies a data directory that no server uses: it opens it, which verifies and recovers its log, and
// compares every table with its indexes. The directory is not changed: what recovery writes is in memory. It writes
// what it finds to out. Damage gives an ExitError with ExitCorrupt.
func Check(ctx context.Context, dir string, out io.Writer) error { return check(ctx, dir, false, out) }

// CheckUnfinished is Check of a directory that the caller is making of another server's data.
func CheckUnfinished(ctx context.Context, dir string, out io.Writer) error {
	return check(ctx, dir, true, out)
}

func check(ctx context.Context, dir string, unfinished bool, out io.Writer) error {
	o, files, err := checkOptions(dir, out)
	o.Unfinished = unfinished
	if err != nil {
		return err
	}
	st, err := store.Open(ctx, o)
	if err != nil {
		return joinClose(openError(dir, err), files)
	}
	err = checkTables(ctx, st, out)
	return joinClose(joinClose(err, st), files)
}

// CheckEngine looks at one storage engine of a data directory that no server uses, by itself: without the other engines, and
// without the log, which may be damaged or gone. It writes the engine's mark, its definitions, and what is found in its tables to
// out. Nothing is changed.
func CheckEngine(ctx context.Context, dir, name string, out io.Writer) error {
	o, files, err := checkOptions(dir, out)
	if err != nil {
		return err
	}
	found, err := store.CheckEngine(ctx, o, name)
	if err != nil {
		return joinClose(openError(dir, err), files)
	}
	return joinClose(reportEngine(found, out), files)
}

// checkOptions are those of the store in a directory that is only looked at.
func checkOptions(dir string, out io.Writer) (o store.Options, files *cowfs.FS, err error) {
	if _, err := os.Stat(dir); err != nil {
		return o, nil, &ExitError{Code: ExitUsage, Err: fmt.Errorf("check: %w", err)}
	}
	// An empty directory would be made a data directory.
	if _, err := os.Stat(filepath.Join(dir, "FORMAT")); errors.Is(err, fs.ErrNotExist) {
		return o, nil, &ExitError{Code: ExitFormat, Err: fmt.Errorf("check: %s is not a data directory: it has no FORMAT file", dir)}
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return o, nil, &ExitError{Code: ExitUsage, Err: fmt.Errorf("check: %w", err)}
	}
	cfg := DefaultConfig()
	cfg.DataDir = abs
	cfg.Logger = slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o = storeOptions(&cfg, nil)
	if o.Engines, err = engines(&cfg, lsm.Kind{CacheBytes: cfg.BufferPoolSize, NoCompactions: true}, btree.Kind{NoMerge: true}); err != nil {
		return o, nil, openError(dir, err)
	}
	o.VerifyLog = true
	files = cowfs.New(vfs.Default)
	// Nothing is written ahead of need, and no file is written anew that can stay as it is: it is all memory.
	o.FS, o.NoPreallocate, o.SyncMethod = files, true, binlog.SyncFdatasync
	return o, files, nil
}

// reportEngine writes what was found in one engine.
func reportEngine(c *store.EngineCheck, out io.Writer) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "storage engine %s, directory %s\nmark: %s\nGTIDs: %q\n", c.Engine, c.Dir, c.Mark.Position.In("binlog"), c.Mark.GTIDState)
	if c.Inside {
		fmt.Fprintln(&text, "it also holds a part of the transaction after its mark: its recovery was interrupted")
	}
	fmt.Fprintf(&text, "databases: %s\n", strings.Join(c.Databases, ", "))
	for _, p := range c.Positions {
		fmt.Fprintf(&text, "replication position of domain %d: %s (sub_id %d)\n", p.GTID.Domain, p.GTID, p.SubID)
	}
	own, rows, entries, bad := 0, int64(0), int64(0), len(c.Problems)
	for _, t := range c.Tables {
		fmt.Fprintf(&text, "%s.%s: id %d, %d columns, %d indexes: ", t.DB, t.Name, t.ID, t.Columns, t.Indexes)
		if t.Found == nil {
			fmt.Fprintf(&text, "in %s\n", t.Engine)
			continue
		}
		own++
		rows, entries = rows+t.Found.Rows, entries+t.Found.Entries
		fmt.Fprintf(&text, "%d rows, %d index entries: ", t.Found.Rows, t.Found.Entries)
		if t.Found.OK() {
			fmt.Fprintln(&text, "OK")
			continue
		}
		bad++
		fmt.Fprintf(&text, "%d problems\n", t.Found.ProblemCount)
		for _, p := range t.Found.Problems {
			fmt.Fprintf(&text, "  %s\n", p)
		}
	}
	for _, p := range c.Problems {
		fmt.Fprintln(&text, p)
	}
	for _, k := range c.Orphans {
		fmt.Fprintf(&text, "not finished, and removed by the next start: table %d, index %d\n", k.Table, k.Index)
	}
	if bad == 0 {
		fmt.Fprintf(&text, "%s is in order up to its mark: %d tables of %d, %d rows, %d index entries\n", c.Engine, own, len(c.Tables), rows, entries)
	}
	_, err := out.Write(text.Bytes())
	if bad > 0 { // which counts more than a result that could not be written
		return &ExitError{Code: ExitCorrupt, Err: fmt.Errorf("check: %s: %d damaged tables", c.Engine, bad)}
	}
	if err != nil {
		return fmt.Errorf("check: write the result: %w", err)
	}
	return nil
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
