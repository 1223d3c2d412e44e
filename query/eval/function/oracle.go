package function

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/text"
)

// oracleNames are the functions that mean something else in sql_mode ORACLE, by what they are then.
var oracleNames = map[string]string{
	"CONCAT": "CONCAT_OPERATOR_ORACLE", "SUBSTR": "SUBSTR_ORACLE", "SUBSTRING": "SUBSTR_ORACLE", "MID": "SUBSTR_ORACLE",
	"TRIM": "TRIM_ORACLE", "LTRIM": "LTRIM_ORACLE", "RTRIM": "RTRIM_ORACLE", "LPAD": "LPAD_ORACLE", "RPAD": "RPAD_ORACLE",
	"REPLACE": "REPLACE_ORACLE", "LENGTH": "CHAR_LENGTH", "DECODE": "DECODE_ORACLE",
}

// OracleDiffers reports whether a function, by its name in upper case, means something else in sql_mode ORACLE.
func OracleDiffers(name string) bool {
	return oracleNames[name] != "" || name == text.RegexpReplaceOracle.Name
}

// FindOracle is Find in sql_mode ORACLE.
func FindOracle(name string) (*eval.Def, bool) {
	if name == text.RegexpReplaceOracle.Name { // which has no other name
		return &text.RegexpReplaceOracle, true
	}
	if other := oracleNames[name]; other != "" {
		name = other
	}
	return Find(name)
}
