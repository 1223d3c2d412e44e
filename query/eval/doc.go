// Package eval is expressions whose types are settled, compiled to functions: what a statement computes for a row.
//
// An Expr is a node: its type, its arguments, and its row form, a function over a Frame that yields a value of the Go type of the
// class of its type (types.Class), unboxed, and whether it is NULL. Conversions are nodes of their own (ToInt, ToFloat ... of Builder);
// nothing asks for a type when a row is computed. Scalar functions are written once, as kernels that never see NULL (Map1, Map2,
// MapN); those that do see it (IF, COALESCE, AND ...) make their row form themselves.
//
// An Expr is immutable and is used by many sessions at once. What changes is in the Frame: one per running statement.
//
// Text that a row form yields lives until the frame's next row (Frame.Reset); whoever keeps it copies it.
package eval
