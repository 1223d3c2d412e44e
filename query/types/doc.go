// Package types is the types and values of MariaDB's SQL: what is known of an expression before it is computed (Type), a value at the
// edges of the evaluator (Value), everything of a session that changes meaning (Env), and where conditions go (Diagnostics).
//
// The arithmetic of the classes is in the packages below: decimal, temporal, charset. Values do not carry their type where many of them
// are computed: package eval compiles expressions to functions over the Go type of a Class.
package types
