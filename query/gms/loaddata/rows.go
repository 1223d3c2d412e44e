package loaddata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/loadfile"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// stoppable is a file whose reading ends with its statement.
type stoppable struct {
	io.Reader
	c *sql.Context
}

// Read implements io.Reader.
func (r *stoppable) Read(p []byte) (int, error) {
	if r.c.Err() != nil {
		return 0, context.Cause(r.c)
	}
	return r.Reader.Read(p)
}

// loadCharset is the character set of a file: that of the statement, or character_set_database.
func loadCharset(c *sql.Context, name string) (sql.CharacterSetID, error) {
	if name == "" {
		v, err := c.GetSessionVariable(c, "character_set_database")
		if err != nil {
			return 0, err
		}
		name, _ = v.(string)
	}
	switch name = strings.ToLower(name); name {
	case "binary", "":
		return sql.CharacterSet_binary, nil
	case "utf8mb4", "utf8", "utf8mb3":
		return sql.CharacterSet_utf8mb4, nil
	case "latin1":
		return sql.CharacterSet_latin1, nil
	case "ascii":
		return sql.CharacterSet_ascii, nil
	}
	return 0, mysqlerr.NotYet("LOAD DATA with CHARACTER SET " + name)
}

// loadIter yields the rows of a file.
type loadIter struct {
	n       *loadData
	file    io.ReadCloser
	in      *loadfile.Reader
	charset sql.CharacterSetID
	strict  bool
	ignored int64 // lines that are still to be skipped
	done    bool
	row     int64

	sources sql.Schema // of the table
	targets []loadTarget
	sets    []loadSet
	out     []int        // the columns that the rows have, in their order
	seen    map[int]bool // columns that expressions of SET name
	zeroes  []int        // columns without a value and without a default
}

// loadTarget is where a field goes: a column, a variable, or nowhere.
type loadTarget struct {
	column   int // of the table; -1 for none
	variable string
}

// loadSet is an assignment of SET.
type loadSet struct {
	column int
	value  sql.Expression
}

func (it *loadIter) setUp(c *sql.Context) error {
	n := it.n
	names := n.ColNames
	if len(n.ast.Columns) == 0 {
		for i := range it.sources {
			it.targets = append(it.targets, loadTarget{column: i})
		}
	}
	next := 0
	for i := range n.ast.Columns {
		if i < len(n.UserVars) && n.UserVars[i] != nil {
			set, ok := n.UserVars[i].(*expression.SetField)
			if !ok {
				return mysqlerr.NotYet("this column list of LOAD DATA")
			}
			variable, ok := set.LeftChild.(*expression.UserVar)
			if !ok {
				return mysqlerr.NotYet("this column list of LOAD DATA")
			}
			t := loadTarget{column: -1, variable: variable.Name}
			if n.ast.Columns[i].String() == SkippedField {
				t.variable = ""
			}
			it.targets = append(it.targets, t)
			continue
		}
		if next >= len(names) {
			return mysqlerr.NotYet("this column list of LOAD DATA")
		}
		it.targets = append(it.targets, loadTarget{column: it.sources.IndexOfColName(names[next])})
		next++
	}
	for _, name := range names {
		it.out = append(it.out, it.sources.IndexOfColName(name))
	}
	if len(names) == 0 {
		for i := range it.sources {
			it.out = append(it.out, i)
		}
	}
	it.seen = map[int]bool{}
	for _, e := range n.ast.SetExprs {
		at := it.sources.IndexOfColName(e.Name.Name.String())
		if at < 0 || at >= len(n.SetExprs) || n.SetExprs[at] == nil {
			return mysqlerr.New(mysqlerr.BadField, e.Name.Name.String(), "field list")
		}
		it.sets = append(it.sets, loadSet{column: at, value: n.SetExprs[at]})
		transform.InspectExpr(c, n.SetExprs[at], func(_ *sql.Context, e sql.Expression) bool {
			if f, ok := e.(*expression.GetField); ok {
				it.seen[f.Index()] = true
			}
			return false
		})
	}
	for _, at := range it.out {
		col := it.sources[at]
		if it.loads(at) || slices.ContainsFunc(it.sets, func(s loadSet) bool { return s.column == at }) {
			continue
		}
		it.zeroes = append(it.zeroes, at)
		if _, enum := col.Type.(sql.EnumType); !enum { // the default of which is its first value
			e := mysqlerr.New(mysqlerr.NoDefaultForField, col.Name)
			c.Session.Warn(&sql.Warning{Level: "Warning", Code: int(e.Number), Message: e.Message})
		}
	}
	return nil
}

