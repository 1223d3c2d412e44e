package query

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// informationSchema is the database information_schema of this server.
func (e *Engine) informationSchema(provider *tables.Provider) *infoschema.Database {
	ofSession := func(rows func(s *Session) [][]any) func(*sql.Context) ([][]any, error) {
		return func(c *sql.Context) ([][]any, error) { return rows(sessionOf(c)), nil }
	}
	variables := func(global bool) func(*Session) [][]any {
		return func(s *Session) [][]any { return upperNames(show(s).variableRows(global)) }
	}
	status := func(s *Session) [][]any {
		var out [][]any
		for _, r := range statusRows(s) {
			out = append(out, []any{r.name, r.value})
		}
		return upperNames(out)
	}
	rows := map[string]func(*sql.Context) ([][]any, error){
		"GLOBAL_VARIABLES":  ofSession(variables(true)),
		"SESSION_VARIABLES": ofSession(variables(false)),
		"GLOBAL_STATUS":     ofSession(status),
		"SESSION_STATUS":    ofSession(status),
		"SYSTEM_VARIABLES":  ofSession((*Session).systemVariableRows),
		"ENGINES":           ofSession(func(*Session) [][]any { return showEngines().rows }),
		"PLUGINS":           ofSession(pluginRows),
		"ALL_PLUGINS":       ofSession(pluginRows),
		"PROCESSLIST":       ofSession(processRows),
		"INNODB_TRX":        innodbRows((*innodbReport).transactions),
		"INNODB_LOCKS":      innodbRows((*innodbReport).locks),
		"INNODB_LOCK_WAITS": innodbRows((*innodbReport).lockWaits),
	}
	for name, of := range account.Tables {
		rows[name] = ofSession(func(s *Session) [][]any { return of(session.AccountsOf(&s.Session).View(e.cfg.Version)) })
	}
	return infoschema.New(&infoschema.Server{
		Catalog: tables.CatalogOf,
		Visible: func(c *sql.Context, db, object string) bool { return sessionOf(c).visible(c, db, object) },
		Stats:   provider.Stats,
		Counter: func(c *sql.Context, t *catalog.Table) uint64 {
			n, err := sessionOf(c).EnsureTxn().PeekAutoIncrement(t)
			if err != nil {
				return 0
			}
			return n
		},
		ViewColumns: func(c *sql.Context, db, view string) []catalog.ColumnDef {
			return sessionOf(c).viewColumns(c, db, view)
		},
		SystemTables: systemTables,
		Zone:         tables.SessionLocation,
		Rows:         rows,
	})
}

// visible reports whether information_schema has anything of a database for the session's user. Rows of
// single objects go through visibleSchema, and through shownTo where SHOW reads them.
func (s *Session) visible(c *sql.Context, db, object string) bool {
	if object != "" {
		return true
	}
	a := s.newAccess()
	return a.May(privilege.ShowDatabases) || a.Visible(db)
}

// shownTo reports whether the user may see a row of a table of information_schema.
func (s *Session) shownTo(c *sql.Context, table string, cols sql.Schema, row sql.Row) bool {
	keep := access.OfSchemaTable(table)
	a := s.newAccess()
	return keep == nil || a.Everything() || keep(a, func(column string) string {
		at := cols.IndexOfColName(column)
		if at < 0 {
			return ""
		}
		return fmt.Sprint(row[at])
	})
}

// maySeeObject reports whether the user may see the definition of an object: a trigger needs TRIGGER on its
// table, an event EVENT. Views are checked with the statement.
func (s *Session) maySeeObject(kind, db, name string) bool {
	a := s.newAccess()
	switch kind {
	case "trigger":
		return a.Table(db, name)&privilege.Trigger != 0
	case "procedure":
		return a.RoutineVisible(db, name, false)
	}
	return a.Database(db)&privilege.Event != 0
}

func upperNames(rows [][]any) [][]any {
	for _, r := range rows {
		if name, ok := r[0].(string); ok {
			r[0] = strings.ToUpper(name)
		}
	}
	return rows
}

