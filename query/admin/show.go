package admin

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// showSlaveStatus is SHOW SLAVE STATUS: the server replicates from nowhere.
func showSlaveStatus(st dialect.ShowSlaveStatus) (*adminRows, error) {
	if st.Connection != "" {
		return nil, mysqlerr.Newf(1617, "There is no master connection '%s'", st.Connection)
	}
	return noRows(slaveStatusColumns...), nil
}

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
		if all || i.User == s.Info.User {
			out.rows = append(out.rows, p)
		}
	}
	return out
}

var slaveStatusColumns = strings.Fields(`Slave_IO_State Master_Host Master_User Master_Port Connect_Retry Master_Log_File
	Read_Master_Log_Pos Relay_Log_File Relay_Log_Pos Relay_Master_Log_File Slave_IO_Running Slave_SQL_Running Replicate_Do_DB
	Replicate_Ignore_DB Replicate_Do_Table Replicate_Ignore_Table Replicate_Wild_Do_Table Replicate_Wild_Ignore_Table Last_Errno
	Last_Error Skip_Counter Exec_Master_Log_Pos Relay_Log_Space Until_Condition Until_Log_File Until_Log_Pos Master_SSL_Allowed
	Master_SSL_CA_File Master_SSL_CA_Path Master_SSL_Cert Master_SSL_Cipher Master_SSL_Key Seconds_Behind_Master
	Master_SSL_Verify_Server_Cert Last_IO_Errno Last_IO_Error Last_SQL_Errno Last_SQL_Error Replicate_Ignore_Server_Ids
	Master_Server_Id Master_SSL_Crl Master_SSL_Crlpath Using_Gtid Gtid_IO_Pos Replicate_Do_Domain_Ids Replicate_Ignore_Domain_Ids
	Parallel_Mode SQL_Delay SQL_Remaining_Delay Slave_SQL_Running_State Slave_DDL_Groups Slave_Non_Transactional_Groups
	Slave_Transactional_Groups Replicate_Rewrite_DB`)
