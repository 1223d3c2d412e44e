package sysvar

import (
	"context"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Parts have the values of global variables that have one for each of several things, which @@name.variable names: the filters of connections to primaries.
// What has no name is the variable itself. They are safe for concurrent use.
type Parts interface {
	// Value is the value that a part has. The error is that there is none of the name: the value is NULL then, and whoever reads it is warned.
	Value(d *Def, part string) (any, error)
	// Set is SET GLOBAL, whose value was converted. SET named the part if named, otherwise it is what the plain name means in the session.
	Set(ctx context.Context, d *Def, part string, named bool, v any) error
}

// parts are Parts and the session variable that says which of them SET GLOBAL means by the plain name.
type parts struct {
	Parts
	plain *Def
}

// InParts makes variables have parts. What SET GLOBAL of the plain name sets is the part that the session variable plain names. Panics for an unknown name.
func (g *Globals) InParts(p Parts, plain string, names ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, name := range names {
		g.parts[mustLookup(name)] = parts{p, mustLookup(plain)}
	}
}

func (g *Globals) partsOf(d *Def) (parts, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	p, ok := g.parts[d]
	return p, ok
}

// CheckPart reports what is wrong with @@part.name: 1272 if the variable has no parts, or 1235 if only MariaDB's has.
func (g *Globals) CheckPart(d *Def) error {
	if _, ok := g.partsOf(d); ok {
		return nil
	}
	switch d.Name {
	case "key_buffer_size", "key_cache_block_size", "key_cache_division_limit", "key_cache_age_threshold", "key_cache_file_hash_size", "key_cache_segments":
		return mysqlerr.NotYet("A key cache with a name")
	case "slave_parallel_mode":
		return mysqlerr.NotYet("slave_parallel_mode of a connection")
	}
	return mysqlerr.New(mysqlerr.VariableIsNotStruct, d.Name)
}

// Part is the value of a part of a variable that CheckPart takes. The error is that there is none of the name: the value is NULL then, and who reads it is warned.
func (g *Globals) Part(d *Def, part string) (any, error) {
	p, ok := g.partsOf(d)
	if !ok {
		return nil, g.CheckPart(d)
	}
	return p.Value(d, part)
}

// SetGlobal is SET GLOBAL by the session.
func (s *Session) SetGlobal(ctx context.Context, name string, v any) error {
	d, v, err := s.globals.converted(ctx, name, v)
	if err != nil {
		return err
	}
	return s.SetGlobalConverted(ctx, d, "", v)
}

// SetGlobalConverted is SET GLOBAL [part.]name by the session, with a value that ConvertFrom has made; part is empty for the plain name.
func (s *Session) SetGlobalConverted(ctx context.Context, d *Def, part string, v any) error {
	p, ok := s.globals.partsOf(d)
	if !ok {
		if part != "" {
			return s.globals.CheckPart(d)
		}
		return s.globals.SetConverted(ctx, d, v)
	}
	named := part != ""
	if !named {
		part, _ = s.Value(p.plain).(string)
	}
	return p.Set(ctx, d, part, named, v)
}
