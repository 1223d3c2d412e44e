package semantics

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/computed"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
)

// assignment is how values of one expression become those of a column: as query/types/assign makes them of MariaDB's type of the expression. It is of one
// execution of a plan.
type assignment struct {
	// refused says of which values it is not known what text MariaDB makes of them; "" for none.
	refused  string
	from, to types.Type
	gms      sql.Type
	// exact says that the expression is asked for all its digits.
	exact bool
	a     *assign.Assigner
	into  assign.Context
	diag  types.Diagnostics
}

// conditionsMost is more than there is to say of one value.
const conditionsMost = 8

// receiving is a column to which values are assigned; its type is that of the table's definition, if it is known.
type receiving struct {
	*sql.Column
	own   types.Type
	known bool
}

// receives is a column of the table that a node reads or changes.
func receives(col *sql.Column, in *column.Arguments) receiving {
	out := receiving{Column: col}
	if in != nil {
		out.own, out.known = in.Column(col.Source, col.Name)
	}
	return out
}

// assignmentOf is the assignment of an expression's values to a column; nil where the types in MariaDB are not known, and for texts in columns of texts.
func assignmentOf(ctx *sql.Context, col receiving, known column.Known, sure bool, gms sql.Type) *assignment {
	to, text := col.Type.(sql.StringType)
	text = text && to.IsStringType()
	switch {
	case text && (known.Quotient || known.Loose), known.Quotient && keepsDigits(col.Type, known.Type):
		return &assignment{refused: loose}
	case !sure || text && !spelledOut(known.Type) || !assignable(known.Type) || known.Props != 0 && known.Type.Class() == types.ClassText:
		return nil
	}
	t := col.own
	if text {
		var ok bool
		if t, ok = textType(to); !ok {
			return nil
		}
		t.Nullable = col.Nullable
	} else if !col.known || t.JSON || t.Kind.Address() || t.Class() == types.ClassText {
		return nil
	}
	s, ok := ctx.Session.(computed.Session)
	if !ok {
		return nil
	}
	_, f, err := s.Evaluation(ctx)
	if err != nil {
		return nil
	}
	target := &assign.Column{Type: t, Database: col.DatabaseSource, Table: col.Source, Name: col.Name}
	a, err := assign.New(f.Env.Mode, target, assign.Source{Type: known.Type, Column: known.Plain && known.Props == 0})
	if err != nil || a.Mismatch != nil {
		return nil
	}
	return &assignment{
		from: known.Type, to: t, gms: gms, a: a,
		into: assign.Context{Zone: f.Zone, Now: f.Started}, diag: types.Diagnostics{Most: conditionsMost},
	}
}

// keepsDigits reports whether a column of numbers may keep more digits of a quotient than the quotient's type has.
func keepsDigits(to sql.Type, quotient types.Type) bool {
	if n, ok := to.(sql.NumberType); ok && n.IsFloat() {
		return true
	}
	d, ok := to.(sql.DecimalType)
	return ok && d.Scale() > quotient.Decimals
}

// exactly is an expression that knows more digits of a quotient than its type has.
type exactly interface {
	Exactly(ctx *sql.Context, row sql.Row) (v types.Value, ok bool, err error)
}

// quotientBy is the assignment of an expression with a quotient in it, of all its digits; nil for other expressions, and for columns that are not known.
func quotientBy(ctx *sql.Context, col receiving, in *column.Arguments, e sql.Expression) *assignment {
	if _, ok := e.(exactly); !ok || in == nil {
		return nil
	}
	known, sure := in.Of(e)
	if !known.Quotient {
		return nil
	}
	known.Quotient, known.Loose = false, false
	a := assignmentOf(ctx, col, known, sure, e.Type(ctx))
	if a != nil {
		a.exact = true
	}
	return a
}

