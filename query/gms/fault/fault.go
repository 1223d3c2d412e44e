// Package fault tells the errors that go-mysql-server throws on purpose from panics that nobody meant, and
// those that began in its code from those that began in ours.
//
// Whoever calls go-mysql-server where it throws defers Catch. A fault goes on upwards, marked with its
// origin, to the session, which writes it to the server's log and decides what becomes of the statement.
// Nothing else may recover from a panic of a statement: a fault that nobody sees is never mended.
package fault

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Refusal is an error that a callback of go-mysql-server has no way to return: it is thrown.
type Refusal struct{ Err error }

// Error implements error.
func (r Refusal) Error() string { return r.Err.Error() }

// Fault is a panic that nobody meant. It implements error for those who can only return it.
type Fault struct {
	Panic   any
	Stack   string // of the place where the panic began
	Foreign bool   // it began in go-mysql-server or in its parser
	In      string // the function of ours, of go-mysql-server or of its parser in which it began
}

// Error implements error.
func (f *Fault) Error() string { return fmt.Sprint(f.Panic) }

// Of sorts what recover gave: either an error that was thrown on purpose, or a fault. The
// function that is deferred has to call it, so that the stack is that of the panic.
func Of(recovered any) (thrown error, f *Fault) {
	switch r := recovered.(type) {
	case Refusal:
		return r.Err, nil
	case *Fault:
		return nil, r
	case runtime.Error:
	case error:
		return r, nil
	}
	in := beginning()
	return nil, &Fault{Panic: recovered, Stack: string(debug.Stack()), Foreign: strings.HasPrefix(in, theirs), In: in}
}

// Catch is deferred. An error that was thrown becomes the function's own; a fault goes on.
func Catch(err *error) {
	r := recover()
	if r == nil {
		return
	}
	thrown, f := Of(r)
	if f != nil {
		panic(f)
	}
	*err = thrown
}

// Where the code of others and ours begins.
const (
	theirs = "github.com/dolthub/"
	ours   = "github.com/duramendb/"
)

// beginning is the innermost function of theirs or ours below the panic that is being recovered. One that was
// recovered before and raised anew began at its first panic, which is further out on the stack.
func beginning() (in string) {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking, in = true, ""
		case panicking && in == "" && (strings.HasPrefix(f.Function, theirs) || strings.HasPrefix(f.Function, ours)):
			in = f.Function
		}
		if !more {
			return in
		}
	}
}
