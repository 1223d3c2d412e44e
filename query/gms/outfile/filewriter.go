// Package outfile writes the files of SELECT ... INTO OUTFILE and DUMPFILE.
package outfile

import (
	"io"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/outfile"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/types/charset"
)

// Writer writes rows in the format of SELECT ... INTO OUTFILE, or as they are (DUMPFILE).
type Writer struct {
	out    io.Writer
	into   *plan.Into
	writer *outfile.Writer
	cols   []result.Column
	buf    []byte // the bytes of a value
	// encoders of columns in other character sets than UTF-8.
	encoders []encodings.Encoder
}

var _ result.Sink = (*Writer)(nil)

// NewWriter writes to out what into asks for; schema is the query's, text the statement's.
func NewWriter(out io.Writer, into *plan.Into, schema sql.Schema, text string, mode dialect.Mode) (*Writer, error) {
	encoders, err := outfileEncoders(schema, text, mode)
	return &Writer{out: out, into: into, encoders: encoders}, err
}

// Rows is how many there were.
func (w *Writer) Rows() int { return w.writer.Rows() }

// Flush has to be called at the end; its error is that of any row.
func (w *Writer) Flush() error { return w.writer.Flush() }

// Columns implements result.Sink.
func (w *Writer) Columns(cols []result.Column) (err error) {
	w.cols = cols
	columns := make([]outfile.Column, len(cols))
	for i, c := range cols {
		columns[i].Bits = c.Type == mysql.MYSQL_TYPE_BIT
		columns[i].Length = c.Length
		switch c.Type {
		case mysql.MYSQL_TYPE_DECIMAL, mysql.MYSQL_TYPE_TINY, mysql.MYSQL_TYPE_SHORT, mysql.MYSQL_TYPE_LONG,
			mysql.MYSQL_TYPE_FLOAT, mysql.MYSQL_TYPE_DOUBLE, mysql.MYSQL_TYPE_LONGLONG, mysql.MYSQL_TYPE_INT24,
			mysql.MYSQL_TYPE_YEAR, mysql.MYSQL_TYPE_BIT, mysql.MYSQL_TYPE_NEWDECIMAL:
		default:
			columns[i].Text = true
		}
	}
	w.writer, _, err = outfile.New(w.out, formatOf(w.into), columns, nil)
	return err
}

func formatOf(into *plan.Into) outfile.Format {
	return outfile.Format{
		Terminated: outfile.ASCII(into.FieldsTerminatedBy), Enclosed: outfile.ASCII(into.FieldsEnclosedBy), Escaped: outfile.ASCII(into.FieldsEscapedBy),
		Starting: outfile.ASCII(into.LinesStartingBy), Lines: outfile.ASCII(into.LinesTerminatedBy), Optionally: into.FieldsEnclosedByOpt, Dump: into.Dumpfile != "",
	}
}

// EndRows implements result.Sink.
func (w *Writer) EndRows(result.Status) error { return nil }

// OK implements result.Sink.
func (w *Writer) OK(result.OK) error { return nil }

// Row implements result.Sink.
func (w *Writer) Row(row result.Row) error {
	err := w.writer.Row()
	for i := range w.cols {
		if err != nil {
			return err
		}
		if v := row.Value(i); v.IsNull() {
			err = w.writer.Null(i)
		} else {
			err = w.writer.Value(i, w.bytes(v, i), utf8)
		}
	}
	return err
}

// utf8 is the character set of text that is not written in another one of single bytes, where no byte belongs to a character of several.
var utf8, _ = charset.SetByName("utf8mb4")

// bytes are those of a value of the column i in the file, until the next call.
func (w *Writer) bytes(v result.Value, i int) []byte {
	w.buf = w.cols[i].AppendText(w.buf[:0], v)
	if i >= len(w.encoders) || w.encoders[i] == nil {
		return w.buf
	}
	return w.encoders[i].EncodeReplaceUnknown(w.buf)
}
