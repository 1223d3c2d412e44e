package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// routineKind is what a body belongs to.
type routineKind uint8

const (
	anonymous routineKind = iota // a compound statement by itself
	procedureBody
	functionBody
	triggerBody
	eventBody
)

// routine is what is known of the body that is read.
type routine struct {
	kind    routineKind
	scope   *scope
	returns bool // there was a RETURN
	effects effect
}

// scope is a block, a loop, or the body of a handler. Names are compared without regard to case.
type scope struct {
	outer *scope
	// label is empty if there is none. ITERATE goes to loops only, and nothing goes out of a handler.
	label         string
	loop, handler bool

	variables, conditions, cursors []string
}

// body reads, with f, the body of a routine.
func body[T any](p *parser, kind routineKind, f func() T) (T, *routine) {
	r := &routine{kind: kind, scope: &scope{}}
	outer := p.routine
	p.routine = r
	x := f()
	p.routine = outer
	return x, r
}

// scoped reads, with f, what has a scope of its own.
func scoped[T any](p *parser, s scope, f func() T) T {
	s.outer = p.routine.scope
	p.routine.scope = &s
	x := f()
	p.routine.scope = s.outer
	return x
}

// labelled is the scope of a label, or nil; of loops only if loop is true.
func (r *routine) labelled(label string, loop bool) *scope {
	for s := r.scope; s != nil; s = s.outer {
		if s.label != "" && strings.EqualFold(s.label, label) && (s.loop || !loop) {
			return s
		}
		if s.handler {
			break
		}
	}
	return nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return false
}

// knows reports whether a name is declared in a scope or one around it.
func (r *routine) knows(name string, list func(*scope) []string) bool {
	for s := r.scope; s != nil; s = s.outer {
		if contains(list(s), name) {
			return true
		}
	}
	return false
}

func variablesOf(s *scope) []string  { return s.variables }
func conditionsOf(s *scope) []string { return s.conditions }
func cursorsOf(s *scope) []string    { return s.cursors }

// declare adds a name to those of the scope; one that is there is an error.
func (p *parser) declare(names *[]string, name *tree.Ident, duplicate uint16) {
	if contains(*names, name.Text) {
		p.failWith(mysqlerr.New(duplicate, name.Text))
	}
	*names = append(*names, name.Text)
}

// knownCursor takes the name of a cursor.
func knownCursor(p *parser) tree.Ident {
	name := p.ident()
	if !p.routine.knows(name.Text, cursorsOf) {
		p.failWith(mysqlerr.New(mysqlerr.SPCursorMismatch, name.Text))
	}
	return name
}
