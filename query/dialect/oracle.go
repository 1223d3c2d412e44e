package dialect

import "strings"

// oracleOnes are the functions that mean something else in sql_mode ORACLE.
var oracleOnes = map[string]bool{
	"CONCAT": true, "SUBSTR": true, "SUBSTRING": true, "MID": true, "TRIM": true, "LTRIM": true, "RTRIM": true, "LPAD": true, "RPAD": true,
	"REPLACE": true, "REGEXP_REPLACE": true, "LENGTH": true, "DECODE": true,
}

// OracleDiffers reports whether a function of this name means something else in sql_mode ORACLE.
func OracleDiffers(name string) bool { return oracleOnes[strings.ToUpper(name)] }
