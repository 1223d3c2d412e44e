package bind

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/types"
)

// nativeSchemas are what stands before a function of the server, for the one of a certain mode.
var nativeSchemas = map[string]bool{"mariadb_schema": true, "oracle_schema": true, "maxdb_schema": true}

// NativeSchema reports whether a name is what stands before a function of the server.
func NativeSchema(name string) bool { return nativeSchemas[name] }

// modeOf is the mode by which the name of a call is read.
func (b *Binder) modeOf(n *tree.Call) types.Mode {
	switch {
	case n.DB.Text == "oracle_schema":
		return types.Oracle
	case n.DB.Text != "":
		return 0
	}
	return b.Env.Mode
}

// functionIn is the function that a name in capitals means.
func functionIn(mode types.Mode, name string) (*eval.Def, bool) {
	if mode.Has(types.Oracle) {
		return function.FindOracle(name)
	}
	return function.Find(name)
}
