package gms

import (
	"context"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/gms/nesting"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// overrides are what go-mysql-server does differently for MariaDB.
func (e *Engine) overrides() sql.EngineOverrides {
	return sql.EngineOverrides{Builder: sql.BuilderOverrides{Parser: &nesting.Parser{Begin: countText, Parsed: parsedForPlan}}}
}

// parsedForPlan changes what go-mysql-server has parsed while it plans a statement: views, triggers, routines.
func parsedForPlan(ast sqlparser.Statement, text string) {
	parse.QualifyTrigger(ast)
	parse.SearchedCases(ast)
	parse.SelectedValues(ast)
	parse.SetsNoColumn(ast)
	parse.NameItems(ast, text)
	parse.FirstQueries(ast)
	parse.PlainJSON(ast)
	computed.Rewrite(ast)
	serveSystemTables(ast, text, "")
}

// loadInfile fetches a file from the client, for LOAD DATA LOCAL INFILE.
func (s *Session) loadInfile(ctx context.Context, r *running, name string) (io.ReadCloser, error) {
	local := true
	if r.st != nil {
		if load, ok := r.st.AST.(*sqlparser.Load); ok {
			local = bool(load.Local)
		}
	}
	return s.openLoaded(ctx, r.sink, local, name)
}

// openLoaded opens a file of the server, or asks the client for one.
func (s *Session) openLoaded(ctx context.Context, to result.Sink, local bool, name string) (io.ReadCloser, error) {
	if !local {
		if r := s.Replicated; r != nil {
			if r.File == nil {
				return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "LOAD DATA of a file that is not in the log")
			}
			return r.File()
		}
		return s.openServerFile(name)
	}
	if !s.engine.Globals.On("local_infile") || s.Info.Capabilities&mysql.CLIENT_LOCAL_FILES == 0 {
		return nil, mysqlerr.New(mysqlerr.NotAllowedCommand)
	}
	sink, ok := to.(result.LocalInfileSink)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.NotSupportedYet, "LOAD DATA LOCAL INFILE")
	}
	return sink.LocalInfile(ctx, name)
}
