package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/nesting"
	"github.com/duramendb/duramen/query/sysvar"
)

// parseShow finds the SHOW statements that are answered here.
func (s *Session) parseShow(c *dialect.Parser) adminRun {
	full := false
	switch {
	case c.Accept("MASTER", "STATUS"), c.Accept("BINLOG", "STATUS"), c.Accept("BINARY", "LOG", "STATUS"):
		return rowsRun(s.showMasterStatus)
	case c.Accept("BINARY", "LOGS"), c.Accept("MASTER", "LOGS"):
		return rowsRun(s.showBinaryLogs)
	case c.Accept("BINLOG", "EVENTS"):
		return s.parseBinlogEvents(c)
	case c.Accept("RELAYLOG", "EVENTS"):
		return emptyRun("Log_name", "Pos", "Event_type", "Server_id", "End_log_pos", "Info")
	case c.Accept("SLAVE", "HOSTS"), c.Accept("REPLICA", "HOSTS"):
		return rowsRun(s.showSlaveHosts)
	case c.Accept("SLAVE"), c.Accept("REPLICA"), c.Accept("ALL", "SLAVES"), c.Accept("ALL", "REPLICAS"):
		return emptyRun(slaveStatusColumns...)
	case c.Accept("ENGINES"), c.Accept("STORAGE", "ENGINES"):
		return rowsRun(func(context.Context) (*adminRows, error) { return showEngines(), nil })
	case c.Accept("ENGINE", "INNODB", "STATUS"):
		return rowsRun(func(context.Context) (*adminRows, error) {
			return &adminRows{names: []string{"Type", "Name", "Status"}, rows: [][]any{{"InnoDB", "", s.engine.innodbStatus(time.Now())}}}, nil
		})
	case c.Accept("ENGINE"):
		return rowsRun(func(context.Context) (*adminRows, error) {
			return &adminRows{names: []string{"Type", "Name", "Status"}}, nil
		})
	case c.Accept("PLUGINS"):
		return rowsRun(func(context.Context) (*adminRows, error) { return showPlugins(), nil })
	case c.Accept("PACKAGE"):
		return emptyRun("Db", "Name", "Type", "Definer", "Modified", "Created", "Security_type", "Comment",
			"character_set_client", "collation_connection", "Database Collation")
	case c.Accept("OPEN", "TABLES"):
		return emptyRun("Database", "Table", "In_use", "Name_locked")
	case c.Accept("PROFILES"):
		return emptyRun("Query_ID", "Duration", "Query")
	case c.Accept("CREATE", "TABLE"):
		return s.parseShowCreateTable(c)
	case c.Accept("WARNINGS"):
		return s.parseShowWarnings(c, false)
	case c.Accept("ERRORS"):
		return s.parseShowWarnings(c, true)
	case c.Accept("COUNT", "(", "*", ")"):
		return s.parseCountWarnings(c)
	case c.Accept("FULL"):
		full = true
	case c.AcceptAny("GLOBAL"):
		return s.parseShowScoped(c, true)
	case c.AcceptAny("SESSION", "LOCAL"):
		return s.parseShowScoped(c, false)
	}
	if c.Accept("PROCESSLIST") {
		return rowsRun(func(ctx context.Context) (*adminRows, error) { return s.showProcessList(ctx, full), nil })
	}
	if c.AcceptAny("COLUMNS", "FIELDS") {
		return s.parseShowColumns(c, full)
	}
	if c.Accept("TABLES") {
		return s.parseShowTables(c, full)
	}
	if full {
		return nil
	}
	if run := s.parseShowSchema(c); run != nil {
		return run
	}
	return s.parseShowScoped(c, false)
}