// viewColumns are the columns of a view as its query yields them; nil if the query cannot be run,
// because its tables have changed, for example.
func (s *Session) viewColumns(c *sql.Context, db, view string) []catalog.ColumnDef {
	st, _, err := s.parseOne("SELECT * FROM " + dialect.QuoteName(db) + "." + dialect.QuoteName(view) + " LIMIT 0")
	if err != nil {
		return nil
	}
	cols, iter, from, err := s.engine.open(c.WithQuery(st.Text), st, nil)
	if err != nil {
		return nil
	}
	_ = iter.Close(c)
	out := make([]catalog.ColumnDef, 0, len(cols))
	for i, col := range cols {
		plain := *col
		plain.Generated, plain.OnUpdate, plain.PrimaryKey, plain.AutoIncrement, plain.Comment = nil, nil, false, false, ""
		def, err := schema.ColumnToDef(c, &plain, nil, nil)
		if err != nil {
			return nil
		}
		expression := true
		if i < len(from) && from[i].Facts != nil {
			def.SQLType = from[i].Facts.SQLType
			expression = from[i].Facts.Flags&mysql.AUTO_INCREMENT_FLAG != 0
		}
		if expression && !def.Nullable && !def.HasDefault { // as in MariaDB's table of a view's result
			def.HasDefault, def.DefaultLiteral, def.Default = true, true, "''"
			if types.IsNumber(col.Type) {
				def.Default = "0"
			}
		}
		out = append(out, def)
	}
	return out
}

// systemTables are the tables of the database mysql that are listed.
func systemTables() []*catalog.TableDef {
	var out []*catalog.TableDef
	for _, name := range slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(logTables)), infoschema.AccountTables()...))) {
		out = append(out, infoschema.MySQLTable(name))
	}
	return out
}

// systemVariableRows are the rows of SYSTEM_VARIABLES.
func (s *Session) systemVariableRows() [][]any {
	var out [][]any
	for _, d := range sysvar.All() {
		if d.Name == "transaction_isolation" || d.Name == "transaction_read_only" {
			continue
		}
		text := func(v any) any {
			t, null := d.Format(v)
			if null {
				return nil
			}
			return t
		}
		var inSession, inServer any
		origin, scope := "COMPILE-TIME", "GLOBAL"
		if d.Scope != sysvar.Global {
			inSession, scope = text(s.Vars.Value(d)), "SESSION"
		}
		if d.Scope == sysvar.SessionOnly {
			scope = "SESSION ONLY"
		} else if inServer = text(s.engine.Globals.Value(d)); inServer != text(d.Default) {
			origin = "CONFIG"
		}
		low, high := d.Range()
		var members any
		if len(d.Members) > 0 {
			members = strings.Join(d.Members, ",")
		}
		readOnly := "NO"
		if d.ReadOnly {
			readOnly = "YES"
		}
		out = append(out, []any{strings.ToUpper(d.Name), inSession, inServer, origin, text(d.Default), scope, variableTypes[d.Kind], "",
			low, high, nil, members, readOnly, "REQUIRED", nil})
	}
	return out
}

var variableTypes = map[sysvar.Kind]string{
	sysvar.Bool: "BOOLEAN", sysvar.Uint: "BIGINT UNSIGNED", sysvar.Int: "BIGINT", sysvar.Double: "DOUBLE", sysvar.Enum: "ENUM",
	sysvar.Set: "SET", sysvar.FlagSet: "FLAGSET", sysvar.String: "VARCHAR",
}

func pluginRows(s *Session) [][]any {
	var out [][]any
	for _, r := range showPlugins().rows {
		out = append(out, []any{r[0], "1.0", r[1], r[2], "1.0", nil, nil, "Duramen", "", r[4], "ON", "Stable", "1.0"})
	}
	return out
}

// processInfoMax is how many bytes of a statement PROCESSLIST shows; INFO_BINARY takes no more.
const processInfoMax = 65535

// processRows are the rows of PROCESSLIST: what SHOW PROCESSLIST shows the user.
func processRows(s *Session) [][]any {
	var out [][]any
	for _, r := range show(s).showProcessList(true).rows {
		seconds, _ := r[5].(int64)
		if info, ok := r[7].(string); ok {
			r[7] = info[:min(len(info), processInfoMax)]
		}
		out = append(out, []any{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], float64(seconds) * float64(time.Second/time.Millisecond),
			0, 0, 0, 0, 0, 0, r[0], r[7], 0})
	}
	return out
}
