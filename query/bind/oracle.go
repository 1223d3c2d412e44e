package bind

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function"
	"github.com/duramendb/duramen/query/eval/function/text"
	"github.com/duramendb/duramen/query/types"
)

// oracleNames are the functions that mean something else in sql_mode ORACLE, by what they are then. Package dialect has their names, too, and that of
// REGEXP_REPLACE.
var oracleNames = map[string]string{
	"CONCAT": "CONCAT_OPERATOR_ORACLE", "SUBSTR": "SUBSTR_ORACLE", "SUBSTRING": "SUBSTR_ORACLE", "MID": "SUBSTR_ORACLE",
	"TRIM": "TRIM_ORACLE", "LTRIM": "LTRIM_ORACLE", "RTRIM": "RTRIM_ORACLE", "LPAD": "LPAD_ORACLE", "RPAD": "RPAD_ORACLE",
	"REPLACE": "REPLACE_ORACLE", "LENGTH": "CHAR_LENGTH", "DECODE": "DECODE_ORACLE",
}

// nativeSchemas are what stands before a function of the server, for the one of a certain mode.
var nativeSchemas = map[string]bool{"mariadb_schema": true, "oracle_schema": true, "maxdb_schema": true}

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
		if name == text.RegexpReplaceOracle.Name {
			return &text.RegexpReplaceOracle, true
		}
		if other, ok := oracleNames[name]; ok {
			name = other
		}
	}
	return function.Find(name)
}
