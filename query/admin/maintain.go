package admin

import (
	"context"
	"errors"
	"strings"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/store"
)

// killConnections is KILL.
func (s Session) killConnections(st dialect.Kill) error {
	if st.ByUser {
		return s.killUser(st)
	}
	o := s.Engine.Sessions.Get(uint32(st.ID))
	if o == nil || st.ID > 1<<32-1 {
		return mysqlerr.New(mysqlerr.NoSuchThread, st.ID)
	}
	if o.Info.User != s.Info.User {
		if !s.mayKill() {
			return mysqlerr.New(mysqlerr.KillDenied, st.ID)
		}
	}
	o.Proc.Kill(!st.Query)
	if o == s.Session {
		return mysqlerr.New(mysqlerr.QueryInterrupted)
	}
	return nil
}

// killUser is KILL USER.
func (s Session) killUser(st dialect.Kill) error {
	for _, o := range s.Engine.Sessions.All() {
		if o.Info.User != st.User || st.Host != "%" && o.Info.Host != st.Host || o == s.Session {
			continue
		}
		if st.User != s.Info.User && !s.mayKill() {
			return mysqlerr.New(mysqlerr.KillDenied, o.Info.ID)
		}
		o.Proc.Kill(!st.Query)
	}
	return nil
}

// mayKill reports whether the user may end the statements of others.
func (s Session) mayKill() bool { return s.May(privilege.ConnectionAdmin | privilege.Super) }

// maintainTables is CHECK, ANALYZE, OPTIMIZE and REPAIR TABLE.
func (s Session) maintainTables(ctx context.Context, st dialect.MaintainTables) (*adminRows, error) {
	if err := s.CommitAll(ctx); err != nil {
		return nil, err
	}
	out := &adminRows{names: []string{"Table", "Op", "Msg_type", "Msg_text"}}
	for _, t := range st.Tables {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		n := useOf(t)
		n.DB = s.DBOf(n)
		rows, err := s.maintain(ctx, st.Do, n)
		if err != nil {
			return nil, err
		}
		out.rows = append(out.rows, rows...)
	}
	if st.Do == dialect.Check || st.Local {
		return out, nil
	}
	return out, s.logFlush(ctx, st) // as MariaDB logs them, also of tables that are not there
}

func (s Session) maintain(ctx context.Context, do dialect.Maintenance, n statement.Use) ([][]any, error) {
	op := strings.ToLower(string(do))
	name := n.DB + "." + n.Name
	if n.DB == "" {
		return nil, mysqlerr.New(mysqlerr.NoDB)
	}
	st := s.Engine.Store
	if st.Catalog().Current().Table(n.DB, n.Name) == nil {
		if st.Catalog().Current().Object("view", n.DB, n.Name) != nil {
			return [][]any{{name, op, "status", "OK"}}, nil
		}
		return [][]any{
			{name, op, "Error", mysqlerr.New(mysqlerr.NoSuchTable, n.DB, n.Name).Message},
			{name, op, "status", "Operation failed"},
		}, nil
	}
	switch do {
	case dialect.Check:
		r, err := st.CheckTable(ctx, n.DB, n.Name)
		if errors.Is(err, store.ErrNoTable) {
			return [][]any{{name, op, "status", "Operation failed"}}, nil
		}
		if err != nil {
			return nil, err
		}
		var rows [][]any
		for _, p := range r.Problems {
			rows = append(rows, []any{name, op, "error", p})
		}
		if !r.OK() {
			return append(rows, []any{name, op, "error", "Corrupt"}), nil
		}
	case dialect.Optimize:
		return [][]any{
			{name, op, "note", "Table does not support optimize: the storage engine compacts by itself"},
			{name, op, "status", "OK"},
		}, nil
	case dialect.Repair:
		return [][]any{{name, op, "note", "The storage engine for the table doesn't support repair"}}, nil
	}
	return [][]any{{name, op, "status", "OK"}}, nil
}

// account runs a statement about accounts.
func (s Session) account(ctx context.Context, st dialect.Statement) (*adminRows, error) {
	listing, err := account.Run(ctx, s.Engine.Accounts, session.AccountsOf(s.Session), st)
	if err != nil || listing == nil {
		return nil, err
	}
	out := &adminRows{names: []string{listing.Title}}
	for _, line := range listing.Lines {
		out.rows = append(out.rows, []any{line})
	}
	return out, nil
}
