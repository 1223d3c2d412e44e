package set

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
)

var (
	// ErrNoEngine is wrapped by errors about tables of an engine that is not there.
	ErrNoEngine = errors.New("engine/set: there is no such engine")
	// ErrMoved is wrapped by errors about a definition that puts a table into another engine than the one that holds it.
	ErrMoved = errors.New("engine/set: a table cannot move to another engine")
	// ErrNoPlace is wrapped by errors about keys of a table that Place was not told of, or that span tables.
	ErrNoPlace = errors.New("engine/set: no single engine holds these keys")
)

var _ engine.Engine = (*Set)(nil)

// DefaultName is the name of MariaDB's default engine: ours is the first of the set, whatever it is called.
const DefaultName = "InnoDB"

// Set is one engine made of several. It is safe for concurrent use as an engine is.
type Set struct {
	engines []engine.Engine
	// only is the engine if there is one, else nil.
	only engine.Engine
	can  engine.Capabilities

	// The rest is of several engines.

	places places
	// barrier is held while engines are given a group, and shared while all are looked at.
	barrier sync.RWMutex
	applied engine.Mark // guarded by barrier
	// latest is the snapshot of the state after the last Apply, once somebody has wanted one; see Snapshot.
	latest   atomic.Pointer[snapshot]
	latestMu sync.Mutex // of who makes one, inside barrier
}

// New makes a set of engines. The first is the default.
func New(engines ...engine.Engine) (*Set, error) {
	if len(engines) == 0 {
		return nil, errors.New("engine/set: no engines")
	}
	s := &Set{engines: engines}
	for i, e := range engines {
		if e.Name() == "" {
			return nil, errors.New("engine/set: an engine without a name")
		}
		for _, other := range engines[:i] {
			if strings.EqualFold(e.Name(), other.Name()) {
				return nil, fmt.Errorf("engine/set: two engines with the name %s", e.Name())
			}
		}
		if i > 0 && strings.EqualFold(e.Name(), DefaultName) {
			return nil, fmt.Errorf("engine/set: %s is the name of the default engine, which is %s", e.Name(), engines[0].Name())
		}
	}
	if len(engines) == 1 {
		s.only, s.can = engines[0], engines[0].Capabilities()
		return s, nil
	}
	s.can = s.together()
	s.Recovered()
	return s, nil
}

// Engines are the engines of the set, the default first.
func (s *Set) Engines() []engine.Engine { return s.engines }

// For is the engine that a definition names.
func (s *Set) For(def *catalog.TableDef) (engine.Engine, error) {
	i, err := s.index(def)
	if err != nil {
		return nil, err
	}
	return s.engines[i], nil
}

func (s *Set) index(def *catalog.TableDef) (int, error) {
	if def.Engine == "" || strings.EqualFold(def.Engine, DefaultName) {
		return 0, nil
	}
	for i, e := range s.engines {
		if strings.EqualFold(e.Name(), def.Engine) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: %s, of table %s.%s", ErrNoEngine, def.Engine, def.DB, def.Name)
}

// Place tells of tables, before any key of theirs is met. Telling it again changes nothing.
func (s *Set) Place(defs ...*catalog.TableDef) error {
	if len(defs) == 0 {
		return nil
	}
	s.places.mu.Lock()
	defer s.places.mu.Unlock()
	for _, def := range defs {
		i, err := s.index(def)
		if err != nil {
			return err
		}
		if s.only != nil {
			continue
		}
		if at, ok := s.places.of(def.ID); ok && at != i {
			return fmt.Errorf("%w: %s.%s is in %s, not in %s", ErrMoved, def.DB, def.Name, s.engines[at].Name(), s.engines[i].Name())
		}
		s.places.set(def.ID, i)
	}
	return nil
}

// Name is the engine's name, or those of all.
func (s *Set) Name() string {
	names := make([]string, len(s.engines))
	for i, e := range s.engines {
		names[i] = e.Name()
	}
	return strings.Join(names, ", ")
}

// Close closes all engines.
func (s *Set) Close() error {
	errs := make([]error, len(s.engines))
	s.outdate()
	for i, e := range s.engines {
		errs[i] = e.Close()
	}
	if s.only != nil {
		return errs[0]
	}
	return errors.Join(errs...)
}
