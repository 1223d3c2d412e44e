// Package outfile writes the files of SELECT ... INTO OUTFILE and DUMPFILE.
package outfile

import (
	"bufio"
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
)

// Writer writes rows in the format of SELECT ... INTO OUTFILE, or one row as it is (DUMPFILE).
type Writer struct {
	out  *bufio.Writer
	into *plan.Into
	rows int
	cols []result.Column
	text []bool // by column: its values are enclosed, and escaped
	bits []bool // by column: it is a BIT
	buf  []byte // the bytes of a value
	// encoders of columns in other character sets than UTF-8.
	encoders []encodings.Encoder
}

var _ result.Sink = (*Writer)(nil)

// NewWriter writes to out what into asks for; schema is the query's, text the statement's.
func NewWriter(out io.Writer, into *plan.Into, schema sql.Schema, text string, mode dialect.Mode) (*Writer, error) {
	encoders, err := outfileEncoders(schema, text, mode)
	return &Writer{out: bufio.NewWriterSize(out, 64<<10), into: into, encoders: encoders}, err
}

// Rows is how many there were.
func (w *Writer) Rows() int { return w.rows }

// Flush has to be called at the end; its error is that of any row.
func (w *Writer) Flush() error { return w.out.Flush() }

// Columns implements result.Sink.
func (w *Writer) Columns(cols []result.Column) error {
	w.cols, w.text, w.bits = cols, make([]bool, len(cols)), make([]bool, len(cols))
	for i, c := range cols {
		w.bits[i] = c.Type == mysql.MYSQL_TYPE_BIT
		switch c.Type {
		case mysql.MYSQL_TYPE_DECIMAL, mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_LONG,
			mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE, mysql.MYSQL_TYPE_LONGLONG, mysql.MYSQL_TYPE_INT24,
			mysql.MYSQL_TYPE_YEAR, mysql.MYSQL_TYPE_BIT, mysql.MYSQL_TYPE_NEWDECIMAL:
		default:
			w.text[i] = true
		}
	}
	return nil
}

// EndRows implements result.Sink.
func (w *Writer) EndRows(result.Status) error { return nil }

// OK implements result.Sink.
func (w *Writer) OK(result.OK) error { return nil }

// Row implements result.Sink.
func (w *Writer) Row(row result.Row) error {
	w.rows++
	if w.into.Dumpfile != "" {
		if w.rows > 1 {
			return mysqlerr.New(mysqlerr.TooManyRows)
		}
		for i := range w.cols {
			_, _ = w.out.Write(w.bytes(row.Value(i), i)) // Flush tells the error
		}
		return nil
	}
	_, _ = w.out.WriteString(w.into.LinesStartingBy)
	for i := range w.cols {
		if i > 0 {
			_, _ = w.out.WriteString(w.into.FieldsTerminatedBy)
		}
		w.value(row.Value(i), i)
	}
	_, err := w.out.WriteString(w.into.LinesTerminatedBy)
	return err
}

// value writes one value. The rule is that of MariaDB's select_export::send_data (sql/sql_class.cc): what is escaped is the
// escape character, the first character of what ends a field (of the enclosure, where there is one) and of what ends a
// line, and a zero byte.
func (w *Writer) value(v result.Value, i int) {
	text := w.text[i]
	enclosed := w.into.FieldsEnclosedBy != "" && (!w.into.FieldsEnclosedByOpt || text)
	escape, escapes := first(w.into.FieldsEscapedBy)
	if v.IsNull() {
		if escapes {
			_, _ = w.out.Write([]byte{escape, 'N'})
		} else {
			_, _ = w.out.WriteString("NULL")
		}
		return
	}
	if enclosed {
		_, _ = w.out.WriteString(w.into.FieldsEnclosedBy)
	}
	if w.bits[i] && escapes {
		w.bit(w.bytes(v, i), escape)
	} else if !text || !escapes {
		_, _ = w.out.Write(w.bytes(v, i))
	} else {
		field, hasField := first(w.into.FieldsTerminatedBy)
		if enclosed {
			field, hasField = first(w.into.FieldsEnclosedBy)
		}
		line, hasLine := first(w.into.LinesTerminatedBy)
		for _, c := range w.bytes(v, i) {
			switch {
			case c == 0:
				_, _ = w.out.Write([]byte{escape, '0'})
				continue
			case c == escape, hasField && c == field, hasLine && c == line:
				_ = w.out.WriteByte(escape)
			}
			_ = w.out.WriteByte(c)
		}
	}
	if enclosed {
		_, _ = w.out.WriteString(w.into.FieldsEnclosedBy)
	}
}

// bit writes the bytes of a BIT. MariaDB escapes none of them, and cannot read its own file if they are separators.
func (w *Writer) bit(data []byte, escape byte) {
	for _, c := range data {
		special := c == escape
		for _, separator := range []string{w.into.FieldsTerminatedBy, w.into.FieldsEnclosedBy, w.into.LinesTerminatedBy} {
			b, ok := first(separator)
			special = special || ok && b == c
		}
		if special {
			_ = w.out.WriteByte(escape)
		}
		_ = w.out.WriteByte(c)
	}
}

// bytes are those of a value of the column i in the file, until the next call.
func (w *Writer) bytes(v result.Value, i int) []byte {
	w.buf = w.cols[i].AppendText(w.buf[:0], v)
	if i >= len(w.encoders) || w.encoders[i] == nil || v.IsNull() {
		return w.buf
	}
	return w.encoders[i].EncodeReplaceUnknown(w.buf)
}

func first(s string) (c byte, ok bool) {
	if s == "" {
		return 0, false
	}
	return s[0], true
}
