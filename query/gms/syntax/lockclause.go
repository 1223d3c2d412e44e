package syntax

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/statement"
)

// LockClause applies what the parser does not know of a lock clause at the end of a
// query: WAIT n, and NOWAIT or SKIP LOCKED after LOCK IN SHARE MODE.
func (st *Statement) LockClause(sql string) {
	if !st.Locking || st.Kind != statement.Read {
		return
	}
	sql = strings.TrimRight(sql, "; \n\t\r")
	if m := parse.WaitClause.FindStringSubmatch(sql); m != nil {
		st.WaitSeconds, _ = strconv.Atoi(m[2]) // digits; the largest int for what is larger
	}
	if m := shareClause.FindStringSubmatch(sql); m != nil {
		for i := range st.Tables {
			if st.Tables[i].Strength == statement.Shared {
				st.Tables[i].Wait = statement.NoWait
				if strings.EqualFold(m[1][:4], "skip") {
					st.Tables[i].Wait = statement.SkipLocked
				}
			}
		}
	}
}

var shareClause = regexp.MustCompile(`(?i)\block\s+in\s+share\s+mode\s+(nowait|skip\s+locked)\s*$`)
