package admin

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/store"
)

// showEngines is SHOW ENGINES: the one that default_storage_engine names is the session's.
func showEngines(s *session.Session) *adminRows {
	out := &adminRows{names: []string{"Engine", "Support", "Comment", "Transactions", "XA", "Savepoints"}}
	byDefault := s.Vars.Str("default_storage_engine")
	for _, e := range s.Server.Engines.All() {
		support := "YES"
		if e.Name == byDefault {
			support = "DEFAULT"
		}
		out.rows = append(out.rows, []any{e.Name, support, e.Comment, "YES", "NO", "YES"})
	}
	return out
}

// showEngine is SHOW ENGINE.
func (s showing) showEngine(st dialect.ShowEngine, now time.Time) (*adminRows, error) {
	all := s.Server.Engines.All()
	if st.Engine != "" {
		all = nil
		if e := s.Server.Engines.Named(st.Engine); e != nil {
			all = []*engines.Engine{e}
		} else if _, ok := s.Server.Engines.Replaced(st.Engine); !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownStorageEngine, st.Engine)
		}
	}
	out := noRows("Type", "Name", "Status")
	if st.What != "STATUS" {
		return out, nil
	}
	for _, e := range all {
		text := s.Engine.engineReport(e)
		if e.Name == engines.InnoDB {
			text = s.Engine.innodbStatus(now)
		}
		out.rows = append(out.rows, []any{e.Name, "", text})
	}
	return out, nil
}

// engineReport tells how far an engine is in the log, and what it takes.
func (e *Server) engineReport(of *engines.Engine) string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-22s"+format+"\n", append([]any{name}, args...)...)
	}
	states := e.Store.EngineStates()
	st := states[slices.IndexFunc(states, func(s store.EngineState) bool { return s.Name == of.Stored.Name() })]
	place := func(m engine.Mark) string {
		return m.Position.In(e.Store.Log().Basename()) + ", GTID " + cmp.Or(m.GTIDState, "none")
	}
	line("Log end", "%s", e.Store.Log().End().In(e.Store.Log().Basename()))
	line("Applied up to", "%s", place(st.Applied))
	if st.Volatile {
		line("Durable", "nothing: a restart empties the tables")
	} else {
		line("Durable up to", "%s", place(st.Durable))
		line("Log to recover from", "%d bytes", st.LagBytes)
	}
	tables, rows, indexes := e.sizes(of)
	line("Tables", "%d", tables)
	line("Rows", "%d bytes", rows)
	line("Indexes", "%d bytes", indexes)
	if st.Volatile {
		return b.String()
	}
	line("Files", "%d bytes", st.DiskBytes)
	line("Not durable yet", "%d bytes of memory", st.PendingBytes)
	line("Written to files", "%d bytes", st.WrittenBytes)
	line("Checkpoints", "%d, which took %s", st.Checkpoints, st.CheckpointTime.Round(time.Millisecond))
	return b.String()
}

// sizes are what the tables of an engine take, by the engine's estimate.
func (e *Server) sizes(of *engines.Engine) (tables int, rows, indexes uint64) {
	for _, t := range e.Store.Catalog().Current().AllTables() {
		if e.Engines.Of(t.Def.Engine).Stored != of.Stored {
			continue
		}
		tables++
		r, i := of.TableSize(t)
		rows, indexes = rows+r, indexes+i
	}
	return tables, rows, indexes
}

// showPlugins is SHOW PLUGINS.
func (e *Server) showPlugins() *adminRows {
	out := &adminRows{names: []string{"Name", "Status", "Type", "Library", "License"}}
	for _, p := range e.plugins() {
		out.rows = append(out.rows, []any{p.name, "ACTIVE", p.kind, nil, "Apache-2.0"})
	}
	return out
}

// plugin is what MariaDB would have as a plugin.
type plugin struct{ name, kind, comment string }

func (e *Server) plugins() []plugin {
	out := []plugin{{"binlog", "STORAGE ENGINE", ""}, {"mysql_native_password", "AUTHENTICATION", ""}, {"caching_sha2_password", "AUTHENTICATION", ""}}
	for _, x := range e.Engines.All() {
		out = append(out, plugin{x.Name, "STORAGE ENGINE", x.Comment})
	}
	return out
}

// pluginRows are the rows of PLUGINS.
func (e *Server) pluginRows() [][]any {
	var out [][]any
	for _, p := range e.plugins() {
		out = append(out, []any{p.name, "1.0", "ACTIVE", p.kind, "1.0", nil, nil, "Duramen", p.comment, "Apache-2.0", "ON", "Stable", "1.0"})
	}
	return out
}
