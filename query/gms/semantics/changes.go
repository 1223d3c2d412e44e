package semantics

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/transform"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// builder makes the iterators of the nodes that this package changes, and leaves
// the others to go-mysql-server.
type builder struct {
	base    sql.NodeExecBuilder
	catalog sql.Catalog
}

// Build implements sql.NodeExecBuilder. A nil iterator asks for go-mysql-server's.
func (b *builder) Build(ctx *sql.Context, n sql.Node, row sql.Row) (sql.RowIter, error) {
	switch n := n.(type) {
	case *exactTable:
		return b.base.Build(ctx, n.rows, row)
	case *storedRows:
		return n.build(ctx, b.base, row)
	case *computedRows:
		return n.build(ctx, b.base, row)
	case *assignedNulls:
		return n.build(ctx, b.base, row)
	}
	own, same, err := newReplacerOfExpression().node(ctx, n)
	if err != nil {
		return nil, err
	}
	switch n := own.(type) {
	case *plan.Update:
		if src, ok := n.Child.(*plan.UpdateSource); ok && storesFields(src) {
			break // it was here before
		}
		table, err := changedTable(ctx, n)
		if err != nil {
			return nil, err
		}
		if table != nil {
			checked, done, err := exactChecks(ctx, n, table)
			if err != nil {
				return nil, err
			}
			if done {
				return b.base.Build(ctx, checked, row)
			}
		}
		child, done, err := exactUpdate(ctx, n.Child, updating{ignore: n.Ignore, nested: len(row) > 0, join: table == nil})
		if err != nil {
			return nil, err
		}
		if done {
			same = transform.NewTree
			if _, triggers := child.(*plan.TriggerExecutor); triggers && table != nil {
				child = &assignedNulls{rows: child, schema: table.Schema(ctx), ignore: n.Ignore}
			}
			if child, err = b.computeUpdated(ctx, n, child); err != nil {
				return nil, err
			}
			if own, err = n.WithChildren(ctx, child); err != nil {
				return nil, err
			}
		}
	case *plan.InsertInto:
		if !converts(n.Source) {
			if err := checkTriggers(ctx, n); err != nil {
				return nil, err
			}
			if table, err := plan.GetInsertable(n.Destination); err == nil {
				checked, done, err := exactChecks(ctx, n, table)
				if err != nil {
					return nil, err
				}
				if done {
					return b.base.Build(ctx, checked, row)
				}
			}
			same = transform.NewTree
			if own, err = b.exactInsert(ctx, n); err != nil {
				return nil, err
			}
		}
	case *plan.TopN:
		if sorted, err := sortInstead(ctx, n); err != nil || sorted != nil {
			if err != nil {
				return nil, err
			}
			same, own = transform.NewTree, sorted
		}
	case *plan.SetOp:
		if sorted, err := sortInsteadOfUnion(ctx, n); err != nil || sorted != nil {
			if err != nil {
				return nil, err
			}
			same, own = transform.NewTree, sorted
		}
	case *plan.Set:
		if set, changed := storedSet(ctx, n); changed {
			same, own = transform.NewTree, set
		}
	}
	if same {
		return nil, nil
	}
	return b.base.Build(ctx, own, row)
}

// updating is how an UPDATE runs.
type updating struct {
	ignore bool
	// nested says that rows of an outer statement precede its rows.
	nested bool
	join   bool
	// triggers says that BEFORE triggers see the new rows, in which NULL may stay.
	triggers bool
}

// exactUpdate makes the source of an UPDATE compare the old with the new row byte
// by byte, and its assignments store values by MariaDB's rules. done is false if nothing is to be
// changed.
func exactUpdate(ctx *sql.Context, n sql.Node, how updating) (_ sql.Node, done bool, err error) {
	switch n := n.(type) {
	case *plan.UpdateSource:
		explicit := len(n.UpdateExprs.ExplicitUpdateExprs())
		exprs, changed := storedFields(ctx, argumentsOf(ctx, n), orderDerived(ctx, n.UpdateExprs.AllExpressions(), explicit), how.ignore, how.triggers)
		if !changed {
			return n, false, nil // it was here before
		}
		child, err := exactRows(ctx, n.Child, how.nested)
		if err != nil {
			return n, false, err
		}
		with, err := n.WithExpressions(ctx, exprs...)
		if err != nil {
			return nil, false, err
		}
		with, err = with.WithChildren(ctx, child)
		return with, true, err
	case *plan.TriggerExecutor:
		how.triggers = !how.join
		left, done, err := exactUpdate(ctx, n.Left(), how)
		if err != nil || !done {
			return n, false, err
		}
		out, err := n.WithChildren(ctx, left, n.Right())
		return out, true, err
	case *plan.ForeignKeyHandler:
		child, done, err := exactUpdate(ctx, n.OriginalNode, how)
		if err != nil || !done {
			return n, false, err
		}
		own := *n
		own.OriginalNode, own.Sch = child, exactSchema(n.Sch)
		return &own, true, nil
	}
	children := n.Children()
	if len(children) != 1 {
		return n, false, nil
	}
	child, done, err := exactUpdate(ctx, children[0], how)
	if err != nil || !done {
		return n, false, err
	}
	out, err := n.WithChildren(ctx, child)
	return out, true, err
}