// parseShowWarnings is SHOW WARNINGS | ERRORS [LIMIT [offset,] count].
func (s *Session) parseShowWarnings(c *dialect.Parser, errorsOnly bool) adminRun {
	offset, limit := uint64(0), ^uint64(0)
	if c.Accept("LIMIT") {
		limit, _ = c.Number()
		if c.Accept(",") {
			offset = limit
			limit, _ = c.Number()
		} else if c.Accept("OFFSET") {
			offset, _ = c.Number()
		}
	}
	if err := c.Done(); err != nil {
		return failRun(err)
	}
	return rowsRun(func(context.Context) (*adminRows, error) {
		out := &adminRows{names: []string{"Level", "Code", "Message"}, types: []byte{0, mysql.MYSQL_TYPE_LONG}, keepWarnings: true}
		for i, w := range s.warningsInOrder(errorsOnly) {
			if uint64(i) >= offset && uint64(len(out.rows)) < limit {
				out.rows = append(out.rows, []any{w.Level, w.Code, w.Message})
			}
		}
		return out, nil
	})
}

func (s *Session) warningsInOrder(errorsOnly bool) []*sql.Warning {
	var out []*sql.Warning
	all := s.base.Warnings()
	for i := len(all) - 1; i >= 0; i-- {
		if !errorsOnly || all[i].Level == "Error" {
			out = append(out, all[i])
		}
	}
	return out
}

// parseCountWarnings is SHOW COUNT(*) WARNINGS | ERRORS.
func (s *Session) parseCountWarnings(c *dialect.Parser) adminRun {
	name, errorsOnly := "@@session.warning_count", false
	if c.Accept("ERRORS") {
		name, errorsOnly = "@@session.error_count", true
	} else if !c.Accept("WARNINGS") {
		return failRun(c.Syntax())
	}
	return rowsRun(func(context.Context) (*adminRows, error) {
		return &adminRows{names: []string{name}, types: []byte{mysql.MYSQL_TYPE_LONGLONG}, keepWarnings: true,
			rows: [][]any{{len(s.warningsInOrder(errorsOnly))}}}, nil
	})
}

// logTables are tables of the database mysql that mariadb-dump asks for by name
// and that this server keeps in files.
var logTables = map[string]string{
	"general_log": "CREATE TABLE `general_log` (\n  `event_time` timestamp(6) NOT NULL,\n  `user_host` mediumtext NOT NULL,\n  `thread_id` bigint(21) unsigned NOT NULL,\n  `server_id` int(10) unsigned NOT NULL,\n  `command_type` varchar(64) NOT NULL,\n  `argument` mediumtext NOT NULL\n) ENGINE=CSV DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci COMMENT='General log'",
	"slow_log":    "CREATE TABLE `slow_log` (\n  `start_time` timestamp(6) NOT NULL,\n  `user_host` mediumtext NOT NULL,\n  `query_time` time(6) NOT NULL,\n  `lock_time` time(6) NOT NULL,\n  `rows_sent` int(11) NOT NULL,\n  `rows_examined` int(11) NOT NULL,\n  `db` varchar(512) NOT NULL,\n  `last_insert_id` int(11) NOT NULL,\n  `insert_id` int(11) NOT NULL,\n  `server_id` int(10) unsigned NOT NULL,\n  `sql_text` mediumtext NOT NULL,\n  `thread_id` bigint(21) unsigned NOT NULL,\n  `rows_affected` int(11) NOT NULL\n) ENGINE=CSV DEFAULT CHARSET=utf8mb3 COLLATE=utf8mb3_general_ci COMMENT='Slow log'",
}

// parseDescribe is DESCRIBE table [column | 'pattern'].
func (s *Session) parseDescribe(c *dialect.Parser) adminRun {
	use, ok := tableAt(c)
	if !ok {
		return nil
	}
	if !c.End() {
		pattern := c.Next()
		if !c.End() {
			return nil
		}
		c = &dialect.Parser{SQL: c.SQL, Tokens: []dialect.Token{{Kind: dialect.Word, Text: "LIKE"}, {Kind: dialect.String, Text: pattern.Text}}}
	}
	return s.columnsRun(c, use, false)
}

func emptyRun(names ...string) adminRun {
	return rowsRun(func(context.Context) (*adminRows, error) { return &adminRows{names: names}, nil })
}

