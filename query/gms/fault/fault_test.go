package fault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/gms/fault"
)

var errThrown = errors.New("thrown")

// caught is what becomes of a panic behind two frames of Catch: an error, or the fault that goes on.
func caught(f func()) (err error, on *fault.Fault) {
	defer func() {
		if r := recover(); r != nil {
			_, on = fault.Of(r)
		}
	}()
	inner := func() (err error) {
		defer fault.Catch(&err)
		f()
		return nil
	}
	outer := func() (err error) {
		defer fault.Catch(&err)
		return inner()
	}
	return outer(), nil
}

// TestCatch: what is thrown is an error; a fault goes on, and keeps the place where it began.
func TestCatch(t *testing.T) {
	for name, c := range map[string]struct {
		f       func()
		err     error
		panic   string
		foreign bool
		at      string // a function that the stack of a fault names
	}{
		"nothing": {f: func() {}},
		"thrown":  {f: func() { panic(errThrown) }, err: errThrown},
		"refusal": {f: func() { panic(fault.Refusal{Err: errThrown}) }, err: errThrown},
		"ours":    {f: func() { panic("ours") }, panic: "ours", at: "fault_test.TestCatch"},
		"foreign": {f: func() { _, _ = (&expression.Interval{}).Eval(nil, nil) }, panic: "Interval.Eval is just a placeholder", foreign: true, at: "expression.(*Interval).Eval"},
		"raised anew": {f: func() {
			defer func() { panic(recover()) }()
			_, _ = (&expression.Not{}).Eval(nil, nil)
		}, panic: "nil pointer", foreign: true, at: "expression.(*Not).Eval"},
		"runtime error": {f: func() { _, _ = (&expression.Not{}).Eval(nil, nil) }, panic: "nil pointer", foreign: true, at: "expression.(*Not).Eval"},
	} {
		err, f := caught(c.f)
		require.Equal(t, c.err, err, name)
		if c.panic == "" {
			require.Nil(t, f, name)
			continue
		}
		require.NotNil(t, f, name)
		require.Contains(t, f.Error(), c.panic, name)
		require.Equal(t, c.foreign, f.Foreign, name)
		require.Contains(t, f.In, c.at, name)
		below := f.Stack[strings.Index(f.Stack, "\npanic("):]
		require.Contains(t, below, c.at, name)
	}
}