// variableType is the type of a variable that takes quotients; ok is false for others.
func variableType(t sql.Type) (own types.Type, ok bool) {
	switch t {
	case gmstypes.Float64:
		return types.DoubleType(), true
	case gmstypes.Float32:
		own = types.DoubleType()
		own.Kind = types.Float
		return own, true
	}
	if d, is := t.(sql.DecimalType); is {
		return types.DecimalType(decimal.Type{Precision: int(d.Precision()), Scale: int(d.Scale())}), true
	}
	return own, false
}

// assignable reports whether values of a type are assigned by their type alone.
func assignable(t types.Type) bool {
	return t.Kind != types.Null && !t.Hybrid && !t.Kind.Address() && (t.Class() != types.ClassText || t.Collation != nil)
}

// spelledOut reports whether values of a type are numbers or times, of which the column's text is made.
func spelledOut(t types.Type) bool {
	switch t.Class() {
	case types.ClassInt:
		return t.Kind != types.Enum && t.Kind != types.Set
	case types.ClassFloat, types.ClassDec, types.ClassTime:
		return true
	}
	return false
}

// textType is the type of a column of texts or bytes.
func textType(to sql.StringType) (t types.Type, ok bool) {
	length := uint64(to.Length())
	set, _ := charset.SetByName("binary")
	coll := set.Default()
	if gmstypes.IsBinaryType(to) {
		length = uint64(to.MaxByteLength())
	} else if coll, ok = charset.ByID(collation.ID(to.Collation())); !ok {
		return t, false
	}
	t = types.StringType(length, coll, charset.Implicit, false)
	switch {
	case gmstypes.IsTextBlob(to):
		size := uint64(to.MaxByteLength())
		t.Octets = uint32(min(size, uint64(1<<32-1)))
		t.Kind = types.Longtext
		for kind, most := range map[types.Kind]uint64{types.Tinytext: 1<<8 - 1, types.Text: 1<<16 - 1, types.Mediumtext: 1<<24 - 1} {
			if size == most {
				t.Kind = kind
			}
		}
	case to.Type() == query.Type_CHAR || to.Type() == query.Type_BINARY:
		t.Kind = types.Char
	}
	return t, true
}

// spell is a value, which is no text, as a column of texts keeps it; done is false for one that the caller makes a text of.
func (t *target) spell(v any, from sql.Type) (out any, done bool, err error) {
	s := t.assignment
	if s == nil {
		if s = t.ofFloat(v, from); s == nil {
			return nil, false, unspelled(v, from)
		}
	}
	out, err = t.assigned(s, v)
	return out, true, err
}

// assigns reports whether a value of the column is made so, and not those alone that become texts. A text is no number or time, whatever is said of the
// expression: so are the literals of an INSERT that a trigger sees, and the fields of LOAD DATA.
func (s *assignment) assigns(v any) bool {
	if s == nil || s.refused != "" || s.to.Class() == types.ClassText {
		return false
	}
	switch v.(type) {
	case string, []byte:
		return s.from.Class() == types.ClassText
	}
	return s.from.Class() != types.ClassText
}

// assigned is a value as the column keeps it.
func (t *target) assigned(s *assignment, v any) (any, error) {
	if s.refused != "" {
		return nil, mysqlerr.NotYet(s.refused)
	}
	value, err := computed.FromEngine(t.ctx, s.from, s.gms, v)
	if err != nil {
		return nil, err
	}
	return t.keep(s, value)
}

// keep is a value of ours as the column keeps it.
func (t *target) keep(s *assignment, value types.Value) (any, error) {
	diag := &s.diag
	diag.Reset(0)
	diag.Strict = nil
	if t.strict {
		diag.Strict = everyWarning
	}
	s.into.Reset()
	s.into.Diag, s.into.Row = diag, uint64(max(t.row, 0))
	kept, _ := s.a.Assign(&s.into, value)
	for _, c := range diag.Conditions {
		if c.Level == types.Error { // which is noted where it is sent
			continue
		}
		t.ctx.Session.Warn(&sql.Warning{Level: c.Level.String(), Code: int(c.Number), Message: c.Message})
	}
	if failed := diag.Failed(); failed != nil {
		return nil, failed
	}
	if to, is := t.column.Type.(sql.StringType); is && to.IsStringType() {
		if gmstypes.IsBinaryType(to) {
			return append([]byte{}, kept.Text...), nil
		}
		return string(kept.Text), nil
	}
	return computed.ToEngine(s.to, t.column.Type, kept)
}

