package crashtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/replay"
)

// Again is the LSM engine once more, under another name: for tests that need several engines of one kind.
type Again struct {
	lsm.Kind
	// As is its name; in lower case that of its directory.
	As string
}

// Name is As.
func (k Again) Name() string { return k.As }

// Dir is As in lower case.
func (k Again) Dir() string { return strings.ToLower(k.As) }

// Open is the LSM engine's, under the other name.
func (k Again) Open(o engine.Options) (engine.Engine, error) {
	e, err := k.Kind.Open(o)
	if err != nil {
		return nil, err
	}
	return renamed{e, k.As}, nil
}

type renamed struct {
	engine.Engine
	name string
}

func (r renamed) Name() string { return r.name }

// EngineSets are the sets of engines that the laboratory knows, the default engine first. Second is the LSM engine again: two
// engines of one kind have nothing in common but their code.
var EngineSets = [][]string{
	{"RocksDB", "BTREE"},
	{"BTREE", "RocksDB"},
	{"RocksDB", "Second"},
	{"BTREE"},
	{"RocksDB", "BTREE", "MEMORY"},
	{"BTREE", "MEMORY"},
	{"Second", "RocksDB", "BTREE"},
}

// engines are those of the store.
func (l *lab) engines() []engine.Kind {
	if len(l.cfg.Engines) == 0 {
		return []engine.Kind{l.lsm}
	}
	var kinds []engine.Kind
	for _, name := range l.cfg.Engines {
		kinds = append(kinds, l.kind(name))
	}
	return kinds
}

func (l *lab) kind(name string) engine.Kind {
	switch name {
	case l.lsm.Name():
		return l.lsm
	case l.btree.Name():
		return l.btree
	case memory.Kind{}.Name():
		return memory.Kind{}
	default:
		return Again{l.lsm, name}
	}
}

// volatile are the engines whose tables a restart empties.
func (l *lab) volatile(name string) bool { return name == memory.Kind{}.Name() }

// lasting are the engines that keep their rows.
func (l *lab) lasting() []string {
	return slices.DeleteFunc(slices.Clone(l.cfg.Engines), l.volatile)
}

// several says that tables are spread over engines.
func (l *lab) several() bool { return len(l.cfg.Engines) > 1 }

// drawEngine chooses the engine of a new table.
func (l *lab) drawEngine(rng *rand.Rand) string {
	if len(l.cfg.Engines) == 0 {
		return "InnoDB"
	}
	return l.cfg.Engines[rng.IntN(len(l.cfg.Engines))]
}

// noteMarks counts how far the engines are, compared with each other, when they are found after a crash.
func (l *lab) noteMarks(fs *crashfs.FS) error {
	kinds := slices.DeleteFunc(l.engines(), engine.Kind.Volatile)
	if len(kinds) == 1 {
		return nil
	}
	marks := make([]engine.Mark, len(kinds))
	for i, k := range kinds {
		var err error
		if marks[i], _, err = k.Peek(engine.Options{FS: fs, Dir: fs.PathJoin(dataDir, k.Dir()), Logger: l.cfg.Logger}, replay.UnfinishedKey()); err != nil {
			return fmt.Errorf("look at %s: %w", k.Name(), err)
		}
	}
	for i := range kinds {
		for j := range i {
			a, b, how := kinds[j].Name(), kinds[i].Name(), "level with"
			switch marks[j].Position.Compare(marks[i].Position) {
			case 1:
				how = "ahead of"
			case -1:
				a, b, how = b, a, "ahead of"
			}
			l.stats.see(a+" "+how+" "+b, 1)
		}
	}
	return nil
}

// flush makes one of the engines write its files, as it does on its own.
func (lf *life) flush(rng *rand.Rand) error {
	engines := lf.store.Engine().Engines()
	e := engines[0]
	if len(engines) > 1 {
		e = engines[rng.IntN(len(engines))]
	}
	_, err := e.Checkpoint()
	return err
}
