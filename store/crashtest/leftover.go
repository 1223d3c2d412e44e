package crashtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/store"
)

// VerifyFiles checks that a data directory holds the log, the engines and what belongs to any, and nothing else.
func VerifyFiles(fs vfs.FS, dir string, log *binlog.Log, kinds ...engine.Kind) error {
	names, err := fs.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		_, listed := log.SegmentByName(strings.TrimSuffix(name, ".idx"))
		switch {
		case listed, name == "FORMAT", name == "FORMAT.tmp", name == "LOCK", isEngineDir(kinds, name), name == log.IndexName():
		case name == "tmp":
			left, err := fs.List(fs.PathJoin(dir, name))
			if err != nil {
				return fmt.Errorf("list tmp: %w", err)
			}
			if len(left) > 0 {
				return fmt.Errorf("tmp holds %q", left)
			}
		case strings.HasPrefix(name, "binlog.next"): // made while the store is open
		default:
			return fmt.Errorf("%s was left behind", name)
		}
	}
	return nil
}

func isEngineDir(kinds []engine.Kind, name string) bool {
	return slices.ContainsFunc(kinds, func(k engine.Kind) bool { return k.Dir() == name || twopc.RedoDir(k.Dir()) == name })
}

// VerifyEngines checks that no engine holds what no definition refers to, or another one's, and that all have the same definitions.
// With orphans, key spaces without a definition are allowed: what a failing disk kept from being removed, the next start removes.
func VerifyEngines(s *store.Store, orphans bool) error {
	set, current := s.Engine(), s.Catalog().Current()
	var first [][]byte
	for i, e := range set.Engines() {
		it, err := e.NewIter(nil, nil)
		if err != nil {
			return err
		}
		found, err := current.Orphans(it)
		if err := errors.Join(err, it.Close()); err != nil {
			return err
		}
		if len(found) > 0 && !orphans {
			return fmt.Errorf("orphan key spaces in %s: %+v", e.Name(), found)
		}
		definitions, tables, err := keysOf(e)
		if err != nil {
			return err
		}
		for id := range tables {
			t := current.TableByID(id)
			if t == nil && orphans {
				continue
			}
			if t == nil {
				return fmt.Errorf("%s holds rows of table %d, which there is not", e.Name(), id)
			}
			if owner, err := set.For(t.Def); err != nil || owner != e {
				return errors.Join(err, fmt.Errorf("%s holds rows of table %d, which is not its own", e.Name(), id))
			}
		}
		if i == 0 {
			first = definitions
		}
		if !bytes.Equal(bytes.Join(first, nil), bytes.Join(definitions, nil)) {
			return fmt.Errorf("%s has other definitions than %s:\n%q\n%q", e.Name(), set.Engines()[0].Name(), definitions, first)
		}
	}
	return nil
}

// keysOf returns the definitions in an engine, and which tables it has keys of.
func keysOf(e engine.Engine) (definitions [][]byte, tables map[uint32]bool, err error) {
	it, err := e.NewIter(nil, nil)
	if err != nil {
		return nil, nil, err
	}
	tables = map[uint32]bool{}
	for ok := it.First(); ok; ok = it.Next() {
		switch table, part, _, _ := catalog.ParsePrefix(it.Key()); {
		case table != catalog.MetaTable:
			tables[table] = true
		case !catalog.InOneEngine(part):
			definitions = append(definitions, bytes.Clone(it.Key()), bytes.Clone(it.Value()))
		}
	}
	return definitions, tables, errors.Join(it.Error(), it.Close())
}

// Orphans is a log handler that counts the key spaces which a start has removed.
type Orphans struct {
	mu    sync.Mutex
	found int
}

// Enabled says that all messages count.
func (o *Orphans) Enabled(context.Context, slog.Level) bool { return true }

// Handle looks for the messages.
func (o *Orphans) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, "removing a key space") {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.found++
	}
	return nil
}

// WithAttrs is the same handler.
func (o *Orphans) WithAttrs([]slog.Attr) slog.Handler { return o }

// WithGroup is the same handler.
func (o *Orphans) WithGroup(string) slog.Handler { return o }

// Found is how many there were.
func (o *Orphans) Found() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.found
}
