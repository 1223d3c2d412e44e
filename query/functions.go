package query

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
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/tables"
)

// function is a SQL function that is written in Go: arguments are evaluated and
// given to call, which must not keep them.
type function struct {
	name    string
	minArgs int
	maxArgs int
	typ     sql.Type
	args    []sql.Expression
	call    func(ctx *sql.Context, args []any) (any, error)
}

var _ sql.FunctionExpression = (*function)(nil)

func (f *function) register() sql.Function {
	return sql.FunctionN{Name: f.name, Fn: func(_ *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) < f.minArgs || len(args) > f.maxArgs {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, strings.ToUpper(f.name))
		}
		own := *f
		own.args = args
		return &own, nil
	}}
}

// FunctionName implements sql.FunctionExpression.
func (f *function) FunctionName() string { return f.name }

// Description implements sql.FunctionExpression.
func (f *function) Description() string { return f.name }

// Resolved implements sql.Expression.
func (f *function) Resolved() bool {
	for _, a := range f.args {
		if !a.Resolved() {
			return false
		}
	}
	return true
}

// String implements sql.Expression.
func (f *function) String() string {
	parts := make([]string, len(f.args))
	for i, a := range f.args {
		parts[i] = a.String()
	}
	return f.name + "(" + strings.Join(parts, ",") + ")"
}

// Type implements sql.Expression.
func (f *function) Type(*sql.Context) sql.Type { return f.typ }

// IsNullable implements sql.Expression.
func (f *function) IsNullable(*sql.Context) bool { return true }

// Children implements sql.Expression.
func (f *function) Children() []sql.Expression { return f.args }

// WithChildren implements sql.Expression.
func (f *function) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	own := *f
	own.args = children
	return &own, nil
}

// IsNonDeterministic keeps the planner from evaluating the function early.
func (f *function) IsNonDeterministic() bool { return true }

// Eval implements sql.Expression.
func (f *function) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	args := make([]any, len(f.args))
	for i, a := range f.args {
		v, err := a.Eval(ctx, row)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	return f.call(ctx, args)
}

// provider is the database provider with MariaDB's functions, which go before
// go-mysql-server's of the same name.
type provider struct {
	*tables.Provider
	functions map[string]sql.Function
}

var _ sql.FunctionProvider = (*provider)(nil)

// Function implements sql.FunctionProvider.
func (p *provider) Function(_ *sql.Context, _, name string) (sql.Function, bool) {
	f, ok := p.functions[strings.ToLower(name)]
	return f, ok
}

// nativeHashFunction is the name under which PASSWORD() is registered.
const nativeHashFunction = "native_password_hash"

// functions are those that MariaDB has and go-mysql-server lacks or does differently.
func (e *Engine) functions() map[string]sql.Function {
	text, number := types.LongText, types.Int64
	null := func(*sql.Context, []any) (any, error) { return nil, nil }
	client := func(c *sql.Context, _ []any) (any, error) {
		s := sessionOf(c)
		return s.info.User + "@" + s.info.Host, nil
	}
	list := []*function{
		{name: "version", typ: text, call: func(*sql.Context, []any) (any, error) { return e.cfg.Version, nil }},
		{name: "user", typ: text, call: client},
		{name: "session_user", typ: text, call: client},
		{name: "system_user", typ: text, call: client},
		{name: "current_role", typ: text, call: func(c *sql.Context, _ []any) (any, error) { return sessionOf(c).currentRole(), nil }},
		{name: "binlog_gtid_pos", minArgs: 2, maxArgs: 2, typ: text, call: e.binlogGTIDPos},
		{name: "master_gtid_wait", minArgs: 1, maxArgs: 2, typ: number, call: e.masterGTIDWait},
		{name: "master_pos_wait", minArgs: 2, maxArgs: 4, typ: number, call: masterPosWait},
		{name: "decode_histogram", minArgs: 2, maxArgs: 2, typ: text, call: null},
		{name: nativeHashFunction, minArgs: 1, maxArgs: 1, typ: text, call: func(_ *sql.Context, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return nativeHash(fmt.Sprint(args[0])), nil
		}},
		{name: "load_file", minArgs: 1, maxArgs: 1, typ: types.LongBlob, call: e.loadFile},
		{name: "lengthb", minArgs: 1, maxArgs: 1, typ: number, call: func(_ *sql.Context, args []any) (any, error) {
			if args[0] == nil {
				return nil, nil
			}
			return int64(len(fmt.Sprint(args[0]))), nil
		}},
		{name: "sys_guid", typ: text, call: func(*sql.Context, []any) (any, error) {
			id := uuid.New()
			return strings.ToUpper(hex.EncodeToString(id[:])), nil
		}},
	}
	out := map[string]sql.Function{
		"nvl": sql.Function2{Name: "nvl", Fn: fn.NewIfNull},
	}
	out["current_user"] = currentUserFunction()
	out["benchmark"] = benchmarkFunction()
	maps.Copy(out, checkedFunctions())
	for name, f := range boundedFunctions() {
		out[name] = f
	}
	for _, f := range append(list, e.lockFunctions()...) {
		out[f.name] = f.register()
	}
	for _, f := range exactSumFunctions() {
		out[f.FunctionName()] = f
	}
	maps.Copy(out, varianceFunctions())
	maps.Copy(out, guardedGeometry())
	return out
}

// currentUserFunction is CURRENT_USER(). In the definition of a view it is the view's definer, whoever asks.
func currentUserFunction() sql.Function {
	f := &function{name: "current_user", typ: types.LongText}
	f.call = func(c *sql.Context, _ []any) (any, error) { return sessionOf(c).accountName(), nil }
	return sql.FunctionN{Name: f.name, Fn: func(c *sql.Context, args ...sql.Expression) (sql.Expression, error) {
		if len(args) > 0 {
			return nil, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, "CURRENT_USER")
		}
		own := *f
		if s := sessionOf(c); s != nil && len(s.privs.views) > 0 {
			name := s.accountName()
			own.call = func(*sql.Context, []any) (any, error) { return name, nil }
		}
		return &own, nil
	}}
}

// accountName is whose privileges count, user@host as in mysql.user: the account that the session's
// user matched, or in a body the definer's.
func (s *Session) accountName() string {
	n := s.subject().Account
	return n.User + "@" + n.Host
}

// currentRole is CURRENT_ROLE(), NULL for none.
func (s *Session) currentRole() any {
	if role := s.subject().Role; role != "" {
		return role
	}
	return nil
}

// binlogGTIDPos is BINLOG_GTID_POS(file, offset): NULL for a place that is not in the log.
func (e *Engine) binlogGTIDPos(_ *sql.Context, args []any) (any, error) {
	if args[0] == nil || args[1] == nil {
		return nil, nil
	}
	if args[0] == "" {
		return "", nil
	}
	n, ok := e.store.Log().SegmentByName(fmt.Sprint(args[0]))
	if !ok {
		return nil, nil
	}
	offset, _, err := types.Uint64.Convert(context.Background(), args[1])
	if err != nil {
		return nil, nil //nolint:nilerr // as MariaDB: NULL
	}
	pos, err := e.store.Log().GTIDPosAt(logpos.At(n, offset.(uint64)))
	if err != nil {
		return nil, nil //nolint:nilerr // as MariaDB: NULL
	}
	return pos.String(), nil
}
