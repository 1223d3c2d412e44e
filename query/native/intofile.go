package native

import (
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/outfile"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// intoFile is INTO OUTFILE or INTO DUMPFILE.
type intoFile struct {
	name   string
	format outfile.Format
	target *charset.Set // CHARACTER SET; nil: each text is written in its own
}

// mayWriteFile asks for the privilege that a result in a file needs, before anything else is looked at.
func (b *binding) mayWriteFile(into tree.Into) error {
	switch into.(type) {
	case *tree.IntoOutfile, *tree.IntoDumpfile:
		return b.Rights().Check(privilege.Needs{List: []privilege.Need{{On: privilege.Global, All: privilege.File}}})
	}
	return nil
}

// file notes the file that gets the rows.
func (b *binding) file(st *Statement, n *tree.Select) error {
	switch into := n.Into.(type) {
	case *tree.IntoDumpfile:
		b.endsWithInto(st, n, into.Start)
		st.file = &intoFile{name: into.File, format: outfile.Format{Dump: true}}
	case *tree.IntoOutfile:
		b.endsWithInto(st, n, into.Start)
		format, err := b.fileFormat(st.info.Text, into.Format)
		if err != nil {
			return err
		}
		st.file = &intoFile{name: into.File, format: format}
		if into.Charset == "" || into.Charset == "binary" {
			break
		}
		set, ok := b.binder.Env.CharsetNamed(into.Charset)
		if !ok {
			return mysqlerr.New(mysqlerr.UnknownCharacterSet, into.Charset)
		}
		st.file.target = set
	}
	st.info.Result = false
	return nil
}

// fileFormat is what FIELDS and LINES say.
func (b *binding) fileFormat(text string, n *tree.TextFormat) (f outfile.Format, err error) {
	f = outfile.Default()
	if b.binder.Env.Mode.Has(types.NoBackslashEscapes) {
		f.Escaped = outfile.Separator{}
	}
	if n == nil {
		return f, nil
	}
	f.Optionally = n.Optionally
	for _, part := range []struct {
		to   *outfile.Separator
		from *tree.TextLit
	}{{&f.Terminated, n.Terminated}, {&f.Enclosed, n.Enclosed}, {&f.Escaped, n.Escaped}, {&f.Starting, n.Starting}, {&f.Lines, n.LinesTerminated}} {
		if part.from == nil {
			continue
		}
		if *part.to, err = b.separator(text, part.from); err != nil {
			return f, err
		}
	}
	return f, nil
}

// separator is a literal of FIELDS or LINES: in the connection's character set, as MariaDB writes it; one of digits is bytes.
func (b *binding) separator(text string, n *tree.TextLit) (outfile.Separator, error) {
	if quote := text[n.Start]; quote != '\'' && quote != '"' {
		s := outfile.ASCII(n.Value)
		for _, c := range s.Bytes {
			s.Plain = s.Plain && c < 0x80
		}
		return s, nil
	}
	x, err := b.binder.Expr(n)
	if err != nil {
		return outfile.Separator{}, err
	}
	v := x.Compute(b.frame)
	if v.Null {
		return outfile.Separator{}, bind.Refusal("a separator that is NULL") // of sql_mode EMPTY_STRING_IS_NULL
	}
	set := x.Type.Collation.Set()
	return outfile.Separator{Bytes: append([]byte(nil), v.Text...), Chars: set.Len(v.Text), Plain: set.MinLen() == 1 && set.IsASCII(v.Text)}, nil
}

// fileOutput writes the rows of a result into a file.
type fileOutput struct {
	st     *Statement
	file   *os.File
	writer *outfile.Writer
	sets   []*charset.Set // by column: of its text
	text   []byte
	other  []byte // the text in another character set
}

// openFile makes the file of a SELECT that has one. It stays when the statement fails, as MariaDB's does, with the rows that came before.
func (o *output) openFile() error {
	st := o.st
	if st.file == nil {
		return nil
	}
	file, err := st.session.Rest.CreateFile(st.file.name)
	if err != nil {
		return err
	}
	out := &fileOutput{st: st, file: file}
	latin1, _ := charset.SetByName("latin1")
	columns := make([]outfile.Column, len(o.items))
	for i, x := range o.items {
		set := latin1 // of numbers
		class := x.Type.Class()
		if class == types.ClassText && x.Type.Collation != nil {
			set = x.Type.Collation.Set()
		}
		out.sets = append(out.sets, set)
		columns[i] = outfile.Column{
			Text: x.Type.Kind != types.Null && (class == types.ClassText || class == types.ClassTime) || x.Null(), Bits: x.Type.Kind == types.Bit, Length: o.columns[i].Length,
		}
	}
	var warnings []uint16
	out.writer, warnings, err = outfile.New(file, st.file.format, columns, st.frame.Env.Client)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	for _, number := range warnings {
		st.frame.Diag.WarnOnly(number)
	}
	st.bound = len(st.frame.Diag.Conditions)
	o.file = out
	return nil
}

// reset begins with an empty file, for another attempt.
func (out *fileOutput) reset() {
	if out.writer.Rows() == 0 {
		return
	}
	err := out.file.Truncate(0)
	if err == nil {
		_, err = out.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		out.st.frame.FailWith(out.failed(err))
	}
	out.writer.Reset(out.file)
}

// close ends the file of a statement whose error is err. A statement that is bound once more makes it anew.
func (out *fileOutput) close(err error) error {
	flushed := out.writer.Flush()
	if closed := out.file.Close(); flushed == nil {
		flushed = closed
	}
	switch {
	case errors.Is(err, ErrStale):
		return errors.Join(err, os.Remove(out.file.Name()))
	case err == nil && flushed != nil:
		return out.failed(flushed)
	}
	return err
}

// failed is the error of a file that cannot be written.
func (out *fileOutput) failed(err error) error {
	var e *mysqlerr.Error
	if errors.As(err, &e) {
		return err
	}
	var errno syscall.Errno
	_ = errors.As(err, &errno) // 0 of another cause
	return mysqlerr.New(mysqlerr.ErrorOnWrite, out.st.file.name, int(errno), errno.Error()).WithCause(err)
}

// row writes the row that the frame shows.
func (out *fileOutput) row(o *output) error {
	f := out.st.frame
	if err := out.writer.Row(); err != nil {
		return out.failed(err)
	}
	for i, x := range o.items {
		v := x.Compute(f)
		if err := f.Diag.Failed(); err != nil {
			return err
		}
		var err error
		if v.Null {
			err = out.writer.Null(i)
		} else {
			var shown result.Value
			shown, o.decs = typed.Value(x.Type, v, o.decs[:0])
			err = out.value(o, i, x.Expr, shown)
		}
		if err != nil {
			return out.failed(err)
		}
	}
	o.count++
	return nil
}

// value writes a value that is not NULL, in the character set of the file.
func (out *fileOutput) value(o *output, at int, x *eval.Expr, v result.Value) error {
	f := out.st.frame
	size := int64(len(v.Raw()))
	to, from := out.st.file.target, out.sets[at]
	if size > longRow && f.Charge != nil {
		copies := int64(1)
		if to != nil {
			copies += int64(to.MaxLen())
		}
		if err := f.Charge(copies * size); err != nil {
			_ = f.Charge(-copies * size) // refused or not: a session counts what it refuses until it is released
			return err
		}
		defer func() {
			out.text, out.other = nil, nil
			_ = f.Charge(-copies * size)
		}()
	}
	out.text = o.columns[at].AppendText(out.text[:0], v)
	if to == nil || to == from {
		return out.writer.Value(at, out.text, from)
	}
	var done charset.Conversion
	if out.other, done = charset.Convert(out.other[:0], to, from, out.text); !done.OK() {
		f.Diag.Warnf(mysqlerr.TruncatedWrongValueForField, "Data truncated for column '%s' at row %d", o.columns[at].Name, out.writer.Rows())
	}
	return out.writer.Value(at, out.other, to)
}
