package tables

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/vector"
	"github.com/dolthub/go-mysql-server/sql/fulltext"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/types/charset"
)

// primaryName is what MariaDB calls the primary key.
const primaryName = "PRIMARY"

// Kinds of catalog.IndexDef beside the ordinary one.
const (
	kindSpatial = "SPATIAL"
	kindVector  = "VECTOR"
)

// index is one index of a table version. It implements sql.Index.
type index struct {
	v       *version
	name    string
	ordinal int // in TableDef.Indexes; -1 is the primary key
	parts   []catalog.IndexPart
	unique  bool
	kind    string
	comment string
	options map[string]string

	exprs    []sql.Expression
	texts    []string
	types    []sql.ColumnExpressionType
	prefixes []uint16
	// cuts: see cutsPadded.
	cuts bool
	// more are the columns of the primary key that the index does not have
	// itself; their entries follow in every entry.
	more []int
}

var (
	_ sql.Index         = (*index)(nil)
	_ sql.FilteredIndex = (*index)(nil)
	_ sql.OrderedIndex  = (*index)(nil)
	_ sql.ExtendedIndex = (*index)(nil)
	_ fulltext.Index    = (*index)(nil)
)

func newIndex(v *version, ordinal int) *index {
	def := v.Def()
	idx := &index{v: v, ordinal: ordinal, name: primaryName, parts: def.Primary, unique: true}
	if ordinal >= 0 {
		d := &def.Indexes[ordinal]
		idx.name, idx.parts, idx.unique = d.Name, d.Parts, d.Unique
		idx.kind, idx.comment, idx.options = d.Kind, d.Comment, d.Options
	}
	n := len(idx.parts)
	idx.exprs = make([]sql.Expression, n)
	idx.texts = make([]string, n)
	idx.types = make([]sql.ColumnExpressionType, n)
	hasPrefix := false
	prefixes := make([]uint16, n)
	for i, p := range idx.parts {
		col := v.Schema.Schema[p.Column]
		idx.exprs[i] = expression.NewGetFieldWithTable(p.Column, 0, col.Type, def.DB, def.Name, col.Name, col.Nullable)
		idx.texts[i] = idx.exprs[i].String()
		idx.types[i] = sql.ColumnExpressionType{Expression: idx.texts[i], Type: col.Type}
		prefixes[i] = uint16(p.Prefix)
		hasPrefix = hasPrefix || p.Prefix > 0
	}
	if hasPrefix {
		idx.prefixes, idx.cuts = prefixes, cutsPadded(def, idx.parts)
	}
	if ordinal >= 0 {
		for _, p := range def.Primary {
			if !slices.ContainsFunc(idx.parts, func(q catalog.IndexPart) bool { return q.Column == p.Column }) {
				idx.more = append(idx.more, p.Column)
			}
		}
	}
	return idx
}

// extended are the expressions of the index's columns and of those of the
// primary key that it does not have itself.
func (i *index) extended() []sql.Expression {
	if len(i.more) == 0 {
		return i.exprs
	}
	out := slices.Clone(i.exprs)
	for _, at := range i.more {
		col := i.v.Schema.Schema[at]
		out = append(out, expression.NewGetFieldWithTable(at, 0, col.Type, i.v.Def().DB, i.v.Def().Name, col.Name, col.Nullable))
	}
	return out
}

// ExtendedExpressions implements sql.ExtendedIndex.
func (i *index) ExtendedExpressions(*sql.Context) []string {
	exprs := i.extended()
	out := make([]string, len(exprs))
	for n, e := range exprs {
		out[n] = e.String()
	}
	return out
}

// ExtendedColumnExpressionTypes implements sql.ExtendedIndex.
func (i *index) ExtendedColumnExpressionTypes(ctx *sql.Context) []sql.ColumnExpressionType {
	exprs := i.extended()
	out := make([]sql.ColumnExpressionType, len(exprs))
	for n, e := range exprs {
		out[n] = sql.ColumnExpressionType{Expression: e.String(), Type: e.Type(ctx)}
	}
	return out
}

func (i *index) ID() string            { return i.name }
func (i *index) Database() string      { return i.v.Def().DB }
func (i *index) Table() string         { return i.v.Def().Name }
func (i *index) Expressions() []string { return i.texts }
func (i *index) IsUnique() bool        { return i.unique }
func (i *index) IsSpatial() bool       { return i.kind == kindSpatial }
func (i *index) IsFullText() bool      { return i.kind == catalog.Fulltext }
func (i *index) IsVector() bool        { return i.kind == kindVector }
func (i *index) Comment() string       { return i.comment }
func (i *index) IsGenerated() bool     { return false }

func (i *index) IndexType() string {
	if i.kind == "" || i.kind == kindVector {
		return "BTREE"
	}
	return i.kind
}

func (i *index) ColumnExpressionTypes(*sql.Context) []sql.ColumnExpressionType { return i.types }

// CanSupport reports whether the index can be read through ranges at all.
func (i *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }

func (i *index) CanSupportOrderBy(expr sql.Expression) bool {
	if i.kind != kindVector {
		return false
	}
	dist, ok := expr.(*vector.Distance)
	return ok && vector.DistanceL2Squared{}.CanEval(dist.DistanceType)
}

func (i *index) PrefixLengths() []uint16 { return i.prefixes }

// ordered reports whether entries of the index come in the order of its columns.
func (i *index) ordered() bool {
	return i.kind == "" && i.prefixes == nil && !i.digests()
}

// digests reports whether entries of the index have digests of long texts.
func (i *index) digests() bool { return i.ordinal >= 0 && i.v.Def().Indexes[i.ordinal].Hash }

// Order implements sql.OrderedIndex.
func (i *index) Order(*sql.Context) sql.IndexOrder {
	if i.ordered() {
		return sql.IndexOrderAsc
	}
	return sql.IndexOrderNone
}

// Reversible implements sql.OrderedIndex.
func (i *index) Reversible(*sql.Context) bool { return i.ordered() }

// HandledFilters implements sql.FilteredIndex: which filters a lookup answers
// so exactly that they need not be evaluated again.
func (i *index) HandledFilters(ctx *sql.Context, filters []sql.Expression) []sql.Expression {
	if i.kind != "" || i.digests() {
		return nil
	}
	var handled []sql.Expression
	for _, f := range filters {
		if expression.PreciseComparison(ctx, f) {
			handled = append(handled, f)
		}
	}
	return handled
}

// cutsPadded reports whether parts of an index cut texts whose trailing spaces do not count: of equal texts the parts may differ.
func cutsPadded(def *catalog.TableDef, parts []catalog.IndexPart) bool {
	for _, p := range parts {
		c, ok := charset.ByID(def.Columns[p.Column].Collation)
		if p.Prefix > 0 && ok && c.PadSpace() && c.Set().Name() != "binary" {
			return true
		}
	}
	return false
}
