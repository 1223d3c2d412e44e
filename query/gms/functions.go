package gms

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/google/uuid"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/gms/evalcall"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// provider is the database provider with MariaDB's functions, which go before
// go-mysql-server's of the same name.
type provider struct {
	*tables.Provider
	functions map[string]sql.Function
}

var _ sql.FunctionProvider = (*provider)(nil)

// Database implements sql.DatabaseProvider.
func (p *provider) Database(c *sql.Context, name string) (sql.Database, error) {
	if isSystemDatabase(name) {
		return systemDatabase{}, nil
	}
	return p.Provider.Database(c, name)
}

// HasDatabase implements sql.DatabaseProvider.
func (p *provider) HasDatabase(c *sql.Context, name string) bool {
	return isSystemDatabase(name) || p.Provider.HasDatabase(c, name)
}

// AllDatabases implements sql.DatabaseProvider.
func (p *provider) AllDatabases(c *sql.Context) []sql.Database {
	return append(p.Provider.AllDatabases(c), systemDatabase{})
}

// DropDatabase implements sql.MutableDatabaseProvider.
func (p *provider) DropDatabase(c *sql.Context, name string) error {
	if isSystemDatabase(name) {
		return errSystemTable
	}
	return p.Provider.DropDatabase(c, name)
}

// systemDatabase is the database mysql to go-mysql-server: what reads its tables has been directed to information_schema
// (serveSystemTables), so that there are none in it.
type systemDatabase struct{}

var _ sql.Database = systemDatabase{}

// Name implements sql.Nameable.
func (systemDatabase) Name() string { return "mysql" }

// GetTableInsensitive implements sql.Database.
func (systemDatabase) GetTableInsensitive(*sql.Context, string) (sql.Table, bool, error) {
	return nil, false, nil
}

// GetTableNames implements sql.Database.
func (systemDatabase) GetTableNames(*sql.Context) ([]string, error) { return nil, nil }

// Function implements sql.FunctionProvider.
func (p *provider) Function(_ *sql.Context, _, name string) (sql.Function, bool) {
	f, ok := p.functions[strings.ToLower(name)]
	return f, ok
}

// functions are those that MariaDB has and go-mysql-server lacks or does differently.
func (e *Engine) functions() map[string]sql.Function {
	text, number := types.LongText, types.Int64
	null := func(*sql.Context, []any) (any, error) { return nil, nil }
	client := func(c *sql.Context, _ []any) (any, error) {
		s := sessionOf(c)
		return s.Info.User + "@" + s.Info.Host, nil
	}
	list := []*function.Native{
		{Name: "version", Typ: text, Call: func(*sql.Context, []any) (any, error) { return e.config.Version, nil }},
		{Name: "user", Typ: text, Call: client},
		{Name: "session_user", Typ: text, Call: client},
		{Name: "system_user", Typ: text, Call: client},
		{Name: "current_role", Typ: text, Call: func(c *sql.Context, _ []any) (any, error) { return sessionOf(c).currentRole(), nil }},
		{Name: "binlog_gtid_pos", MinArgs: 2, MaxArgs: 2, Typ: text, Call: e.binlogGTIDPos},
		{Name: "master_gtid_wait", MinArgs: 1, MaxArgs: 2, Typ: number, Call: e.masterGTIDWait},
		{Name: "master_pos_wait", MinArgs: 2, MaxArgs: 4, Typ: number, Call: masterPosWait},
		{Name: "decode_histogram", MinArgs: 2, MaxArgs: 2, Typ: text, Call: null},
		{Name: parse.NativeHash, MinArgs: 1, MaxArgs: 1, Typ: text, Call: func(_ *sql.Context, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return account.NativeHash(fmt.Sprint(args[0])), nil
		}},
		{Name: "load_file", MinArgs: 1, MaxArgs: 1, Typ: types.LongBlob, Call: e.loadFile},
		{Name: "lengthb", MinArgs: 1, MaxArgs: 1, Typ: number, Call: func(_ *sql.Context, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return int64(len(fmt.Sprint(args[0]))), nil
		}},
		{Name: "uuid_short", Typ: types.Uint64, Call: func(c *sql.Context, _ []any) (any, error) {
			return sessionOf(c).Server.ShortID(), nil // one counter, whoever runs the statement
		}},
		{Name: "sys_guid", Typ: text, Call: func(*sql.Context, []any) (any, error) {
			id := uuid.New()
			return strings.ToUpper(hex.EncodeToString(id[:])), nil
		}},
	}
	out := function.All()
	maps.Copy(out, evalcall.Functions())
	out["nvl"] = sql.Function2{Name: "nvl", Fn: fn.NewIfNull}
	out["current_user"] = currentUserFunction()
	for _, f := range append(list, e.lockFunctions()...) {
		out[f.Name] = f.Register()
	}
	return out
}

// currentUserFunction is CURRENT_USER(). In the definition of a view it is the view's definer, whoever asks.
func currentUserFunction() sql.Function {
	f := &function.Native{Name: "current_user", Typ: types.LongText}
	f.Call = func(c *sql.Context, _ []any) (any, error) { return sessionOf(c).AccountName(), nil }
	return sql.FunctionN{Name: f.Name, Fn: func(c *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) > 0 {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, "CURRENT_USER")
		}
		own := *f
		if s := sessionOf(c); s != nil && s.Authority.InView() {
			name := s.AccountName()
			own.Call = func(*sql.Context, []any) (any, error) { return name, nil }
		}
		return &own, nil
	}}
}

// currentRole is CURRENT_ROLE(), NULL for none.
func (s *Session) currentRole() any {
	if role := s.Authority.Subject().Role; role != "" {
		return role
	}
	return nil
}

// binlogGTIDPos is BINLOG_GTID_POS(file, offset): NULL for a place that is not in the log.
func (e *Engine) binlogGTIDPos(c *sql.Context, args []any) (any, error) {
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	offset, _, err := types.Uint64.Convert(context.Background(), args[1])
	if err != nil {
		return nil, nil //nolint:nilerr // as MariaDB: NULL
	}
	if pos, ok := sessionOf(c).Kept().GTIDPosAt(fmt.Sprint(args[0]), offset.(uint64)); ok {
		return pos, nil
	}
	return nil, nil
}

// GTIDPosAt is the position in GTIDs at a place in the log, the empty one without a file; false for a place that is not in the log.
func (k Kept) GTIDPosAt(file string, offset uint64) (string, bool) {
	if file == "" {
		return "", true
	}
	log := k.s.engine.Store.Log()
	n, ok := log.SegmentByName(file)
	if !ok {
		return "", false
	}
	pos, err := log.GTIDPosAt(logpos.At(n, offset))
	if err != nil {
		return "", false
	}
	return pos.String(), true
}