// Close implements sql.RowIter.
func (it *loadIter) Close(*sql.Context) error { return it.file.Close() }

// Next implements sql.RowIter.
func (it *loadIter) Next(c *sql.Context) (sql.Row, error) {
	row, err := it.next(c)
	if errors.Is(err, loadfile.ErrTooLong) {
		err = mysqlerr.New(mysqlerr.NetPacketTooLarge).WithCause(err)
	}
	return row, err
}

func (it *loadIter) next(c *sql.Context) (sql.Row, error) {
	for ; it.ignored > 0 && it.in.HasLines(); it.ignored-- {
		if _, more, err := it.in.EndLine(); err != nil || !more {
			it.ignored = 0
			return nil, orEOF(err)
		}
	}
	if it.row > 0 && !it.done {
		c.Session.(Session).NoteLoaded(uint64(it.row))
		if err := it.endLine(c); err != nil {
			return nil, err
		}
	}
	for {
		if it.done {
			return nil, io.EOF
		}
		values, err := it.fields(c)
		if err != nil {
			return nil, err
		}
		if it.ignored > 0 { // without ends of lines, as many rows
			it.ignored--
			continue
		}
		return it.finish(c, values)
	}
}

// Info is the message of a LOAD DATA that has read so many rows.
func Info(rows, affected uint64, warnings uint16) string {
	var deleted, skipped uint64
	if affected > rows {
		deleted = affected - rows // a replaced row counts as two
	} else {
		skipped = rows - affected
	}
	return fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d", rows, deleted, skipped, warnings)
}

func orEOF(err error) error {
	if err == nil {
		return io.EOF
	}
	return err
}

// endLine skips what the line of the last row has beyond its columns.
func (it *loadIter) endLine(c *sql.Context) error {
	extra, more, err := it.in.EndLine()
	if err != nil {
		return err
	}
	if !more {
		// What is cut off at the end of the file is no reason for a warning.
		it.done = true
		return nil
	}
	if extra {
		return it.complain(c, mysqlerr.New(mysqlerr.WarnTooManyRecords, it.row))
	}
	return nil
}

// complain gives the warning e, which is an error in strict mode.
func (it *loadIter) complain(c *sql.Context, e *mysqlerr.Error) error {
	if it.strict {
		return e
	}
	c.Session.Warn(&sql.Warning{Level: "Warning", Code: int(e.Number), Message: e.Message})
	return nil
}

// fields reads one row, by the columns of the table.
func (it *loadIter) fields(c *sql.Context) (sql.Row, error) {
	values := make(sql.Row, len(it.sources))
	for i, t := range it.targets {
		f, ok, err := it.in.Field()
		if err != nil {
			return nil, err
		}
		if !ok && i == 0 {
			it.done = true
			return nil, io.EOF
		}
		if i == 0 && it.ignored == 0 {
			it.row++
		}
		if it.ignored > 0 {
			continue
		}
		switch {
		case t.column >= 0 && !ok:
			values[t.column], err = it.missing(c, it.sources[t.column])
		case t.column >= 0 && f.Null:
			values[t.column], err = it.null(c, it.sources[t.column])
		case t.column >= 0:
			values[t.column], err = it.value(c, it.sources[t.column], f.Data)
		case t.variable != "":
			err = it.assign(c, t.variable, f, ok)
		}
		if err != nil {
			return nil, err
		}
	}
	return values, nil
}

// missing is the value of a column that the line has no field for: not its default, but its type's zero.
func (it *loadIter) missing(c *sql.Context, col *sql.Column) (any, error) {
	if err := it.complain(c, mysqlerr.New(mysqlerr.WarnTooFewRecords, it.row)); err != nil {
		return nil, err
	}
	switch {
	case col.AutoIncrement, col.Nullable && col.Default == nil:
		return nil, nil
	case !col.Nullable && col.Type.Type() == sqltypes.Timestamp:
		return now(c)
	}
	return col.Type.Zero(), nil
}

// null is the value of a column for the field NULL.
func (it *loadIter) null(c *sql.Context, col *sql.Column) (any, error) {
	switch {
	case col.Nullable, col.AutoIncrement:
		return nil, nil
	case col.Type.Type() == sqltypes.Timestamp:
		return now(c)
	}
	if err := it.complain(c, mysqlerr.New(mysqlerr.WarnNullToNotNull, col.Name, it.row)); err != nil {
		return nil, err
	}
	return col.Type.Zero(), nil
}

