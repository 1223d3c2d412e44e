// Package json is the functions of SQL over JSON.
package json

import "github.com/duramendb/duramen/query/eval"

// Functions are those called by name.
var Functions []eval.Def
