package sysvar

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Globals are the global values of one server. Safe for concurrent use.
type Globals struct {
	mu struct {
		sync.RWMutex
		values   map[*Def]any
		defaults map[*Def]any
	}
	// Foreign are variables besides those of MariaDB; nil for none. It is set before there are sessions.
	Foreign Foreign
	// hooks and funcs are set up before the server takes connections and not changed later. They are looked up under mu all the same: where a
	// program has several servers, the SQL engine below asks the one that was made last, which may still be set up.
	hooks map[*Def]func(ctx context.Context, v any) (any, error)
	funcs map[*Def]func() any
	parts map[*Def]parts
}

// Foreign are variables that the SQL engine below has and MariaDB does not: they can be read and set, and are not listed.
type Foreign interface {
	// Default is the value of a variable that was not set.
	Default(name string) (any, bool)
	// Convert makes v a value of the variable; 1193 if there is none of the name.
	Convert(ctx context.Context, name string, v any) (any, error)
}

// noForeign are none.
type noForeign struct{}

func (noForeign) Default(string) (any, bool) { return nil, false }

func (noForeign) Convert(_ context.Context, name string, _ any) (any, error) {
	return nil, mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
}

// NewGlobals returns the defaults.
func NewGlobals() *Globals {
	g := &Globals{
		hooks: map[*Def]func(context.Context, any) (any, error){},
		funcs: map[*Def]func() any{}, parts: map[*Def]parts{}, Foreign: noForeign{},
	}
	g.mu.values, g.mu.defaults = map[*Def]any{}, map[*Def]any{}
	return g
}

