package compare

import (
	"regexp"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// kind is what the values of an expression are.
type kind int

const (
	other kind = iota // JSON, geometry and what else is left to go-mysql-server
	null
	whole
	exact // DECIMAL
	float
	moment // DATE, DATETIME, TIMESTAMP
	span   // TIME
	text
	member // of ENUM or SET
	binary
	address // UUID, INET4, INET6
)

var kindNames = map[kind]string{
	whole: "integers", exact: "DECIMAL", float: "DOUBLE", moment: "dates", span: "TIME", text: "texts", member: "ENUM or SET", binary: "binary strings",
}

func kindOf(t sql.Type) kind {
	switch {
	case t == nil:
		return other
	case t == types.Null:
		return null
	case isAddress(t):
		return address
	case types.IsInteger(t), types.IsYear(t), types.IsBit(t):
		return whole
	case types.IsDecimal(t):
		return exact
	case types.IsFloat(t):
		return float
	case types.IsTimespan(t):
		return span
	case types.IsTime(t):
		return moment
	case types.IsEnum(t), types.IsSet(t):
		return member
	case types.IsBinaryType(t):
		return binary
	case types.IsTextOnly(t):
		return text
	}
	return other
}

func (k kind) number() bool  { return k == whole || k == exact || k == float }
func (k kind) textual() bool { return k == text || k == member }

// how is what two values are compared as.
type how struct {
	kind  kind
	order *charset.Order // of texts
	coder collation.Transcoder
	of    *schema.Address
}

// agreement is what is known of a comparison of two expressions.
type agreement struct {
	how
	// alike: the planner may know of it: go-mysql-server's conversions are none, or they are right.
	alike bool
	// leave: it is left to go-mysql-server altogether.
	leave bool
}

var left = agreement{leave: true}

// agree says what two expressions are compared as.
func agree(ctx *sql.Context, a, b sql.Expression) (agreement, error) {
	x, y := a.Type(ctx), b.Type(ctx)
	l, r := kindOf(x), kindOf(y)
	ca, cb := constant(ctx, a), constant(ctx, b)
	switch {
	case (l == address || r == address) && l != null && r != null:
		of, _ := x.(*schema.Address)
		with, _ := y.(*schema.Address)
		return agreeAddresses(a, b, of, with)
	case l == other || r == other || l == null || r == null, ca && cb:
		return left, nil
	case l.textual() && r.textual():
		return agreeTexts(ctx, a, b, l, r)
	case (ca || cb) && (l != r || l == member):
		return left, nil // a constant becomes what the column is
	case l.number() && r.number():
		k := exact
		if l == float || r == float {
			k = float
		}
		return agreement{how: how{kind: k}, alike: l == r && (x.Equals(y) || l == whole && types.IsUnsigned(x) == types.IsUnsigned(y))}, nil
	case l == r:
		return agreement{how: how{kind: l}, alike: x.Equals(y)}, nil
	case l.number() && r == text, r.number() && l == text:
		if l == float || r == float {
			return agreement{how: how{kind: float}}, nil
		}
		return agreement{how: how{kind: exact}}, nil
	case l == moment && r == text, l == text && r == moment:
		return agreement{how: how{kind: moment}}, nil // what is no date is refused when it comes
	case (l == binary || r == binary) && (l == text || r == text):
		return agreement{how: how{kind: binary}}, nil
	}
	return left, mysqlerr.NotYet("a comparison of " + kindNames[l] + " with " + kindNames[r] + " in a statement of several tables; CAST one to the type of the other")
}

// Sure reports whether go-mysql-server compares two expressions as MariaDB does, whatever their values.
func Sure(ctx *sql.Context, a, b sql.Expression) bool {
	x, isRow := a.(expression.Tuple)
	if y, ok := b.(expression.Tuple); isRow && ok && len(x) == len(y) {
		for i := range x {
			if !Sure(ctx, x[i], y[i]) {
				return false
			}
		}
		return true
	}
	l, r := kindOf(a.Type(ctx)), kindOf(b.Type(ctx))
	if _, err := agree(ctx, a, b); err != nil {
		return false
	}
	switch ca, cb := constant(ctx, a), constant(ctx, b); {
	case ca && cb, l == null || r == null:
		return l == r || l == null || r == null
	case ca:
		return plain(r, l, a)
	case cb:
		return plain(l, r, b)
	}
	return l == r || l != moment && r != moment // a text that is no date is refused when it comes
}

// plain reports whether a constant is written as values of a column are.
func plain(column, with kind, e sql.Expression) bool {
	if column == exact { // of which it would look for another number, or fail
		return false
	}
	if column == with && column != member && column != other && column != float {
		return true
	}
	literal, ok := e.(*expression.Literal)
	if !ok {
		return false
	}
	written, ok := literal.Value().(string)
	switch {
	case !ok:
		return column.number() && with == whole || column == other
	case column.number():
		return plainNumber.MatchString(written) && column != float
	case column == moment:
		return plainDate.MatchString(written)
	}
	return column == other || column == member && with == text
}

var (
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,17})$`)
	plainDate   = regexp.MustCompile(`^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9])( [0-2][0-9]:[0-5][0-9]:[0-5][0-9])?$`)
)

// agreeTexts finds the collation in which texts are compared.
func agreeTexts(ctx *sql.Context, a, b sql.Expression, l, r kind) (agreement, error) {
	ca, wa := coercibility(ctx, a)
	cb, wb := coercibility(ctx, b)
	x, y := own(ca), own(cb)
	if x == nil || y == nil {
		return left, nil
	}
	c := x
	switch {
	case x == y:
	case constant(ctx, b):
	case constant(ctx, a):
		c = y
	case wa < wb && reaches(y, x):
	case wb < wa && reaches(x, y):
		c = y
	case x.Set() == y.Set() && x.Binary():
	case x.Set() == y.Set() && y.Binary():
		c = y
	default:
		return left, mysqlerr.NotYet("a comparison of texts in " + x.Name() + " and " + y.Name() + "; say COLLATE or CONVERT(... USING ...)")
	}
	how, err := ofTexts(c)
	plain := x == y || constant(ctx, a) || constant(ctx, b)
	return agreement{how: how, alike: plain && l == text && r == text}, err
}

// coercibility is how strongly an expression is of its collation. A subquery is as its column.
func coercibility(ctx *sql.Context, e sql.Expression) (sql.CollationID, byte) {
	if q, ok := e.(*plan.Subquery); ok {
		if c, ok := q.Type(ctx).(sql.TypeWithCollation); ok {
			return c.Collation(), 2
		}
	}
	return sql.GetCoercibility(ctx, e)
}

// reaches reports whether texts in one collation can be compared in another one.
func reaches(from, to *charset.Collation) bool { return from.Set() == to.Set() || to.Set().Unicode() }

func own(c sql.CollationID) *charset.Collation {
	if c == sql.Collation_Unspecified {
		c = sql.Collation_Default
	}
	out, ok := charset.ByID(collation.ID(c))
	if !ok { // one of MySQL's, which literals may have
		out, _ = charset.ByID(collation.Default)
	}
	return out
}

// ofTexts is how texts in a collation are compared.
func ofTexts(c *charset.Collation) (how, error) {
	o, err := c.Order()
	if err != nil {
		return how{}, mysqlerr.NotYet("a comparison in " + c.Name()).WithCause(err)
	}
	return how{kind: text, order: o, coder: collation.TranscoderOf(c.ID())}, nil
}

// single is how values of one expression are compared with each other; ok is false for what is left to go-mysql-server.
func single(ctx *sql.Context, e sql.Expression) (h how, ok bool, err error) {
	if !e.Resolved() {
		return how{}, false, nil
	}
	return ofType(ctx, e.Type(ctx), e)
}

// ofType is how values of a type are compared with each other; e is nil if there is no expression.
func ofType(ctx *sql.Context, t sql.Type, e sql.Expression) (h how, ok bool, err error) {
	switch k := kindOf(t); k {
	case text, member:
		var c sql.CollationID
		if e != nil {
			c, _ = sql.GetCoercibility(ctx, e)
		} else if withCollation, is := t.(sql.TypeWithCollation); is {
			c = withCollation.Collation()
		}
		h, err = ofTexts(own(c))
		return h, err == nil, err
	case binary:
		return how{kind: k}, true, nil
	case address:
		of, _ := t.(*schema.Address)
		return how{kind: k, of: of}, true, nil
	}
	return how{}, false, nil
}

func isAddress(t sql.Type) bool {
	_, ok := t.(*schema.Address)
	return ok
}

// constant reports whether an expression has the same value for all rows.
func constant(ctx *sql.Context, e sql.Expression) bool {
	is := true
	transform.InspectExpr(ctx, e, func(_ *sql.Context, e sql.Expression) bool {
		switch e.(type) {
		case *expression.GetField, *plan.Subquery, sql.Aggregation:
			is = false
		}
		return !is
	})
	return is
}
