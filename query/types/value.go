package types

import (
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Value is a value that leaves or enters the evaluator: a parameter, a literal, a user variable, a result. Which field holds it follows
// from the class of its Type, which is kept beside it.
type Value struct {
	Null  bool
	Int   int64
	Float float64
	Time  temporal.Packed
	Dec   decimal.Dec
	Text  []byte
}