func now(c *sql.Context) (any, error) {
	f, err := fn.NewNow(c)
	if err != nil {
		return nil, err
	}
	return f.Eval(c, nil)
}

// value is what a column is given for the text of a field, the bytes of which are copied.
func (it *loadIter) value(c *sql.Context, col *sql.Column, data []byte) (any, error) {
	text, ok := col.Type.(sql.TypeWithCollation)
	if schema.IsJSON(col.Type) {
		return it.jsonText(data)
	}
	if !ok {
		return string(data), nil // numbers, times and BIT
	}
	in := it.charset
	if own := text.Collation().CharacterSet(); own == sql.CharacterSet_binary {
		return append([]byte{}, data...), nil
	} else if in == sql.CharacterSet_binary {
		in = own
	}
	value, bad := decoded(in, data)
	if bad < 0 {
		return value, nil
	}
	e := mysqlerr.New(mysqlerr.TruncatedWrongValueForField, "string", printable(data[bad:]), col.DatabaseSource, col.Source, col.Name, it.row)
	return value, it.complain(c, e)
}

// decoded is text in the character set that go-mysql-server keeps, with question marks for bytes that are no text,
// and where the first of those is; -1 without any.
func decoded(in sql.CharacterSetID, data []byte) (text string, bad int) {
	bad = -1
	if (in == sql.CharacterSet_utf8mb4 || in == sql.CharacterSet_utf8mb3) && utf8.Valid(data) {
		return string(data), -1
	}
	var out strings.Builder
	one := func(at, size int) bool { return utf8.Valid(data[at : at+size]) }
	if in != sql.CharacterSet_utf8mb4 && in != sql.CharacterSet_utf8mb3 && in.Encoder() != nil {
		if whole, ok := in.Encoder().Decode(data); ok {
			return string(whole), -1
		}
		one = func(int, int) bool { return false }
	}
	for at := 0; at < len(data); {
		_, size := utf8.DecodeRune(data[at:])
		if one(at, size) {
			out.Write(data[at : at+size])
			at += size
			continue
		}
		if bad < 0 {
			bad = at
		}
		out.WriteByte('?')
		at++
	}
	return out.String(), bad
}

// printable shows the first bytes of a wrong text, as messages do.
func printable(data []byte) string {
	const shown = 6
	var out strings.Builder
	for _, c := range data[:min(len(data), shown)] {
		if c >= ' ' && c <= '~' {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, `\x%02X`, c)
		}
	}
	if len(data) > shown {
		out.WriteString("...")
	}
	return out.String()
}

func (it *loadIter) assign(c *sql.Context, name string, f loadfile.Field, ok bool) error {
	if !ok || f.Null {
		return c.SetUserVariable(c, name, nil, types.Null)
	}
	if it.charset == sql.CharacterSet_binary {
		return c.SetUserVariable(c, name, append([]byte{}, f.Data...), types.LongBlob)
	}
	text, bad := decoded(it.charset, f.Data)
	if bad >= 0 {
		return c.SetUserVariable(c, name, append([]byte{}, f.Data...), types.LongBlob)
	}
	return c.SetUserVariable(c, name, text, types.LongText)
}

// finish evaluates SET, and brings the values into the order of the columns that are stored.
func (it *loadIter) finish(c *sql.Context, values sql.Row) (sql.Row, error) {
	if len(it.sets) > 0 {
		typed := values.Copy()
		for i := range it.seen {
			if i >= len(typed) {
				continue
			}
			if v := typed[i]; v != nil {
				if own, _, err := it.sources[i].Type.Convert(c, v); err == nil {
					typed[i] = own
				}
			} else if d := it.sources[i].Default; d != nil && !it.loads(i) {
				own, err := d.Eval(c, typed)
				if err != nil {
					return nil, err
				}
				typed[i] = own
			}
		}
		for _, s := range it.sets {
			v, err := s.value.Eval(c, typed)
			if err != nil {
				return nil, err
			}
			values[s.column], typed[s.column] = v, v
		}
	}
	for _, at := range it.zeroes {
		t := it.sources[at].Type
		if e, ok := t.(sql.EnumType); ok && e.NumberOfElements() > 0 {
			values[at] = e.Values()[0]
			continue
		}
		values[at] = t.Zero()
	}
	row := make(sql.Row, len(it.out))
	for i, at := range it.out {
		row[i] = values[at]
	}
	return row, nil
}

// loads reports whether fields go to a column.
func (it *loadIter) loads(column int) bool {
	for _, t := range it.targets {
		if t.column == column {
			return true
		}
	}
	return false
}
