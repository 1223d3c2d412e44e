package info

import (
	"unicode/utf8"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// Lengths of names, in characters.
const (
	userLength     = 384 // user@host
	roleLength     = 128
	databaseLength = 64
)

var session = []eval.Def{
	{Name: "USER", Bind: name("user", "USER", userLength)},
	{Name: "SESSION_USER", Bind: name("session_user", "SESSION_USER", userLength)},
	{Name: "SYSTEM_USER", Bind: name("user", "USER", userLength)},
	{Name: "CURRENT_USER", Bind: name("current_user", "CURRENT_USER", userLength)},
	{Name: "CURRENT_ROLE", Bind: name("current_role", "CURRENT_ROLE", roleLength)},
	{Name: "DATABASE", Bind: name("database", "DATABASE", databaseLength)},
	{Name: "SCHEMA", Bind: name("database", "DATABASE", databaseLength)},
	{Name: "VERSION", Bind: version},
	{Name: "CONNECTION_ID", Bind: counter("connection_id", "CONNECTION_ID", unsignedInt(10))},
	{Name: "ROWNUM", Bind: rowNumber},
	{Name: "FOUND_ROWS", Bind: counter("found_rows", "FOUND_ROWS", types.BigintType(21, false))},
	{Name: "ROW_COUNT", Bind: counter("row_count", "ROW_COUNT", types.BigintType(21, false))},
	{Name: "LAST_INSERT_ID", Max: 1, Bind: lastInsertID},
	{Name: "BENCHMARK", Min: 2, Max: 2, Bind: benchmark},
}

func unsignedInt(length uint32) types.Type {
	t := types.LongType(length)
	t.Unsigned = true
	return t
}

// systemText is the type of what the server says of itself.
func systemText(length uint64) types.Type {
	return types.StringType(length, system, charset.SysConst, false)
}

func name(printed, what string, length uint64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
		return eval.New(printed, systemText(length).OrNull(), func(f *eval.Frame) ([]byte, bool) {
			v, t := f.Session.Info(what)
			return v.Text, v.Null || t.Kind == types.Null
		}).With(eval.Session), nil
	}
}

// version has the length of the version that there is.
func version(b *eval.Builder, _ []*eval.Expr) (*eval.Expr, error) {
	v, _ := b.Scratch.Session.Info("VERSION")
	t := systemText(uint64(utf8.RuneCount(v.Text)))
	return eval.New("version", t, func(f *eval.Frame) ([]byte, bool) {
		v, t := f.Session.Info("VERSION")
		return v.Text, v.Null || t.Kind == types.Null
	}).With(eval.Session), nil
}

func counter(printed, what string, t types.Type) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
		return eval.New(printed, t, func(f *eval.Frame) (int64, bool) {
			v, t := f.Session.Info(what)
			return v.Int, v.Null || t.Kind == types.Null
		}).With(eval.Session), nil
	}
}

// lastInsertID is LAST_INSERT_ID(), and LAST_INSERT_ID(x), which sets it: to 0 for NULL.
func lastInsertID(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	if len(args) == 0 {
		return counter("last_insert_id", "LAST_INSERT_ID", types.BigintType(21, true))(b, args)
	}
	x := b.ToInt(args[0])
	id := eval.Of[int64](x)
	t := types.BigintType(uint32(byteLength(args[0])), true).NullIf(args[0].Type)
	return eval.New("last_insert_id", t, func(f *eval.Frame) (int64, bool) {
		n, null := id(f)
		if null {
			n = 0
		}
		if _, failed := do(f, "LAST_INSERT_ID", types.Value{Int: n}); failed {
			return 0, true
		}
		return n, null
	}, x).With(eval.Volatile | eval.Session), nil
}

// benchmarkStep is how many computations there are between two questions whether the statement is to end.
const benchmarkStep = 256

// benchmark is BENCHMARK(count, x): x is computed so often, and forgotten.
func benchmark(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	n, x := b.ToInt(args[0]), args[1]
	count, unsigned := eval.Of[int64](n), n.Type.Unsigned
	return eval.New("benchmark", types.LongType(1), func(f *eval.Frame) (int64, bool) {
		n, null := count(f)
		if null {
			return 0, true
		}
		if n < 0 && !unsigned {
			f.Warn(mysqlerr.WrongValueForType, "count", n, "benchmark")
			return 0, true
		}
		for i := range uint64(n) {
			if i%benchmarkStep == 0 && interrupted(f) {
				return 0, true
			}
			x.Compute(f)
			if f.Failed() {
				return 0, true
			}
		}
		return 0, false
	}, n, x).With(eval.Volatile), nil
}

// rowNumber is ROWNUM().
func rowNumber(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	t := types.BigintType(21, true)
	t.Nullable = true
	return eval.New("rownum", t, eval.Func[int64](func(f *eval.Frame) (int64, bool) { return int64(f.Accepted), false })).With(eval.Volatile | eval.Moving), nil
}