// everyWarning says that each warning is an error.
func everyWarning(uint16) bool { return true }

// ofFloat is the assignment of a floating point number of which nothing else is known: a FLOAT is taken for one of a column; nil for others.
func (t *target) ofFloat(v any, from sql.Type) *assignment {
	known := column.Known{Type: types.DoubleType()}
	switch v.(type) {
	case float32:
		known.Type.Kind, known.Plain = types.Float, true
	case float64:
	default:
		return nil
	}
	return assignmentOf(t.ctx, receiving{Column: t.column}, known, true, from)
}

// unspelled refuses values of which it is not known what text MariaDB's type of their expression makes of them.
func unspelled(v any, from sql.Type) error {
	switch span := v.(type) {
	case gmstypes.Timespan:
		if int64(span)%int64(time.Second/time.Microsecond) != 0 {
			return mysqlerr.NotYet("a TIME with a fraction in a column of texts, in a statement like this; CAST it")
		}
	case int16, uint16:
		if gmstypes.IsYear(from) && (span == int16(0) || span == uint16(0)) {
			return mysqlerr.NotYet("a YEAR of zero in a column of texts, in a statement like this; CAST it")
		}
	case uint64:
		if gmstypes.IsBit(from) {
			return mysqlerr.NotYet("a BIT in a column of texts, in a statement like this; CAST it")
		}
	}
	return nil
}

// argumentsOf finds what is known of expressions over the rows of a node; nil without one.
func argumentsOf(ctx *sql.Context, n sql.Node) *column.Arguments {
	if n == nil {
		return nil
	}
	return column.ArgumentsOf(ctx, n)
}

// assignmentBy is the assignment of an expression over the rows that are known.
func assignmentBy(ctx *sql.Context, col *sql.Column, in *column.Arguments, e sql.Expression) *assignment {
	if in == nil || e == nil {
		return nil
	}
	known, sure := in.Of(e)
	return assignmentOf(ctx, receives(col, in), known, sure, e.Type(ctx))
}

// loose is what refuses DECIMALs of which MariaDB may store other digits than their type has.
const loose = "a quotient of DECIMALs, or one that a function chooses, in a column of texts or of more digits, in a statement like this; CAST it"

// unconverted takes the conversions of go-mysql-server from the defaults that the source of an INSERT has for columns of texts: it makes texts of
// numbers by rules of its own. They are spelled as values of the row that they are part of.
func (c *conversion) unconverted(ctx *sql.Context, source sql.Node, row *column.Arguments) (sql.Node, error) {
	switch n := source.(type) {
	case *plan.TriggerExecutor:
		left, err := c.unconverted(ctx, n.Left(), row)
		if err != nil || left == n.Left() {
			return source, err
		}
		return n.WithChildren(ctx, left, n.Right())
	case *plan.Project:
		var exprs []sql.Expression
		for i, e := range n.Projections {
			d, ok := e.(*sql.ColumnDefaultValue)
			if !ok || d == nil || i >= len(c.schema) || d.Expr == nil || !d.Resolved() || !gmstypes.IsText(c.schema[i].Type) || gmstypes.IsText(d.Expr.Type(ctx)) {
				continue
			}
			if exprs == nil {
				exprs, c.defaults = append(exprs, n.Projections...), map[int]*assignment{}
			}
			c.defaults[i] = assignmentBy(ctx, c.schema[i], row, d.Expr)
			exprs[i] = expression.NewAlias(ctx, c.schema[i].Name, d.Expr)
		}
		if exprs != nil {
			return n.WithExpressions(ctx, exprs...)
		}
	}
	return source, nil
}
