package gms

import (
	"context"
	"io"

	sqle "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/sirupsen/logrus"

	"github.com/duramendb/duramen/query/gms/compare"
	"github.com/duramendb/duramen/query/gms/exec"
	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/gms/semantics"
	"github.com/duramendb/duramen/query/gms/setop"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/process"
	"github.com/duramendb/duramen/query/serverfile"
	"github.com/duramendb/duramen/query/session"
)

// Engine plans and runs the statements of all sessions of a server by go-mysql-server.
type Engine struct {
	*session.Server
	gms     *sqle.Engine
	gmsLog  *logrus.Entry // go-mysql-server's logger: silent, errors are returned
	address string
	config  Config
	Waits   gtidWaits
	// infoSchema is information_schema, which many SHOW statements read.
	infoSchema *infoschema.Database
	tables     *tables.Provider
}

// Config is what the engine knows of the server that it is part of.
type Config struct {
	// Version is what VERSION() says.
	Version string
	// Files says which files of the server SQL may read and write.
	Files serverfile.Policy
	// Kill ends the running statement of a session, and its connection unless queryOnly; false if there is no such session.
	Kill func(id uint32, queryOnly bool) bool
	// Processes are the connections.
	Processes func() []process.Info
	// Rows are those of tables of information_schema that are about the server, by the tables' names.
	Rows map[string]func(*session.Session) ([][]any, error)
	// WaitPlace waits until a connection has executed its primary's log up to a place; moves is how often that place moved meanwhile, ok is false if it does not
	// come. The errors are that of ctx, and 1617 for a connection that is not there.
	WaitPlace func(ctx context.Context, connection, file string, pos uint64) (moves int64, ok bool, err error)
}

// New makes the engine of a server.
func New(on *session.Server, config Config) *Engine {
	silent := logrus.New()
	silent.SetOutput(io.Discard)
	silent.SetLevel(logrus.PanicLevel)
	e := &Engine{Server: on, gmsLog: logrus.NewEntry(silent), address: "127.0.0.1", config: config}
	databases := tables.NewProvider(on.Engines)
	e.tables = databases
	builder := analyzer.NewBuilder(&provider{Provider: databases, functions: e.functions()})
	a := builder.AddOverrides(e.overrides()).Build()
	e.infoSchema = e.informationSchema(databases)
	a.Catalog.InfoSchema = e.infoSchema
	e.gms = sqle.New(a, &sqle.Config{})
	e.setUpAuthorization()
	a.Runner = nestedRunner{}
	a.ExecBuilder.Runner = nestedRunner{}
	meaning := semantics.Install(a)
	compare.Install(a)
	setop.Install(a)
	exec.Install(a, meaning, &bodyBuilder{base: a.ExecBuilder})
	return e
}

// GMS is the engine of go-mysql-server below.
func (e *Engine) GMS() *sqle.Engine { return e.gms }

// Close ends what runs in the background.
func (e *Engine) Close() error { return e.gms.BackgroundThreads.Shutdown() }
