package admin

import (
	"context"
	"errors"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/sysvar"
)

// notForStatement are the variables that SET STATEMENT refuses.
var notForStatement = map[string]bool{
	"autocommit": true, "character_set_client": true, "character_set_connection": true, "character_set_filesystem": true, "collation_connection": true,
	"interactive_timeout": true, "profiling": true, "profiling_history_size": true, "query_cache_type": true, "skip_replication": true, "sql_log_off": true,
	"tx_isolation": true, "wait_timeout": true,
}

// setStatement is SET STATEMENT ... FOR.
func (s Session) setStatement(ctx context.Context, st dialect.SetStatement, sink result.Sink) error {
	type saved struct {
		d *sysvar.Def
		v any
	}
	var old []saved
	for _, name := range st.Variables {
		d, ok := sysvar.Lookup(name)
		if !ok {
			return mysqlerr.New(mysqlerr.UnknownSystemVariable, name)
		}
		if notForStatement[d.Name] {
			return mysqlerr.New(mysqlerr.SetStatementNotSupported, d.Name)
		}
		if d.Scope == sysvar.Global {
			return mysqlerr.New(mysqlerr.GlobalVariable, name)
		}
		old = append(old, saved{d, s.Vars.Stored(d)})
	}
	defer func() {
		for _, o := range old {
			s.Vars.Store(o.d, o.v)
		}
	}()
	if _, err := s.Statements.ExecuteFirst(ctx, "SET SESSION "+st.Assignments, discardSink{}); err != nil {
		return err
	}
	rest, err := s.Statements.ExecuteFirst(ctx, st.Statement, sink)
	if err == nil && rest != "" {
		err = parse.SyntaxError(errors.New("one statement expected"), rest)
	}
	return err
}

// discardSink takes results that nobody wants.
type discardSink struct{}

func (discardSink) Columns([]result.Column) error { return nil }
func (discardSink) Row(result.Row) error          { return nil }
func (discardSink) EndRows(result.Status) error   { return nil }
func (discardSink) OK(result.OK) error            { return nil }
