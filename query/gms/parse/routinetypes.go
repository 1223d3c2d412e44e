package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// refuseParameters refuses parameters of procedures that are dates or times: see refuseMoment.
func refuseParameters(n *sqlparser.ProcedureSpec) error {
	if n == nil {
		return nil
	}
	for _, p := range n.Params {
		if err := refuseMoment(p.Type); err != nil {
			return err
		}
	}
	return nil
}

// refuseMoment refuses a type of parameters and variables of routines that is a date or a time: go-mysql-server puts a text of its own in their place, with
// a time zone behind it, which is equal to no date.
func refuseMoment(t sqlparser.ColumnType) error {
	switch strings.ToLower(t.Type) {
	case "date", "datetime", "timestamp", "time":
		return mysqlerr.NotYet("a parameter or a variable of type " + strings.ToUpper(t.Type) + " in a routine; declare it CHAR(26), and CAST it")
	}
	return nil
}
