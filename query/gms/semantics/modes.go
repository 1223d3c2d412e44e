package semantics

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// hasMode reports whether the session's sql_mode has a mode in it. A name that is
// part of another one's must not be asked for.
func hasMode(ctx *sql.Context, mode string) bool {
	v, err := ctx.Session.GetSessionVariable(ctx, sql.SqlModeSessionVar)
	if err != nil {
		return false
	}
	text, _ := v.(string)
	return strings.Contains(text, mode)
}

// strict reports whether a value that does not fit is an error.
func strict(ctx *sql.Context) bool {
	return hasMode(ctx, "STRICT_TRANS_TABLES") || hasMode(ctx, "STRICT_ALL_TABLES")
}
