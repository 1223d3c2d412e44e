// Package info is the functions of SQL about the session, the server, encryption, networks, and what fits nowhere else.
package info

import "github.com/duramendb/duramen/query/eval"

// Functions are those called by name.
var Functions []eval.Def
