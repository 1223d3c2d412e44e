package admin

import (
	"fmt"
	"slices"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// showWarnings is SHOW WARNINGS and SHOW ERRORS.
func (s showing) showWarnings(st dialect.ShowWarnings) *adminRows {
	out := &adminRows{names: []string{"Level", "Code", "Message"}, types: []byte{0, mysql.MYSQL_TYPE_LONG}, keepWarnings: true}
	for i, w := range s.warningsInOrder(st.ErrorsOnly) {
		if st.Limit.Holds(uint64(i)) {
			out.rows = append(out.rows, []any{w.Level, w.Number, session.TextsOf(s.Session.Session).ForResults(w.Message)})
		}
	}
	return out
}

func (s showing) warningsInOrder(errorsOnly bool) []session.Warning {
	all := s.Warnings.All()
	if errorsOnly {
		all = slices.DeleteFunc(all, func(w session.Warning) bool { return w.Level != "Error" })
	}
	return all
}

// countWarnings is SHOW COUNT(*) WARNINGS and SHOW COUNT(*) ERRORS.
func (s showing) countWarnings(st dialect.ShowWarningCount) *adminRows {
	name := "@@session.warning_count"
	if st.ErrorsOnly {
		name = "@@session.error_count"
	}
	return &adminRows{names: []string{name}, types: []byte{mysql.MYSQL_TYPE_LONGLONG}, keepWarnings: true,
		rows: [][]any{{len(s.warningsInOrder(st.ErrorsOnly))}}}
}

// noRows is a result with columns and nothing in them.
func noRows(names ...string) *adminRows { return &adminRows{names: names} }

// filtered is a result of the rows that a statement's filter keeps.
func filtered(names []string, rows [][]any, f dialect.Filter) (*adminRows, error) {
	keep, err := keeps(f, names)
	if err != nil {
		return nil, err
	}
	out := &adminRows{names: names}
	for _, row := range rows {
		ok, err := keep(row)
		if err != nil {
			return nil, err
		}
		if ok {
			out.rows = append(out.rows, row)
		}
	}
	return out, nil
}

// variableRows are the rows of SHOW VARIABLES.
func variableRows(s *session.Session, global bool) [][]any {
	var out [][]any
	for _, d := range sysvar.All() {
		if global && d.Scope == sysvar.SessionOnly || d.Name == "transaction_isolation" || d.Name == "transaction_read_only" {
			continue
		}
		v := s.Vars.Value(d)
		if global {
			v = s.Server.Globals.Value(d)
		}
		text, _ := d.Format(v)
		out = append(out, []any{d.Name, text})
	}
	return out
}

// keeps makes a filter of LIKE, which is about the first column, or WHERE.
func keeps(f dialect.Filter, names []string) (func(row []any) (bool, error), error) {
	switch {
	case f.Where != "":
		return gms.WhereFilter(f.Where, names)
	case f.Like != "":
		return func(row []any) (bool, error) { return dialect.Like(fmt.Sprint(row[0]), f.Like), nil }, nil
	}
	return func([]any) (bool, error) { return true, nil }, nil
}

// processList is SHOW PROCESSLIST for a session.
func (e *Server) processList(s *session.Session, full bool) *adminRows {
	out := &adminRows{
		names: []string{"Id", "User", "Host", "db", "Command", "Time", "State", "Info", "Progress"},
		types: []byte{mysql.MYSQL_TYPE_LONGLONG, 0, 0, 0, 0, mysql.MYSQL_TYPE_LONG},
	}
	all := s.May(privilege.Process)
	waiting := e.lockStates()
	threads := map[uint32][]any{} // what works for threads of replicas
	for _, o := range e.Sessions.All() {
		i := o.Proc.Info()
		if state, waits := waiting[i.ID]; waits {
			i.State = state
		}
		p := []any{i.ID, i.User, i.Host, nil, i.Command, int64(time.Since(i.Since).Seconds()), i.State, nil, "0.000"}
		if i.DB != "" {
			p[3] = i.DB
		}
		if i.Query != "" {
			q := i.Query
			if !full && len(q) > 100 {
				q = q[:100]
			}
			p[7] = q
		}
		if i.Thread != 0 {
			threads[i.Thread] = p
			continue
		}
		if all || i.User == s.Info.User {
			out.rows = append(out.rows, p)
		}
	}
	if rows := e.replicaThreads(time.Now(), threads); all && rows != nil {
		out.rows = append(out.rows, rows...)
		sortedByID(out.rows)
	}
	return out
}
