package routine

import (
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// condition is what a handler is for: an error number, an SQLSTATE or a class.
type condition struct {
	number uint16
	state  string
	class  string // SQLWARNING, NOT FOUND, SQLEXCEPTION
}

// handler is DECLARE ... HANDLER.
type handler struct {
	exit bool
	on   []condition
	body tree.Statement
}

// event is what a statement has met: an error, or a warning that it ended with.
type event struct {
	err     *mysqlerr.Error
	warning bool
}

// The classes of SQLSTATEs.
const (
	warningClass  = "01"
	notFoundClass = "02"
)

// fits tells how well a condition describes an event: 0, not at all.
func (c condition) fits(e event) int {
	class := e.err.State[:2]
	warning, notFound := e.warning && class != notFoundClass, class == notFoundClass
	switch {
	case c.number != 0:
		if c.number == e.err.Number {
			return 3
		}
	case c.state != "":
		if c.state == e.err.State {
			return 2
		}
	case c.class == "SQLWARNING" && warning, c.class == "NOT FOUND" && notFound, c.class == "SQLEXCEPTION" && !warning && !notFound && class != warningClass:
		return 1
	}
	return 0
}

// handlerOf is the handler of an event, and the block that declares it; nil for none.
func (s *scope) handlerOf(e event) (*handler, *scope) {
	var without *scope // whose handler is running
	for ; s != nil; s = s.outer {
		if s.handling != nil {
			without = s.handling
		}
		if s == without {
			continue
		}
		var best *handler
		well := 0
		for _, h := range s.handlers {
			for _, c := range h.on {
				if fits := c.fits(e); fits > well {
					best, well = h, fits
				}
			}
		}
		if best != nil {
			return best, s
		}
	}
	return nil, nil
}

// conditionOf is what a declaration names.
func conditionOf(n *tree.Condition, sc *scope) (condition, error) {
	switch {
	case n.Errno != "":
		number, err := strconv.ParseUint(n.Errno, 10, 16)
		if err != nil || number == 0 {
			return condition{}, mysqlerr.NotYet("a condition with this error number")
		}
		return condition{number: uint16(number)}, nil
	case n.State != nil:
		return condition{state: *n.State}, nil
	case n.Class != "":
		return condition{class: strings.ToUpper(n.Class)}, nil
	}
	c, ok := sc.condition(n.Name.Text)
	if !ok {
		return c, mysqlerr.New(mysqlerr.SPCondMismatch, n.Name.Text)
	}
	return c, nil
}

// raise has the handler of an event run. Without one the error is unhandled, and a warning is nothing.
func (r *run) raise(e event, sc *scope) (*jump, error) {
	h, declared := sc.handlerOf(e)
	if h == nil {
		if e.warning {
			return nil, nil
		}
		return nil, unhandled{e.err}
	}
	if !e.warning {
		r.Warn("Error", e.err.Number, e.err.Message)
	}
	r.handled = append(r.handled, e.err)
	body := inner(declared)
	body.handling = declared
	j, err := r.statement(h.body, body)
	r.handled = r.handled[:len(r.handled)-1]
	if err == nil && j == nil {
		r.Warnings.Clear()
	}
	switch {
	case err != nil || j != nil:
		return j, err
	case h.exit:
		return &jump{leaves: declared}, nil
	}
	return nil, nil
}

// warned looks for handlers of what a statement that succeeded has warned of.
func (r *run) warned(sc *scope) (*jump, error) {
	if own := r.signalled; own != nil {
		r.signalled = nil
		return r.raise(event{own, true}, sc)
	}
	if r.Warnings.Own() == 0 {
		return nil, nil
	}
	for _, w := range r.Warnings.All() {
		if w.Level != "Warning" {
			continue
		}
		e := event{&mysqlerr.Error{Number: w.Number, State: mysqlerr.State(w.Number), Message: w.Message}, true}
		if h, _ := sc.handlerOf(e); h != nil {
			return r.raise(e, sc)
		}
	}
	return nil, nil
}
