package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/query"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/replication/replica"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
)

// openStore opens, or makes, the data directory.
func (s *Server) openStore(ctx context.Context) error {
	if err := os.MkdirAll(s.cfg.DataDir, 0o750); err != nil {
		return &ExitError{Code: ExitUsage, Err: fmt.Errorf("data directory: %w", err), Hint: "See --datadir."}
	}
	o := storeOptions(&s.cfg, fatal(s))
	var err error
	if o.Engines, err = engines(&s.cfg, lsm.Kind{CacheBytes: s.cfg.BufferPoolSize}, btree.Kind{}); err != nil {
		return openError(s.cfg.DataDir, err)
	}
	st, err := store.Open(ctx, o)
	if err != nil {
		return openError(s.cfg.DataDir, err)
	}
	s.store = st
	st.SetReplicas(&s.replicas)
	return nil
}

func storeOptions(cfg *Config, fatal func(error)) store.Options {
	o := store.Options{
		Dir: cfg.DataDir, LogBasename: cfg.LogBasename, ServerID: cfg.ServerID, ServerVersion: ServerVersion,
		MaxBinlogSize: cfg.MaxBinlogSize, NoPreallocate: cfg.NoPreallocate, SyncMethod: cfg.SyncMethod,
		Collations: func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) },
		Fatal:      fatal, Logger: cfg.Logger, RecoverUntil: cfg.RecoverUntil, Demote: cfg.InitAsReplica, CommitProtocol: cfg.CommitProtocol,
		PositionIn: cfg.PositionIn, Unfinished: cfg.Unfinished,
	}
	if n, ok := cfg.Variables["sync_binlog"].(uint64); ok {
		o.SyncBinlog = &n
	}
	if n, ok := cfg.Variables["checkpoint_interval"].(uint64); ok {
		o.CheckpointInterval = time.Duration(n) * time.Second
	}
	if n, ok := cfg.Variables["binlog_row_event_max_size"].(uint64); ok {
		o.MaxRowsEventBytes = int(n)
	}
	for name, size := range map[string]*int64{"binlog_cache_size": &o.BinlogCacheSize, "max_binlog_cache_size": &o.MaxTransactionBytes,
		"binlog_large_commit_threshold": &o.LargeCommitThreshold, "checkpoint_log_size": &o.CheckpointBytes} {
		if n, ok := cfg.Variables[name].(uint64); ok {
			*size = int64(min(n, 1<<62))
		}
	}
	return o
}

// kinds are the storage engines that this server has.
func kinds(tables lsm.Kind, tree btree.Kind) []engine.Kind {
	return []engine.Kind{tables, tree, memory.Kind{}}
}

// EngineDirs are the directories of storage engines that have files, in a data directory.
func EngineDirs() (dirs []string) {
	for _, kind := range kinds(lsm.Kind{}, btree.Kind{}) {
		if !kind.Volatile() {
			dirs = append(dirs, kind.Dir())
		}
	}
	return dirs
}

// engineNamed is the place of an engine that can be the default.
func engineNamed(kinds []engine.Kind, name string) (place int, ok bool) {
	place = slices.IndexFunc(kinds, func(k engine.Kind) bool { return strings.EqualFold(k.Name(), name) && !k.Volatile() })
	return place, place >= 0
}

// engines are the storage engines of a data directory, the default one first: the one that the option asks for, or else the one that
// the directory was made with.
func engines(cfg *Config, tables lsm.Kind, tree btree.Kind) ([]engine.Kind, error) {
	all := kinds(tables, tree)
	first, ok := engineNamed(all, cfg.InnoDBEngine)
	if !ok {
		dir, err := store.DefaultEngine(vfs.Default, cfg.DataDir)
		if err != nil {
			return nil, err
		}
		first = max(slices.IndexFunc(all, func(k engine.Kind) bool { return k.Dir() == dir }), 0)
	}
	return slices.Concat(all[first:first+1], all[:first], all[first+1:]), nil
}

// fatal ends the process after a failed write or sync of the log, or of what an engine cannot do without: from then on
// nobody knows what is on the disk, except a recovery.
func fatal(s *Server) func(error) {
	return func(err error) {
		code := ExitIO
		if errors.Is(err, syscall.ENOSPC) {
			code = ExitDiskFull
		}
		s.log.Error("the data directory cannot be written; ending at once. Nothing acknowledged is lost; the next start recovers", "err", err)
		os.Exit(code)
	}
}

// openError gives a failure to open the data directory its exit code.
func openError(dir string, err error) error {
	var hints []string
	if oe := (*store.OpenError)(nil); errors.As(err, &oe) {
		bare := *oe
		bare.Hint = ""
		err = &bare
		if oe.Unchanged {
			hints = append(hints, "Nothing was changed.")
		}
		if oe.Hint != "" {
			hints = append(hints, "What to do: "+oe.Hint+".")
		}
	}
	e := &ExitError{Code: ExitFailure, Err: fmt.Errorf("open data directory %s: %w", dir, err)}
	switch {
	case errors.Is(err, store.ErrLocked):
		e.Code = ExitLocked
	case errors.Is(err, store.ErrFormat):
		e.Code = ExitFormat
	case errors.Is(err, store.ErrNoEngine), errors.Is(err, store.ErrOption):
		e.Code = ExitUsage
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrPurged):
		e.Code = ExitCorrupt
		hints = append(hints, "A torn end of the log is repaired without asking; this is something else.")
	case errors.Is(err, syscall.ENOSPC):
		e.Code = ExitDiskFull
		hints = append(hints, "Free some space and start again; nothing acknowledged is lost.")
	}
	e.Hint = strings.Join(hints, "\n")
	return e
}

// openEngine starts the query engine on the open store.
func (s *Server) openEngine() error {
	vars := maps.Clone(s.cfg.Variables)
	if vars == nil {
		vars = map[string]any{}
	}
	vars["innodb_engine"] = strings.ToUpper(s.store.Engine().Engines()[0].Name())
	e, err := query.New(query.Config{
		Store: s.store, Version: ServerVersion, Variables: vars, Logger: s.log,
		Shutdown: s.cfg.OnShutdown, Unfinished: s.cfg.Unfinished,
		Replica: replica.Config{
			FS: vfs.Default, Dir: s.cfg.DataDir, RetryCount: s.cfg.MasterRetryCount, SameServerID: s.cfg.SameServerID, SkipStart: s.cfg.SkipSlaveStart,
		},
	})
	if err != nil {
		return &ExitError{Code: ExitFailure, Err: fmt.Errorf("start query engine: %w", err)}
	}
	s.engine = e
	return nil
}

// closeData closes the engine and the store, as far as they are open.
func (s *Server) closeData() error {
	var err error
	if s.engine != nil {
		err = joinClose(err, s.engine)
	}
	if s.store != nil {
		err = joinClose(err, s.store)
	}
	if err != nil {
		err = &ExitError{Code: ExitCode(err), Err: fmt.Errorf("close data directory %s: %w", s.cfg.DataDir, err)}
	}
	return err
}