// parseShowScoped is SHOW [scope] VARIABLES | STATUS [LIKE | WHERE].
func (s *Session) parseShowScoped(c *dialect.Parser, global bool) adminRun {
	var rows func() [][]any
	switch {
	case c.Accept("VARIABLES"):
		rows = func() [][]any { return s.variableRows(global) }
	case c.Accept("STATUS"):
		rows = func() [][]any {
			var out [][]any
			for _, r := range s.engine.statusRows() {
				out = append(out, []any{r.name, r.value})
			}
			return out
		}
	default:
		return nil
	}
	names := []string{"Variable_name", "Value"}
	keep, err := filterAt(c, names)
	if err != nil {
		return failRun(err)
	}
	return rowsRun(func(context.Context) (*adminRows, error) {
		out := &adminRows{names: names}
		for _, row := range rows() {
			ok, err := keep(row)
			if err != nil {
				return nil, err
			}
			if ok {
				out.rows = append(out.rows, row)
			}
		}
		return out, nil
	})
}

func (s *Session) variableRows(global bool) [][]any {
	var out [][]any
	for _, d := range sysvar.All() {
		if global && d.Scope == sysvar.SessionOnly || d.Name == "transaction_isolation" || d.Name == "transaction_read_only" {
			continue
		}
		v := s.vars.Value(d)
		if global {
			v = s.engine.globals.Value(d)
		}
		text, _ := d.Format(v)
		out = append(out, []any{d.Name, text})
	}
	return out
}

// filterAt parses LIKE 'pattern' or WHERE condition at the end of a SHOW statement.
func filterAt(c *dialect.Parser, names []string) (func(row []any) (bool, error), error) {
	switch {
	case c.End():
		return func([]any) (bool, error) { return true, nil }, nil
	case c.Accept("LIKE"):
		pattern, ok := c.StringLiteral()
		if !ok || !c.End() {
			return nil, c.Syntax()
		}
		return func(row []any) (bool, error) { return likeMatch(fmt.Sprint(row[0]), pattern), nil }, nil
	case c.Accept("WHERE"):
		ast, err := nesting.ParseText("select 1 from dual where " + c.Rest())
		if err != nil {
			return nil, parse.SyntaxError(err, c.SQL)
		}
		expr := ast.(*sqlparser.Select).Where.Expr
		return func(row []any) (bool, error) {
			v, err := evalFilter(expr, names, row)
			return v == "1", err
		}, nil
	}
	return nil, c.Syntax()
}

func (s *Session) showProcessList(ctx context.Context, full bool) *adminRows {
	out := &adminRows{
		names: []string{"Id", "User", "Host", "db", "Command", "Time", "State", "Info", "Progress"},
		types: []byte{mysql.MYSQL_TYPE_LONGLONG, 0, 0, 0, 0, mysql.MYSQL_TYPE_LONG},
	}
	all := s.may(ctx, "PROCESS")
	for _, o := range s.engine.sessions.all() {
		i := o.proc.Info()
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
		if all || i.User == s.info.User {
			out.rows = append(out.rows, p)
		}
	}
	return out
}

func showEngines() *adminRows {
	return &adminRows{
		names: []string{"Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"},
		rows: [][]any{
			{"InnoDB", "DEFAULT", "Duramen's default engine: transactions, row-level locking, foreign keys; its redo log is the binary log", "YES", "NO", "YES"},
			{"ROCKSDB", "YES", "The LSM engine", "YES", "NO", "YES"},
		},
	}
}

func showPlugins() *adminRows {
	out := &adminRows{names: []string{"Name", "Status", "Type", "Library", "License"}}
	for _, p := range [][2]string{
		{"binlog", "STORAGE ENGINE"}, {"mysql_native_password", "AUTHENTICATION"}, {"caching_sha2_password", "AUTHENTICATION"},
		{"InnoDB", "STORAGE ENGINE"}, {"ROCKSDB", "STORAGE ENGINE"},
	} {
		out.rows = append(out.rows, []any{p[0], "ACTIVE", p[1], nil, "Apache-2.0"})
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
