package native

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/shape"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/sysvar"
)

// Programs are statements that were bound, of all sessions: those whose texts differ in literals only are the same one. They take a bounded amount of
// memory. The zero value keeps nothing; it is used by many at once.
type Programs struct {
	mu      sync.RWMutex
	entries map[programKey]*entry
	bytes   int64 // of all programs, and of what finds them
	most    int64
	numbers uint64
	catalog *catalog.Snapshot // that all programs are of
}

// programKey is what programs are found by.
type programKey struct {
	// shape is the text of a prepared statement, or a text without its literals.
	shape    string
	prepared bool
	db       string
	mode     dialect.Mode
}

// entry are the programs of a key: one for each list of types that its parameters had.
type entry struct {
	key  programKey
	list atomic.Pointer[[]*program]
	// used says that it was asked for since it was last looked at for making room; gone says that it was left out then.
	used, gone atomic.Bool
	// missed is how often it was of no use since it was of some.
	missed atomic.Uint32
	bytes  int64 // under Programs.mu
}

// missedMost is how many misses there are in a row until a program is made only at each missedMost-th: most texts of the shape have literals of their own then
// that are part of the program, and making one costs a quarter of a binding.
const missedMost = 16

// worth reports whether a program is to be made of a statement that has none.
func (e *entry) worth() bool {
	n := e.missed.Add(1)
	return n <= missedMost || n%missedMost == 0
}

// hit notes that it was of use.
func (e *entry) hit() {
	if e.missed.Load() != 0 {
		e.missed.Store(0)
	}
}

// programsOfEntry is how many programs an entry has.
const programsOfEntry = 4

// entryBytes is what an entry takes beside its programs and its text, by estimate.
const entryBytes = 400

// SetSize bounds the memory of all programs, by estimate; those that are too many are forgotten. 0 keeps none.
func (p *Programs) SetSize(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = bytes
	p.shrink()
}

// Size is how many entries there are, and what they take in bytes, by estimate.
func (p *Programs) Size() (entries int, bytes int64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.entries), p.bytes
}

// find is the entry of a text without its literals; nil if there is none.
func (p *Programs) find(shape []byte, db string, mode dialect.Mode) *entry {
	p.mu.RLock()
	e := p.entries[programKey{shape: string(shape), db: db, mode: mode}]
	p.mu.RUnlock()
	if e != nil && !e.used.Load() {
		e.used.Store(true)
	}
	return e
}

// findPrepared is find for a prepared statement.
func (p *Programs) findPrepared(key programKey) *entry {
	p.mu.RLock()
	e := p.entries[key]
	p.mu.RUnlock()
	return e
}

// partOfAll is the part of all memory that one program may take: one that is larger would push out most of the others.
const partOfAll = 4

// keep adds a program, unless it is too large, or not of the current catalog, which nobody else has then. It takes the place of one for the same types, or of
// the eldest if there are too many. When definitions have changed all others go: they would hold the old ones.
func (p *Programs) keep(key programKey, made *program, current *catalog.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if made.bytes+int64(len(key.shape)) > p.most/partOfAll || made.catalog != current {
		return
	}
	if p.catalog != current {
		for _, e := range p.entries {
			p.forget(e)
		}
		p.catalog = current
	}
	e := p.entries[key]
	if e == nil { // not used yet: many that are asked for once leave those alone that are asked for again
		if p.entries == nil {
			p.entries = map[programKey]*entry{}
		}
		e = &entry{key: key}
		e.list.Store(&[]*program{})
		p.entries[key] = e
	}
	p.numbers++
	made.number = p.numbers
	list := slices.DeleteFunc(slices.Clone(*e.list.Load()), func(known *program) bool {
		return slices.Equal(known.kinds, made.kinds) && slices.Equal(known.fixed, made.fixed) && slices.Equal(known.systems, made.systems) && *known.env == *made.env
	})
	if len(list) == programsOfEntry {
		list = slices.Delete(list, 0, 1)
	}
	list = append(list, made)
	size := entryBytes + int64(len(key.shape)+len(key.db))
	for _, known := range list {
		size += known.bytes
	}
	p.bytes += size - e.bytes
	e.bytes = size
	e.list.Store(&list)
	p.shrink()
}

// forget leaves out an entry, whoever still has it.
func (p *Programs) forget(e *entry) {
	delete(p.entries, e.key)
	e.gone.Store(true)
	e.list.Store(&[]*program{})
	p.bytes -= e.bytes
}

// shrink leaves out entries until there is room: first those that nobody has asked for since it has come by them.
func (p *Programs) shrink() {
	for p.bytes > p.most && len(p.entries) > 0 {
		for _, e := range p.entries {
			if e.used.Swap(false) {
				continue
			}
			if p.forget(e); p.bytes <= p.most {
				return
			}
		}
	}
}

// Prepared is what a prepared statement has found in Programs.
type Prepared struct{ entry *entry }

// find is the entry of a prepared statement; nil if there is none.
func (p *Prepared) find(s Session, text string) *entry {
	key := programKey{shape: text, prepared: true, db: s.DB(), mode: s.LexMode}
	if p.entry == nil || p.entry.gone.Load() || p.entry.key != key {
		p.entry = s.Programs.findPrepared(key)
	}
	if e := p.entry; e != nil && !e.used.Load() {
		e.used.Store(true)
	}
	return p.entry
}

// run is the statement for the parameters of a client; nil if it has to be bound, and why.
func (e *entry) run(ctx context.Context, s Session, text string, params []result.Value) *Statement {
	why := status.MissFirst
	for _, p := range *e.list.Load() {
		var st *Statement
		if st, why = p.run(ctx, s, text, params); st != nil {
			e.hit()
			s.Server.Status.Direct(status.Hit)
			return st
		}
	}
	s.Server.Status.Direct(why)
	return nil
}

// runText is run for a text whose literals are those of s.
func (e *entry) runText(ctx context.Context, s Session, text string) *Statement {
	why := status.MissFirst
	for _, p := range *e.list.Load() {
		var st *Statement
		if st, why = p.runText(ctx, s, text, &s.Own.text); st != nil {
			e.hit()
			s.Server.Status.Direct(status.Hit)
			return st
		}
	}
	s.Server.Status.Direct(why)
	return nil
}

// keeping is how a statement that is bound is kept.
type keeping struct {
	key     programKey
	catalog *catalog.Snapshot       // before anything was looked up: what changes meanwhile is another one
	noted   func() []sysvar.Reading // the variables that were read
	free    []bool
	given   []int
	fixed   []fixedLiteral
	// literals are those of a text; nil of a prepared statement.
	literals *shape.Text
}