// Configure sets a value at start, read-only variables included; it becomes the
// default that SET ... = DEFAULT restores. Unknown names are reported.
func (g *Globals) Configure(name string, v any) error {
	d, ok := Lookup(name)
	if !ok {
		return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	v, err := d.Convert(context.Background(), v)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mu.values[d], g.mu.defaults[d] = v, v
	if a, ok := aliases[d.Name]; ok {
		other := mustLookup(a)
		g.mu.values[other], g.mu.defaults[other] = v, v
	}
	return nil
}

// OnSet makes SET GLOBAL of the variable call f with the new value before it is
// stored; what f returns is stored. Panics for an unknown name.
func (g *Globals) OnSet(name string, f func(ctx context.Context, v any) (any, error)) {
	d := mustLookup(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hooks[d] = f
}

// Computed makes the variable's global value the result of f.
func (g *Globals) Computed(name string, f func() any) {
	d := mustLookup(name)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.funcs[d] = f
}

func mustLookup(name string) *Def {
	d, ok := Lookup(name)
	if !ok {
		panic("sysvar: no variable " + name)
	}
	return d
}

// Get returns the global value of a variable.
func (g *Globals) Get(name string) (any, bool) {
	d, ok := Lookup(name)
	if !ok {
		return nil, false
	}
	return g.Value(d), true
}

// Value returns the global value of d.
func (g *Globals) Value(d *Def) any {
	g.mu.RLock()
	f := g.funcs[d]
	p, inParts := g.parts[d]
	v, ok := g.mu.values[d]
	g.mu.RUnlock()
	switch {
	case inParts:
		if v, err := p.Value(d, ""); err == nil {
			return v
		}
	case f != nil:
		return f()
	case ok:
		return v
	}
	return d.Default
}

// Default is the value that SET GLOBAL name = DEFAULT gives: the one that the server began with.
func (g *Globals) Default(d *Def) any { return g.defaultValue(d) }

func (g *Globals) defaultValue(d *Def) any {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if v, ok := g.mu.defaults[d]; ok {
		return v
	}
	return d.Default
}

// Set is SET GLOBAL by nobody's session.
func (g *Globals) Set(ctx context.Context, name string, v any) error {
	d, v, err := g.converted(ctx, name, v)
	if err != nil {
		return err
	}
	return g.SetConverted(ctx, d, v)
}

// converted is a variable that SET GLOBAL may set, and the value that it is to have.
func (g *Globals) converted(ctx context.Context, name string, v any) (*Def, any, error) {
	d, ok := Lookup(name)
	if !ok {
		return nil, nil, mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
	}
	if err := d.Settable(true); err != nil {
		return nil, nil, err
	}
	v, err := d.ConvertFrom(ctx, v, g.Value(d))
	return d, v, err
}

// SetConverted is Set with a value that Convert has made.
func (g *Globals) SetConverted(ctx context.Context, d *Def, v any) (err error) {
	if p, ok := g.partsOf(d); ok {
		return p.Set(ctx, d, "", false, v)
	}
	g.mu.RLock()
	h := g.hooks[d]
	g.mu.RUnlock()
	if h != nil {
		if v, err = h(ctx, v); err != nil {
			return err
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mu.values[d] = v
	if a, ok := aliases[d.Name]; ok {
		g.mu.values[mustLookup(a)] = v
	}
	return nil
}

// Uint returns the global value of an unsigned variable.
func (g *Globals) Uint(name string) uint64 {
	v, _ := g.Value(mustLookup(name)).(uint64)
	return v
}

// Str returns the global value of a text variable.
func (g *Globals) Str(name string) string {
	v, _ := g.Value(mustLookup(name)).(string)
	return v
}

// On returns the global value of a boolean variable.
func (g *Globals) On(name string) bool { return g.Value(mustLookup(name)) == int8(1) }

// aliases are pairs of names for one value.
var aliases = map[string]string{
	"tx_isolation": "transaction_isolation", "transaction_isolation": "tx_isolation",
	"tx_read_only": "transaction_read_only", "transaction_read_only": "tx_read_only",
	"storage_engine": "default_storage_engine", "default_storage_engine": "storage_engine",
	"slow_query_log": "log_slow_query", "log_slow_query": "slow_query_log",
	"max_binlog_total_size": "binlog_space_limit", "binlog_space_limit": "max_binlog_total_size",
	"slave_parallel_threads": "slave_parallel_workers", "slave_parallel_workers": "slave_parallel_threads",
	"long_query_time": "log_slow_query_time", "log_slow_query_time": "long_query_time",
}

// Session holds the session values of one session; used by one goroutine at a time.
type Session struct {
	globals *Globals
	values  []any
	version uint64
	reads   *[]*Def        // see Note
	others  map[string]any // values of foreign variables
	// computed variables of the session: last_insert_id, last_gtid ...
	funcs map[*Def]func() any
	// computed are those of funcs that have a slot, by it.
	computed []bool
	// Changed, if set, is told every change after it happened.
	Changed func(d *Def, v any)
	// Check, if set, may refuse or replace a new value before it is stored.
	Check func(ctx context.Context, d *Def, v any) (any, error)
}

// NewSession copies the global values.
func (g *Globals) NewSession() *Session {
	s := &Session{globals: g, values: make([]any, sessionSlots)}
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, d := range sorted {
		if d.slot < 0 {
			continue
		}
		v, ok := g.mu.values[d]
		if !ok || d.Scope == SessionOnly {
			v = d.Default
		}
		s.values[d.slot] = v
	}
	return s
}

// Globals returns the server's values.
func (s *Session) Globals() *Globals { return s.globals }

// Computed makes the variable's session value the result of f.
func (s *Session) Computed(name string, f func() any) {
	if s.funcs == nil {
		s.funcs, s.computed = map[*Def]func() any{}, make([]bool, sessionSlots)
	}
	d := mustLookup(name)
	if s.funcs[d] = f; d.slot >= 0 {
		s.computed[d.slot] = true
	}
}

// Value returns the session's value of d, the global one for a global variable.
func (s *Session) Value(d *Def) any {
	if s.reads != nil {
		*s.reads = append(*s.reads, d)
	}
	if d.slot >= 0 && (s.computed == nil || !s.computed[d.slot]) {
		return s.values[d.slot]
	}
	if f := s.funcs[d]; f != nil {
		return f()
	}
	return s.globals.Value(d)
}

// Reading is a variable that was read, and the value that it had.
type Reading struct {
	Def   *Def
	Value any
}

// Note notes which variables are read until noted is called, which tells each once.
func (s *Session) Note() (noted func() []Reading) {
	var list []*Def
	before := s.reads
	s.reads = &list
	return func() (out []Reading) {
		if s.reads = before; before != nil {
			*before = append(*before, list...)
		}
		for i, d := range list {
			if !slices.Contains(list[:i], d) {
				out = append(out, Reading{d, s.Value(d)})
			}
		}
		return out
	}
}

// Same reports whether variables that were read have the values still, in this session.
func (s *Session) Same(list []Reading) bool {
	for i := range list {
		if s.Value(list[i].Def) != list[i].Value {
			return false
		}
	}
	return true
}

// Stored is what Store has set last, or the session began with: of a computed variable not what it shows, but what it is to be set
// to again. d is a session variable.
func (s *Session) Stored(d *Def) any { return s.values[d.slot] }

// Get is Value by name; it knows foreign variables too.
func (s *Session) Get(name string) (any, bool) {
	if d, ok := Lookup(name); ok {
		return s.Value(d), true
	}
	name = strings.ToLower(name)
	if v, ok := s.others[name]; ok {
		return v, true
	}
	return s.globals.Foreign.Default(name)
}

// Set is SET SESSION.
func (s *Session) Set(ctx context.Context, name string, v any) error {
	d, ok := Lookup(name)
	if !ok {
		return s.setOther(ctx, strings.ToLower(name), v)
	}
	if err := d.Settable(false); err != nil {
		return err
	}
	v, err := d.ConvertFrom(ctx, v, s.Value(d))
	if err != nil {
		return err
	}
	return s.SetConverted(ctx, d, v)
}

// SetConverted is Set with a value that Convert has made.
func (s *Session) SetConverted(ctx context.Context, d *Def, v any) (err error) {
	if s.Check != nil {
		if v, err = s.Check(ctx, d, v); err != nil {
			return err
		}
	}
	s.Store(d, v)
	return nil
}

// Store sets a value without checks; v must have the Go type of d's kind.
func (s *Session) Store(d *Def, v any) {
	if s.values[d.slot] != v {
		s.version++
	}
	s.values[d.slot] = v
	if a, ok := aliases[d.Name]; ok {
		s.values[mustLookup(a).slot] = v
	}
	if s.Changed != nil {
		s.Changed(d, v)
	}
}

func (s *Session) setOther(ctx context.Context, name string, v any) error {
	v, err := s.globals.Foreign.Convert(ctx, name, v)
	if err != nil {
		return err
	}
	if s.others == nil {
		s.others = map[string]any{}
	}
	s.others[name] = v
	s.version++
	return nil
}

// Version is another number whenever a value was set since. Computed values, and those of global variables, may change without.
func (s *Session) Version() uint64 { return s.version }

// Default is the value that SET name = DEFAULT gives: the global value for a
// session variable.
func (s *Session) Default(name string) (any, bool) {
	d, ok := Lookup(name)
	if !ok {
		return s.globals.Foreign.Default(name)
	}
	if d.Scope == Both {
		return s.globals.Value(d), true
	}
	return s.globals.defaultValue(d), true
}

// Uint returns the session value of an unsigned variable.
func (s *Session) Uint(name string) uint64 {
	v, _ := s.Value(mustLookup(name)).(uint64)
	return v
}

// Str returns the session value of a text variable.
func (s *Session) Str(name string) string {
	v, _ := s.Value(mustLookup(name)).(string)
	return v
}

// On returns the session value of a boolean variable.
func (s *Session) On(name string) bool { return s.Value(mustLookup(name)) == int8(1) }

// Mode reports whether sql_mode has a flag.
func (s *Session) Mode(flag string) bool {
	return slices.Contains(strings.Split(s.Str("sql_mode"), ","), flag)
}
