package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// effect is what a statement does that a function or a trigger may not do.
type effect uint8

const (
	dynamicEffect    effect = 1 << iota // prepares or executes a text
	resultEffect                        // gives rows to the client
	autocommitEffect                    // sets autocommit
	commitEffect                        // commits
	resetEffect                         // RESET
	flushEffect                         // FLUSH
)

// allowed checks a statement of a body, and keeps its effects.
func allowed(p *parser, s tree.Statement) {
	if what := forbidden(s); what != "" {
		p.failWith(mysqlerr.New(mysqlerr.SPBadStatement, what))
	}
	p.routine.effects |= effectOf(s)
}

// allowedInFunction checks what a body does that belongs to a function or a trigger.
func allowedInFunction(p *parser, r *routine, where string) {
	switch {
	case r.effects&dynamicEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.StmtNotAllowedInSFOrTrg, "Dynamic SQL"))
	case r.effects&resultEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.SPNoRetset, where))
	case r.effects&autocommitEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.SPCantSetAutocommit))
	case r.effects&commitEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.CommitNotAllowedInSFOrTrg))
	case r.effects&resetEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.StmtNotAllowedInSFOrTrg, "RESET"))
	case r.effects&flushEffect != 0:
		p.failWith(mysqlerr.New(mysqlerr.StmtNotAllowedInSFOrTrg, "FLUSH"))
	}
}

// forbidden is the name of a statement that no body can have; empty: it can.
func forbidden(s tree.Statement) string {
	switch s := s.(type) {
	case *tree.Use:
		return "USE"
	case *tree.LockTables:
		return "LOCK"
	case *tree.UnlockTables:
		return "UNLOCK"
	case *tree.Maintain:
		if s.Verb == "CHECK" {
			return "CHECK"
		}
	case *tree.Help:
		return "HELP"
	case *tree.Load:
		if s.XML {
			return "LOAD XML"
		}
		return "LOAD DATA"
	case *tree.HandlerOpen, *tree.HandlerClose, *tree.HandlerRead:
		return "HANDLER"
	case *tree.Backup:
		return "BACKUP " + s.What
	case *tree.View:
		if s.Alter {
			return "ALTER VIEW"
		}
	}
	return ""
}

// effectOf is what a statement does.
func effectOf(s tree.Statement) effect {
	switch s := s.(type) {
	case *tree.Prepare, *tree.Execute, *tree.ExecuteImmediate, *tree.Deallocate:
		return dynamicEffect
	case tree.Query:
		if !hasInto(s) {
			return resultEffect
		}
	case *tree.Show, *tree.Maintain, *tree.KeyCache, *tree.Explain, *tree.Describe, *tree.ExplainConnection:
		return resultEffect
	case *tree.Insert:
		if s.Returning != nil {
			return resultEffect
		}
	case *tree.Delete:
		if s.Returning != nil {
			return resultEffect
		}
	case *tree.Set:
		for _, i := range s.Items {
			if v, ok := i.(*tree.SetVariable); ok && v.Base.Text == "" && strings.EqualFold(v.Name.Text, "autocommit") {
				return autocommitEffect
			}
		}
	case *tree.SetStatement:
		return effectOf(s.Statement)
	case *tree.CreateTable:
		if !s.Temporary {
			return commitEffect
		}
	case *tree.Sequence:
		if !s.Temporary {
			return commitEffect
		}
	case *tree.Drop:
		if !s.Temporary {
			return commitEffect
		}
	case *tree.Flush:
		return flushEffect
	case *tree.Reset:
		return resetEffect
	case *tree.Begin, *tree.Commit, *tree.Rollback, *tree.AlterTable, *tree.Truncate, *tree.RenameTables, *tree.CreateIndex, *tree.DropIndex,
		*tree.CreateDatabase, *tree.AlterDatabase, *tree.View, *tree.Users, *tree.CreateRole, *tree.DropAccounts, *tree.RenameUsers, *tree.Grant,
		*tree.RevokeAll, *tree.GrantRole, *tree.GrantProxy, *tree.CreateLibraryFunction, *tree.Event, *tree.Plugin:
		return commitEffect
	}
	return 0
}

// hasInto reports whether a query's rows go into variables or a file.
func hasInto(q tree.Query) bool {
	switch q := q.(type) {
	case *tree.Select:
		return q.Into != nil
	case *tree.Values:
		return q.Into != nil
	case *tree.SetOperation:
		return q.Into != nil
	case *tree.Nested:
		return q.Into != nil || hasInto(q.Query)
	}
	return false
}
