package plan

import (
	"strings"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// DefaultOf is what a column of a table gets that is given nothing.
func DefaultOf(t *relation.Table, column int) *relation.Default {
	return t.Default(column, func() *relation.Default { return makeDefault(t, column) })
}

func makeDefault(t *relation.Table, column int) *relation.Default {
	col := &t.Columns[column]
	target := &assign.Column{Type: col.Type, Database: t.Def.DB, Table: t.Def.Name, Name: col.Def.Name}
	switch {
	case col.Unknown != "":
		return &relation.Default{Refused: col.Unknown}
	case !col.Def.HasDefault && (col.Type.Nullable || col.Def.AutoIncrement):
		return &relation.Default{Value: types.Value{Null: true}}
	case !col.Def.HasDefault:
		return &relation.Default{Value: target.Implicit(), None: col.Type.Kind != types.Enum}
	case !col.Def.DefaultLiteral:
		before := types.Value{Null: true}
		if !col.Type.Nullable {
			before = target.Implicit()
		}
		present := isPresent(col.Def.Default, col.Type)
		return &relation.Default{Present: present, Computed: !present, Value: before}
	}
	text := col.Def.Default
	if col.Type.JSON && col.Def.DefaultText != "" {
		text = col.Def.DefaultText // as it was written
	}
	v, ok := literal(text, target)
	if !ok {
		return &relation.Default{Refused: "this default"}
	}
	if col.Type.Kind == types.Timestamp && !v.Null && v.Int != 0 { // whose moment depends on the time zone
		return &relation.Default{Local: temporal.UTC.DateTime(temporal.Stamp(v.Int))}
	}
	return &relation.Default{Value: v}
}

// Standing is a default that is no expression, as it is for a statement; of CURRENT_TIMESTAMP it is what the column has before.
func Standing(d *relation.Default, f *eval.Frame) types.Value {
	if d.Local != 0 {
		stamp, _, _ := f.Zone.Stamp(d.Local) // out of range is 0
		return types.Value{Int: int64(stamp)}
	}
	return d.Value
}

// isPresent reports whether a default is CURRENT_TIMESTAMP with as many digits as the column has.
func isPresent(text string, of types.Type) bool {
	want := "CURRENT_TIMESTAMP"
	if of.Decimals > 0 {
		want += "(" + string('0'+of.Decimals) + ")"
	}
	return strings.EqualFold(text, want) && (of.Kind == types.Timestamp || of.Kind == types.Datetime)
}

// literal is the value of a column that a default has as a literal, as the catalog keeps it: in UTF-8, whatever the session's settings.
func literal(text string, target *assign.Column) (v types.Value, ok bool) {
	n, _, err := grammar.Parse("SELECT "+text, grammar.Options{})
	if err != nil {
		return v, false
	}
	sel, ok := n.(*tree.Select)
	if !ok || len(sel.Items) != 1 {
		return v, false
	}
	utf8, _ := charset.ByName("utf8mb4_general_ci")
	env := &types.Env{Connection: utf8, Client: utf8.Set(), Server: utf8, Database: utf8}
	f := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 1}, Zone: temporal.UTC, Names: temporal.English, MaxPacket: 1 << 30}
	b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: f}, Refused: func(string) bool { return true }}
	x, err := b.Expr(sel.Items[0].X)
	if err != nil || !x.Is(eval.Constant) {
		return v, false
	}
	a, err := assign.New(env.Mode, target, assign.Source{Type: x.Type})
	if err != nil || a.Mismatch != nil {
		return v, false
	}
	v, ok = a.Assign(&assign.Context{Diag: f.Diag, Row: 1, Zone: f.Zone}, x.Compute(f))
	return v, ok && len(f.Diag.Conditions) == 0
}

// Incorrect is the text of a default that sql_mode does not allow any more: a zero date. ok is false for all others.
func Incorrect(mode types.Mode, col *relation.Column, d *relation.Default) (text string, ok bool) {
	kind := col.Type.Kind
	if d.None || d.Present || d.Local != 0 || d.Value.Null || kind != types.Date && kind != types.Datetime && kind != types.Timestamp {
		return "", false
	}
	if mode.Temporal().Check(d.Value.Time) == 0 {
		return "", false
	}
	shown := temporal.Value{Packed: d.Value.Time, Kind: temporal.DateTime}
	if kind == types.Date {
		shown.Kind = temporal.Date
	}
	return string(shown.Append(nil, int(col.Type.Decimals))), true
}
