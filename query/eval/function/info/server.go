package info

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// What the server makes: identifiers, and waiting for replication.
var servers = []eval.Def{
	{Name: "UUID", Bind: uuid("uuid", "UUID", types.Char, uuidLength)},
	{Name: "SYS_GUID", Bind: uuid("sys_guid", "SYS_GUID", types.Varchar, guidLength)},
	{Name: "UUID_SHORT", Bind: uuidShort},
	{Name: "MASTER_POS_WAIT", Min: 2, Max: 4, Bind: positionWait},
	{Name: "BINLOG_GTID_POS", Min: 2, Max: 2, Bind: gtidPosition},
	{Name: "MASTER_GTID_WAIT", Min: 1, Max: 2, Bind: gtidWait},
}

// Lengths of a UUID with its dashes and without.
const (
	uuidLength = 36
	guidLength = 32
)

func uuid(name, what string, kind types.Kind, length uint64) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
		t := types.StringType(length, setNamed("latin1").Default(), charset.Numeric, true).OrNull()
		t.Kind = kind
		return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
			v, null := do(f, what)
			return v.Text, null
		}).With(eval.Volatile), nil
	}
}

func uuidShort(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return eval.New("uuid_short", types.BigintType(21, true), func(f *eval.Frame) (int64, bool) {
		v, null := do(f, "UUID_SHORT")
		return v.Int, null
	}).With(eval.Volatile), nil
}

// positionWait gives the session the file, the position, the seconds (0 if they are not written: no end) and the connection's name.
func positionWait(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	file, position := b.ToText(args[0]), b.ToInt(args[1])
	kept := []*eval.Expr{file, position}
	if len(args) > 2 {
		kept = append(kept, b.ToFloat(args[2]))
	}
	if len(args) > 3 {
		kept = append(kept, b.ToText(args[3]))
	}
	return eval.New("master_pos_wait", types.BigintType(21, false).OrNull(), func(f *eval.Frame) (int64, bool) {
		v, null := doComputed(f, "MASTER_POS_WAIT", kept)
		return v.Int, null
	}, kept...).With(eval.Volatile | eval.Session), nil
}

// gtidWait gives the session the GTID position, and the seconds if they are written.
func gtidWait(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	kept := []*eval.Expr{b.ToText(args[0])}
	if len(args) > 1 {
		kept = append(kept, b.ToFloat(args[1]))
	}
	return eval.New("master_gtid_wait", types.LongType(2).NullIf(args[0].Type), func(f *eval.Frame) (int64, bool) {
		v, null := doComputed(f, "MASTER_GTID_WAIT", kept)
		return v.Int, null
	}, kept...).With(eval.Volatile | eval.Session), nil
}

// gtidPosition gives the session a file of the binary log and an offset in it.
func gtidPosition(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	file, offset := b.ToText(args[0]), b.ToInt(args[1])
	position := eval.Of[int64](offset)
	return eval.Map1("binlog_gtid_pos", longText(system, charset.Coercible), func(f *eval.Frame, file []byte) ([]byte, bool) {
		at, null := position(f)
		if null || f.Failed() {
			return nil, true
		}
		v, null := do(f, "BINLOG_GTID_POS", types.Value{Text: file}, types.Value{Int: at})
		return v.Text, null
	}, file).With(eval.Volatile | eval.Session), nil
}

// doComputed asks the session with arguments of this row. If the first is NULL, so is the answer.
func doComputed(f *eval.Frame, what string, args []*eval.Expr) (types.Value, bool) {
	values := make([]types.Value, len(args))
	for i, x := range args {
		values[i] = x.Compute(f)
	}
	if values[0].Null || f.Failed() {
		return types.Value{}, true
	}
	return do(f, what, values...)
}
