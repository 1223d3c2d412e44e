package function

import (
	"maps"

	"github.com/dolthub/go-mysql-server/sql"
)

// All are the functions by name. They go before go-mysql-server's of the same names.
func All() map[string]sql.Function {
	out := map[string]sql.Function{"benchmark": benchmarkFunction(), "find_in_set": sql.Function2{Name: "find_in_set", Fn: newFindInSet}}
	maps.Copy(out, checkedFunctions())
	for name, f := range boundedFunctions() {
		out[name] = f
	}
	for _, f := range exactSumFunctions() {
		out[f.FunctionName()] = f
	}
	maps.Copy(out, varianceFunctions())
	out["ntile"] = ntileFunction()
	maps.Copy(out, guardedGeometry())
	maps.Copy(out, quantifiedFunctions())
	maps.Copy(out, againstFunctions())
	return out
}
