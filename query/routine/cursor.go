package routine

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// cursor is DECLARE ... CURSOR. When it is open, all its rows are here.
type cursor struct {
	query tree.Query
	rows  *captured // nil: not open
	next  int
}

func (s *scope) closeCursors(*run) {
	for _, c := range s.cursors {
		c.close()
	}
}

func (c *cursor) close() {
	if c.rows != nil {
		c.rows.release()
		c.rows, c.next = nil, 0
	}
}

func (r *run) cursor(name tree.Ident, sc *scope) (*cursor, error) {
	c := sc.cursor(name.Text)
	if c == nil {
		return nil, mysqlerr.New(mysqlerr.SPCursorMismatch, name.Text)
	}
	return c, nil
}

func (r *run) open(n *tree.OpenCursor, sc *scope) error {
	c, err := r.cursor(n.Name, sc)
	switch {
	case err != nil:
		return err
	case c.rows != nil:
		return mysqlerr.New(mysqlerr.SPCursorAlreadyOpen)
	}
	rows, err := r.query(c.query, sc, 0)
	if err != nil {
		return err
	}
	c.rows, c.next = rows, 0
	return nil
}

// query are the rows of a query, at most so many of them (0: all). The caller releases them.
func (r *run) query(q tree.Query, sc *scope, most int) (*captured, error) {
	text, err := inText(q, sc, r.proc.Text)
	if err != nil {
		return nil, err
	}
	rows := &captured{hold: r.Memory.Keep, rowsMost: most}
	if err := r.quietly(text, rows); err != nil {
		rows.release()
		return nil, err
	}
	return rows, nil
}

func (r *run) fetch(n *tree.FetchCursor, sc *scope) error {
	c, err := r.cursor(n.Name, sc)
	switch {
	case err != nil:
		return err
	case c.rows == nil:
		return mysqlerr.New(mysqlerr.SPCursorNotOpen)
	case len(n.Into) != len(c.rows.columns):
		return mysqlerr.New(mysqlerr.SPWrongNoOfFetchArgs)
	case c.next == len(c.rows.rows):
		return mysqlerr.New(mysqlerr.SPFetchNoData)
	}
	row := c.rows.rows[c.next]
	c.next++
	for i, target := range n.Into {
		v := sc.variable(pathOf(target.Path))
		if v == nil {
			return mysqlerr.New(mysqlerr.SPUndeclaredVar, pathOf(target.Path))
		}
		if err := r.assign(v, row[i], c.rows.kindOf(i, row[i])); err != nil {
			return err
		}
	}
	return nil
}

func pathOf(path []tree.Ident) string {
	names := make([]string, len(path))
	for i, p := range path {
		names[i] = p.Text
	}
	return strings.Join(names, ".")
}

func (r *run) close(n *tree.CloseCursor, sc *scope) error {
	c, err := r.cursor(n.Name, sc)
	switch {
	case err != nil:
		return err
	case c.rows == nil:
		return mysqlerr.New(mysqlerr.SPCursorNotOpen)
	}
	c.close()
	return nil
}

// selectInto is SELECT ... INTO variables.
func (r *run) selectInto(n *tree.Select, into *tree.IntoVariables, sc *scope) error {
	bare := *n
	bare.Into, bare.Span = nil, tree.Span{} // its text has it
	rows, err := r.query(&bare, sc, 2)
	if err != nil {
		return err
	}
	defer rows.release()
	switch {
	case len(rows.columns) != len(into.Targets):
		return mysqlerr.New(mysqlerr.WrongNumberOfColumnsInSelect)
	case rows.count > 1:
		return mysqlerr.New(mysqlerr.TooManyRows)
	case rows.count == 0:
		r.Warnings.Clear()
		r.Warn("Warning", mysqlerr.SPFetchNoData, mysqlerr.New(mysqlerr.SPFetchNoData).Message)
		return nil
	}
	for i, target := range into.Targets {
		value, t := rows.rows[0][i], rows.kindOf(i, rows.rows[0][i])
		switch target := target.(type) {
		case *tree.UserVariable:
			err = r.setUser(target.Name, value, t)
		case *tree.ColumnRef:
			v := sc.named(target)
			if v == nil {
				return mysqlerr.New(mysqlerr.SPUndeclaredVar, target.Name.Text)
			}
			err = r.assign(v, value, t)
		default:
			err = mysqlerr.NotYet("SELECT INTO of this")
		}
		if err != nil {
			return err
		}
	}
	r.host.Count(1)
	r.affected++
	return nil
}

// kindOf is the type of a value of a column.
func (c *captured) kindOf(i int, v types.Value) types.Type {
	if v.Null || c.kinds[i].Kind == 0 {
		return types.NullType()
	}
	return c.kinds[i]
}
