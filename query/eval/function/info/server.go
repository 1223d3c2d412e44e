package info

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// What the server makes: identifiers, and waiting for replication.
var servers = []eval.Def{
	{Name: "UUID", Bind: uuid},
	{Name: "SYS_GUID", Bind: guid},
	{Name: "UUID_SHORT", Bind: uuidShort},
	{Name: "MASTER_POS_WAIT", Min: 2, Max: 4, Bind: positionWait},
	{Name: "BINLOG_GTID_POS", Min: 2, Max: 2, Bind: gtidPosition},
	{Name: "MASTER_GTID_WAIT", Min: 1, Max: 2, Bind: gtidWait},
}

func uuid(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	t := eval.AddressType(types.UUID).OrNull()
	t.Unsigned, t.Decimals = false, types.NotFixedText // as MariaDB describes it
	return eval.New("uuid", t, func(f *eval.Frame) ([]byte, bool) {
		v, null := do(f, "UUID")
		if null {
			return nil, true
		}
		b, ok := assign.ParseAddress(f.Buffer(uuidSize), types.UUID, v.Text)
		return b, !ok
	}).With(eval.Volatile), nil
}

const (
	uuidSize   = 16 // in bytes
	guidLength = 32 // of a UUID as text without its dashes
)

func guid(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	t := types.StringType(guidLength, setNamed("latin1").Default(), charset.Numeric, true).OrNull()
	return eval.New("sys_guid", t, func(f *eval.Frame) ([]byte, bool) {
		v, null := do(f, "SYS_GUID")
		return v.Text, null
	}).With(eval.Volatile), nil
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
