// Package number is the functions of SQL over numbers.
package number

import "github.com/duramendb/duramen/query/eval"

// Functions are those called by name.
var Functions []eval.Def
