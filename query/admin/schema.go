package admin

import (
	"strings"
	"time"

	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// SchemaRows are the rows of tables of information_schema that are about the server.
func (e *Server) SchemaRows() map[string]func(*session.Session) ([][]any, error) {
	plain := func(rows func(*session.Session) [][]any) func(*session.Session) ([][]any, error) {
		return func(s *session.Session) ([][]any, error) { return rows(s), nil }
	}
	variables := func(global bool) func(*session.Session) [][]any {
		return func(s *session.Session) [][]any { return upperNames(variableRows(s, global)) }
	}
	status := func(s *session.Session) [][]any { return upperNames(e.statusRows(s)) }
	plugins := func(*session.Session) [][]any { return e.pluginRows() }
	rows := map[string]func(*session.Session) ([][]any, error){
		"GLOBAL_VARIABLES":  plain(variables(true)),
		"SESSION_VARIABLES": plain(variables(false)),
		"GLOBAL_STATUS":     plain(status),
		"SESSION_STATUS":    plain(status),
		"SYSTEM_VARIABLES":  plain(systemVariableRows),
		"ENGINES":           plain(func(s *session.Session) [][]any { return showEngines(s).rows }),
		"PLUGINS":           plain(plugins),
		"ALL_PLUGINS":       plain(plugins),
		"PROCESSLIST":       plain(e.processRows),
		"INNODB_TRX":        e.innodbRows((*innodbReport).transactions),
		"INNODB_LOCKS":      e.innodbRows((*innodbReport).locks),
		"INNODB_LOCK_WAITS": e.innodbRows((*innodbReport).lockWaits),
	}
	for name, of := range infoschema.InnoDB {
		rows[name] = e.innodbRows(func(*innodbReport) [][]any { return of })
	}
	return rows
}

func upperNames(rows [][]any) [][]any {
	for _, r := range rows {
		if name, ok := r[0].(string); ok {
			r[0] = strings.ToUpper(name)
		}
	}
	return rows
}

// systemVariableRows are the rows of SYSTEM_VARIABLES.
func systemVariableRows(s *session.Session) [][]any {
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
		} else if inServer = text(s.Server.Globals.Value(d)); inServer != text(d.Default) {
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
	sysvar.Name: "VARCHAR",
}

// processInfoMax is how many bytes of a statement PROCESSLIST shows; INFO_BINARY takes no more.
const processInfoMax = 65535

// processRows are the rows of PROCESSLIST: what SHOW PROCESSLIST shows the user.
func (e *Server) processRows(s *session.Session) [][]any {
	var out [][]any
	for _, r := range e.processList(s, true).rows {
		seconds, _ := r[5].(int64)
		if info, ok := r[7].(string); ok {
			r[7] = info[:min(len(info), processInfoMax)]
		}
		out = append(out, []any{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], float64(seconds) * float64(time.Second/time.Millisecond),
			0, 0, 0, 0, 0, 0, r[0], r[7], 0})
	}
	return out
}