// exactRows wraps the rows that an UPDATE changes, so that their schema compares
// byte by byte. For a join that is a projection: the executor looks for the join
// below it.
func exactRows(ctx *sql.Context, n sql.Node, nested bool) (sql.Node, error) {
	join := false
	transform.InspectWithOpaque(ctx, n, func(_ *sql.Context, n sql.Node) bool {
		_, is := n.(*plan.JoinNode)
		join = join || is
		return !join
	})
	if !join {
		table, err := plan.GetUpdatable(n)
		if err != nil {
			return nil, err
		}
		return &exactTable{Table: table, rows: n, schema: exactSchema(table.Schema(ctx))}, nil
	}
	if nested {
		return n, nil
	}
	schema := n.Schema(ctx)
	fields := make([]sql.Expression, len(schema))
	for i, c := range schema {
		fields[i] = expression.NewGetFieldWithTable(i, 0, exactType(c.Type), c.DatabaseSource, c.Source, c.Name, c.Nullable)
	}
	return plan.NewProject(ctx, fields, n), nil
}

// exactInsert makes the rows of an INSERT or REPLACE be stored by MariaDB's rules,
// and its ON DUPLICATE KEY UPDATE compare rows byte by byte.
func (b *builder) exactInsert(ctx *sql.Context, n *plan.InsertInto) (sql.Node, error) {
	schema := n.Destination.Schema(ctx)
	own := *n
	table, err := plan.GetInsertable(n.Destination)
	if err != nil {
		return nil, err
	}
	g, err := generatedOf(ctx, b.catalog, n.Database().Name(), table, n.Destination, schema)
	if err != nil {
		return nil, err
	}
	source := n.Source
	if err := refuseMixedRows(ctx, source, n.ColumnNames, schema); err != nil {
		return nil, err
	}
	if g != nil {
		if source, err = withoutGenerated(ctx, n, g, source); err != nil {
			return nil, err
		}
	}
	if source, err = storedAutoIncrement(ctx, source, schema, n.Ignore); err != nil {
		return nil, err
	}
	c := &conversion{schema: schema, generated: g, ignore: n.Ignore, manyRows: manyRows(n.Source), omitted: omittedColumns(n, schema)}
	if _, triggers := source.(*plan.TriggerExecutor); triggers {
		if source, err = numberLate(ctx, source, c, n.ColumnNames); err != nil {
			return nil, err
		}
		if c.auto != nil {
			own.FirstGeneratedAutoIncRowIdx = -1
		}
	}
	c.row = argumentsOf(ctx, n.Destination)
	if source, err = c.unconverted(ctx, source, c.row); err != nil {
		return nil, err
	}
	own.Source = storeSource(ctx, source, c)
	if n.OnDupExprs.HasUpdates() {
		explicit := len(n.OnDupExprs.ExplicitUpdateExprs())
		exprs, _ := storedFields(ctx, argumentsOf(ctx, n.Destination), orderDerived(ctx, n.OnDupExprs.AllExpressions(), explicit), n.Ignore, false)
		for _, e := range exprs {
			if set, ok := e.(*expression.SetField); ok && !n.Ignore && !c.manyRows {
				if s, ok := set.RightChild.(*stored); ok {
					s.nullFails = true
				}
			}
		}
		own.OnDupExprs = plan.NewUpdateExprs(exprs, explicit)
		own.Destination = &exactTable{Table: table, rows: n.Destination, schema: exactSchema(schema)}
	}
	return &own, nil
}

// refuseMixedRows refuses rows of VALUES that give a column of texts values of different types, of which go-mysql-server knows the first row's: a time, a member of
// ENUM or SET and their like would be stored as one of that.
func refuseMixedRows(ctx *sql.Context, n sql.Node, names []string, schema sql.Schema) error {
	switch n := n.(type) {
	case *plan.Project, *plan.TriggerExecutor:
		return refuseMixedRows(ctx, n.Children()[0], names, schema)
	case *plan.Values:
		for _, row := range n.ExpressionTuples[min(1, len(n.ExpressionTuples)):] {
			for i, e := range row {
				if at := columnAt(schema, names, i); at < 0 || !gmstypes.IsText(schema[at].Type) {
					continue
				}
				if i < len(n.ExpressionTuples[0]) && mixed(ctx, n.ExpressionTuples[0][i], e) {
					return mysqlerr.NotYet("an INSERT of rows that have values of different types for a column; INSERT them one by one")
				}
			}
		}
	}
	return nil
}

