package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/lsm"
)

// second is the LSM engine once more, under another name.
type second struct{ lsm.Kind }

const secondName = "Second"

func (second) Name() string { return secondName }
func (second) Dir() string  { return "second" }

// Open is the LSM engine's, under the other name.
func (k second) Open(o engine.Options) (engine.Engine, error) {
	e, err := k.Kind.Open(o)
	if err != nil {
		return nil, err
	}
	return renamed{e}, nil
}

type renamed struct{ engine.Engine }

func (renamed) Name() string { return secondName }

// engines are those of the store.
func (l *lab) engines() []engine.Kind {
	if l.cfg.TwoEngines {
		return []engine.Kind{l.lsm, second{l.lsm}}
	}
	return []engine.Kind{l.lsm}
}

// engineOf is the engine of a table.
func (l *lab) engineOf(table string) string {
	if l.cfg.TwoEngines && strings.HasSuffix(table, "1") {
		return secondName
	}
	return "InnoDB"
}

func (l *lab) isEngineDir(name string) bool {
	return slices.ContainsFunc(l.engines(), func(k engine.Kind) bool { return k.Dir() == name })
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

// verifyEngines checks that no engine holds what no definition refers to, or another one's, and that all have the same definitions.
func (lf *life) verifyEngines() error {
	set, current := lf.store.Engine(), lf.store.Catalog().Current()
	var first [][]byte
	for i, e := range set.Engines() {
		it, err := e.NewIter(nil, nil)
		if err != nil {
			return err
		}
		orphans, err := current.Orphans(it)
		if err := errors.Join(err, it.Close()); err != nil {
			return err
		}
		if len(orphans) > 0 {
			return fmt.Errorf("orphan key spaces in %s: %+v", e.Name(), orphans)
		}
		definitions, tables, err := keysOf(e)
		if err != nil {
			return err
		}
		for id := range tables {
			if t := current.TableByID(id); t == nil || !lf.holds(e, t.Def) {
				return fmt.Errorf("%s holds rows of table %d, which is not its own", e.Name(), id)
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

func (lf *life) holds(e engine.Engine, def *catalog.TableDef) bool {
	owner, err := lf.store.Engine().For(def)
	return err == nil && owner == e
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
		case part != catalog.MetaMark && part != catalog.MetaCounters:
			definitions = append(definitions, bytes.Clone(it.Key()), bytes.Clone(it.Value()))
		}
	}
	return definitions, tables, errors.Join(it.Error(), it.Close())
}
