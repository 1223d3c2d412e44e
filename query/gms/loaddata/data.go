package loaddata

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/loadfile"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Session is what LOAD DATA asks of its session.
type Session interface {
	function.Session
	// OpenLoaded opens the file that is loaded: the server's, or with LOCAL the client's.
	OpenLoaded(ctx context.Context, name string) (io.ReadCloser, error)
	// NoteLoaded is told how many rows were read by now.
	NoteLoaded(rows uint64)
}

// New is LOAD DATA in a plan, by rules of this package.
func New(n *plan.LoadData, ast *sqlparser.Load) sql.Node {
	return &loadData{LoadData: n, ast: ast}
}

// loadData is LOAD DATA in a plan, the source of an INSERT.
type loadData struct {
	*plan.LoadData
	ast *sqlparser.Load
}

var _ sql.ExecBuilderNode = (*loadData)(nil)

// Schema implements sql.Node: what a file has for the columns is text.
func (n *loadData) Schema(c *sql.Context) sql.Schema {
	names := n.ColNames
	if len(names) == 0 {
		return loadedAs(n.DestSch)
	}
	out := make(sql.Schema, len(names))
	for i, name := range names {
		out[i] = n.DestSch[max(n.DestSch.IndexOfColName(name), 0)]
	}
	return loadedAs(out)
}

func loadedAs(cols sql.Schema) sql.Schema {
	out := make(sql.Schema, len(cols))
	for i, col := range cols {
		text := *col
		text.Type, text.Nullable = types.LongText, true
		out[i] = &text
	}
	return out
}

// WithChildren implements sql.Node.
func (n *loadData) WithChildren(c *sql.Context, children ...sql.Node) (sql.Node, error) {
	load, err := n.LoadData.WithChildren(c, children...)
	if err != nil {
		return nil, err
	}
	return &loadData{LoadData: load.(*plan.LoadData), ast: n.ast}, nil
}

// Prepare prepares the plan of a LOAD DATA for analysis. It names the columns that an INSERT gets when the
// list has variables only, for go-mysql-server an empty list means all of them; and those without a default,
// which MariaDB fills with their type's zero. And it says that rows are inserted: triggers run then.
func Prepare(ast sqlparser.Statement, node sql.Node, flags *sql.QueryFlags) error {
	load, ok := ast.(*sqlparser.Load)
	if !ok {
		return nil
	}
	flags.Set(sql.QFlagInsert)
	insert, ok := node.(*plan.InsertInto)
	if !ok || len(load.Columns) == 0 {
		return nil
	}
	source, ok := insert.Source.(*plan.LoadData)
	if !ok {
		return nil
	}
	if len(source.ColNames) == 0 {
		for _, e := range load.SetExprs {
			source.ColNames = append(source.ColNames, e.Name.Name.String())
		}
	}
	if len(source.ColNames) == 0 {
		return mysqlerr.NotYet("LOAD DATA into no column")
	}
	for _, col := range source.DestSch {
		if !col.Nullable && col.Default == nil && col.Generated == nil && !col.AutoIncrement && !slices.ContainsFunc(source.ColNames, func(name string) bool { return strings.EqualFold(name, col.Name) }) {
			source.ColNames = append(source.ColNames, col.Name)
		}
	}
	insert.ColumnNames = source.ColNames
	return nil
}

// SkippedField stands in the column list of a LOAD DATA for a generated column, the values of which are ignored.
const SkippedField = "@duramen generated"

// format reads the clauses FIELDS and LINES.
func (n *loadData) format() (loadfile.Format, error) {
	f := loadfile.Format{FieldsTerminatedBy: "\t", LinesTerminatedBy: "\n", EscapedBy: `\`}
	if o := n.ast.Fields; o != nil {
		if o.TerminatedBy != nil {
			f.FieldsTerminatedBy = string(o.TerminatedBy.Val)
		}
		if o.EnclosedBy != nil && o.EnclosedBy.Delim != nil {
			f.EnclosedBy = string(o.EnclosedBy.Delim.Val)
		}
		if o.EscapedBy != nil {
			f.EscapedBy = string(o.EscapedBy.Val)
		}
	}
	if o := n.ast.Lines; o != nil {
		if o.StartingBy != nil {
			f.LinesStartingBy = string(o.StartingBy.Val)
		}
		if o.TerminatedBy != nil {
			f.LinesTerminatedBy = string(o.TerminatedBy.Val)
		}
	}
	switch {
	case len(f.EnclosedBy) > 1 || len(f.EscapedBy) > 1:
		return f, mysqlerr.New(mysqlerr.WrongFieldTerminators)
	case f.FieldsTerminatedBy == "" && f.EnclosedBy == "":
		return f, mysqlerr.NotYet("LOAD DATA with fields of fixed width (FIELDS TERMINATED BY '' without ENCLOSED BY)")
	case max(len(f.FieldsTerminatedBy), len(f.LinesTerminatedBy), len(f.LinesStartingBy)) > loadfile.MaxSeparator:
		return f, mysqlerr.NotYet("LOAD DATA with a separator of more than 4096 bytes")
	}
	return f, nil
}

// BuildRowIter implements sql.ExecBuilderNode.
func (n *loadData) BuildRowIter(c *sql.Context, _ sql.NodeExecBuilder, _ sql.Row) (sql.RowIter, error) {
	f, err := n.format()
	if err != nil {
		return nil, err
	}
	s := c.Session.(Session)
	s.NoteLoaded(0)
	it := &loadIter{n: n, sources: n.DestSch, strict: function.StrictMode(s.SysVars()) && !n.IsIgnore, ignored: n.IgnoreNum}
	if it.charset, err = loadCharset(c, n.ast.Charset); err != nil {
		return nil, err
	}
	if err := it.setUp(c); err != nil {
		return nil, err
	}
	if it.file, err = s.OpenLoaded(c, n.File); err != nil {
		return nil, err
	}
	limit := int(min(s.SysVars().Uint("max_allowed_packet"), 1<<30))
	it.in = loadfile.NewReader(&stoppable{Reader: it.file, c: c}, f, limit)
	return it, nil
}