// columnAt is the place of the column that a value of VALUES is for; -1 if it is not known.
func columnAt(schema sql.Schema, names []string, i int) int {
	if i >= len(names) {
		return -1
	}
	return schema.IndexOfColName(names[i])
}

func mixed(ctx *sql.Context, first, e sql.Expression) bool {
	for _, e := range []sql.Expression{first, e} {
		if d, ok := e.(*sql.ColumnDefaultValue); ok && (d == nil || d.Expr == nil) {
			return false
		}
	}
	from, t := first.Type(ctx), e.Type(ctx)
	if from == nil || t == nil || t == gmstypes.Null || from.Equals(t) {
		return false
	}
	if _, literal := e.(*expression.Literal); literal && gmstypes.IsText(t) {
		return false // texts are texts
	}
	return byType(from) || byType(t)
}

// byType reports whether what is made of values depends on more than the values.
func byType(t sql.Type) bool {
	return gmstypes.IsEnum(t) || gmstypes.IsSet(t) || gmstypes.IsTime(t) || gmstypes.IsTimespan(t) || gmstypes.IsYear(t) || gmstypes.IsBit(t) || t == gmstypes.Float32
}

// manyRows reports whether an INSERT has, or may have, more than one row: without
// strict mode NULL becomes a default then.
func manyRows(n sql.Node) bool {
	switch n := n.(type) {
	case *plan.Values:
		return len(n.ExpressionTuples) > 1
	case *plan.Project, *plan.TriggerExecutor:
		return manyRows(n.Children()[0])
	}
	return true
}

// exactTable is the table of a change and the node that yields its rows. Its
// schema compares texts byte by byte.
type exactTable struct {
	sql.Table
	rows   sql.Node
	schema sql.Schema
}

var (
	_ sql.Node             = (*exactTable)(nil)
	_ sql.UpdatableTable   = (*exactTable)(nil)
	_ sql.InsertableTable  = (*exactTable)(nil)
	_ sql.ReplaceableTable = (*exactTable)(nil)
	_ sql.TableWrapper     = (*exactTable)(nil)
)

// Schema implements sql.Table and sql.Node.
func (t *exactTable) Schema(*sql.Context) sql.Schema { return t.schema }

// Underlying implements sql.TableWrapper.
func (t *exactTable) Underlying() sql.Table { return t.Table }

// Updater implements sql.UpdatableTable.
func (t *exactTable) Updater(ctx *sql.Context) sql.RowUpdater {
	return t.Table.(sql.UpdatableTable).Updater(ctx)
}

// Inserter implements sql.InsertableTable.
func (t *exactTable) Inserter(ctx *sql.Context) sql.RowInserter {
	return t.Table.(sql.InsertableTable).Inserter(ctx)
}

// Replacer implements sql.ReplaceableTable.
func (t *exactTable) Replacer(ctx *sql.Context) sql.RowReplacer {
	return t.Table.(sql.ReplaceableTable).Replacer(ctx)
}

// Resolved implements sql.Node.
func (t *exactTable) Resolved() bool { return t.rows.Resolved() }

// IsReadOnly implements sql.Node.
func (t *exactTable) IsReadOnly() bool { return t.rows.IsReadOnly() }

// String implements sql.Node.
func (t *exactTable) String() string { return t.rows.String() }

// Children implements sql.Node.
func (t *exactTable) Children() []sql.Node { return []sql.Node{t.rows} }

// WithChildren implements sql.Node.
func (t *exactTable) WithChildren(_ *sql.Context, children ...sql.Node) (sql.Node, error) {
	if len(children) != 1 {
		return nil, sql.ErrInvalidChildrenNumber.New(t, len(children), 1)
	}
	own := *t
	own.rows = children[0]
	return &own, nil
}

func exactSchema(schema sql.Schema) sql.Schema {
	out := make(sql.Schema, len(schema))
	columns := make([]sql.Column, len(schema))
	for i, c := range schema {
		columns[i] = *c
		columns[i].Type = exactType(c.Type)
		out[i] = &columns[i]
	}
	return out
}

// exactText is a type of texts that are equal if their bytes are.
type exactText struct{ sql.StringType }

func exactType(t sql.Type) sql.Type {
	if s, ok := t.(sql.StringType); ok && s.IsStringType() {
		return exactText{s}
	}
	return t
}

// Compare implements sql.Type.
func (t exactText) Compare(ctx context.Context, a, b any) (int, error) {
	if a == nil || b == nil {
		return t.StringType.Compare(ctx, a, b)
	}
	if x, ok := a.(string); ok { // as nearly always: without a copy
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	}
	x, err := textBytes(ctx, a)
	if err != nil {
		return 0, err
	}
	y, err := textBytes(ctx, b)
	return bytes.Compare(x, y), err
}

func textBytes(ctx context.Context, v any) ([]byte, error) {
	v, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	switch s := v.(type) {
	case string:
		return []byte(s), nil
	case []byte:
		return s, nil
	}
	return fmt.Append(nil, v), nil
}
