// Package outfile writes rows as SELECT ... INTO OUTFILE and INTO DUMPFILE do: fields and lines told apart, escaped and enclosed by MariaDB's rules.
// It knows bytes only: what a value's text is, and in which character set, is the caller's.
package outfile

import (
	"bufio"
	"bytes"
	"io"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// Separator is the argument of a clause such as TERMINATED BY.
type Separator struct {
	Bytes []byte
	Chars int
	// Plain says that it is ASCII text, in a character set that writes it as such.
	Plain bool
}

// ASCII is a separator of ASCII characters.
func ASCII(s string) Separator { return Separator{Bytes: []byte(s), Chars: len(s), Plain: true} }

func (s Separator) plain() bool { return s.Plain || len(s.Bytes) == 0 }

// Format is how fields and lines are told apart.
type Format struct {
	Terminated, Enclosed, Escaped, Starting, Lines Separator
	Optionally                                     bool // only text is enclosed
	// Dump is INTO DUMPFILE: values without anything between them.
	Dump bool
}

// Default is the format where nothing is said about it.
func Default() Format {
	return Format{Terminated: ASCII("\t"), Escaped: ASCII(`\`), Lines: ASCII("\n")}
}

// Column is what the writer has to know of a column.
type Column struct {
	// Text says that values are escaped, and enclosed by OPTIONALLY ENCLOSED BY: of all but numbers.
	Text bool
	// Bits says that it is a BIT.
	Bits bool
	// Length is how many bytes a value has at most, which is its width where there is nothing between fields.
	Length uint32
}

// Writer writes rows.
type Writer struct {
	out     *bufio.Writer
	format  Format
	columns []Column
	rows    int
	fixed   bool // fields have the width of their columns, and nothing between them
	escape  int  // as the following: a byte, none for nothing
	field   int  // the first byte of what ends a field
	quote   int  // the first byte of the enclosure, of what ends a field without one
	line    int  // the first byte of what ends a line
	numbers bool // a number may have the byte of quote in it
	doubled bool // quote is a letter that means something behind the escape character, and is doubled instead
	bare    bool // field is such a letter without an enclosure, and nothing escapes it
	client  *charset.Set
}

// none is no byte.
const none = -1

// Letters that mean something behind the escape character, and bytes of numbers. A zero byte belongs to both, as to every C string.
const (
	escapedLetters = "ntrb0ZN\x00"
	numberBytes    = ".0123456789e+-\x00"
)

// wide is the length of a column from which on it has no fixed width.
const wide = 1 << 24

// New writes to out. client is the character set of the client: in some the second byte of a character may be a backslash. The warnings are the
// numbers of those that the format deserves.
func New(out io.Writer, f Format, columns []Column, client *charset.Set) (w *Writer, warnings []uint16, err error) {
	w = &Writer{out: bufio.NewWriterSize(out, 64<<10), format: f, columns: columns}
	if f.Dump {
		return w, nil, nil
	}
	if f.Escaped.Chars > 1 || f.Enclosed.Chars > 1 {
		return nil, nil, mysqlerr.New(mysqlerr.WrongFieldTerminators)
	}
	if !single(f.Escaped) || !single(f.Enclosed) || !f.Terminated.plain() || !f.Lines.plain() || !f.Starting.plain() {
		warnings = append(warnings, mysqlerr.NonASCIISeparator)
	}
	if client != nil {
		switch client.Name() {
		case "big5", "cp932", "gbk", "sjis":
			w.client = client
		}
	}
	w.separators()
	texts, others, blobs := false, false, false
	for _, c := range columns {
		texts, others, blobs = texts || c.Text, others || !c.Text, blobs || c.Length >= wide
	}
	enclosed := len(f.Enclosed.Bytes) > 0
	w.fixed = len(f.Terminated.Bytes) == 0 && !enclosed && !blobs
	optional := f.Optionally && len(f.Terminated.Bytes) > 0 || !enclosed
	w.bare = w.doubled && !enclosed && (texts || w.numbers) || optional && others && w.field != none && oneOf(w.field, numberBytes)
	if w.bare {
		warnings = append(warnings, mysqlerr.AmbiguousFieldTerm)
	}
	return w, warnings, nil
}

// single reports whether an escape character or an enclosure is one ASCII byte, or nothing.
func single(s Separator) bool {
	return len(s.Bytes) <= 1 && (len(s.Bytes) == 0 || s.Bytes[0] < 0x80)
}

func oneOf(b int, of string) bool { return b != none && bytes.IndexByte([]byte(of), byte(b)) >= 0 }

// separators finds the bytes that have to be escaped.
func (w *Writer) separators() {
	f := &w.format
	if len(f.Lines.Bytes) == 0 {
		f.Lines = f.Terminated
	}
	w.field, w.line, w.quote, w.escape = first(f.Terminated), first(f.Lines), first(f.Enclosed), first(f.Escaped)
	if w.quote == none {
		w.quote = w.field
	}
	w.doubled, w.numbers = oneOf(w.quote, escapedLetters), oneOf(w.quote, numberBytes)
	if len(f.Terminated.Bytes) == 0 {
		f.Optionally = false
	}
}

func first(s Separator) int {
	if len(s.Bytes) == 0 {
		return none
	}
	return int(s.Bytes[0])
}

// Rows is how many there were.
func (w *Writer) Rows() int { return w.rows }

// Flush has to be called at the end.
func (w *Writer) Flush() error { return w.out.Flush() }

// Reset begins once more, in what out is now.
func (w *Writer) Reset(out io.Writer) { w.rows = 0; w.out.Reset(out) }

// dumped is how many rows DUMPFILE takes: MariaDB sees the second one too late.
const dumped = 2

// Row begins a row. One too many of DUMPFILE is an error.
func (w *Writer) Row() error {
	if w.rows++; w.format.Dump {
		if w.rows > dumped {
			return mysqlerr.New(mysqlerr.TooManyRows)
		}
		return nil
	}
	_, err := w.out.Write(w.format.Starting.Bytes)
	return err
}

// Null writes the next value, column at: NULL.
func (w *Writer) Null(at int) error {
	switch {
	case w.format.Dump:
		_ = w.out.WriteByte(0) // the end tells the error
	case w.fixed:
		w.spaces(int(w.columns[at].Length))
	case w.escape != none:
		_, _ = w.out.Write([]byte{byte(w.escape), 'N'})
	default:
		_, _ = w.out.WriteString("NULL")
	}
	return w.end(at)
}

// Value writes the next value, column at, whose text is in a character set.
func (w *Writer) Value(at int, text []byte, set *charset.Set) error {
	c := &w.columns[at]
	if w.format.Dump {
		_, err := w.out.Write(text)
		return err
	}
	if w.fixed {
		text = text[:min(len(text), int(c.Length))]
	}
	enclosed := len(w.format.Enclosed.Bytes) > 0 && (!w.format.Optionally || c.Text)
	if enclosed {
		_, _ = w.out.Write(w.format.Enclosed.Bytes)
	}
	switch {
	case w.escape == none:
		_, _ = w.out.Write(text)
	case c.Bits:
		w.bits(text)
	case c.Text || w.numbers:
		w.escaped(text, set, enclosed)
	default:
		_, _ = w.out.Write(text)
	}
	if w.fixed {
		w.spaces(int(c.Length) - len(text))
	}
	if enclosed {
		_, _ = w.out.Write(w.format.Enclosed.Bytes)
	}
	return w.end(at)
}

// end writes what follows a value.
func (w *Writer) end(at int) error {
	end := w.format.Terminated.Bytes
	if at == len(w.columns)-1 {
		end = w.format.Lines.Bytes
	}
	if w.format.Dump {
		end = nil
	}
	_, err := w.out.Write(end)
	return err
}

var blanks = bytes.Repeat([]byte{' '}, 256)

func (w *Writer) spaces(n int) {
	for n > 0 {
		wrote, err := w.out.Write(blanks[:min(n, len(blanks))])
		if n -= wrote; err != nil {
			return // the end tells it
		}
	}
}

// escaped writes a text whose special bytes are escaped. Those in a character of several bytes are not special.
func (w *Writer) escaped(text []byte, set *charset.Set, enclosed bool) {
	several := set != nil && set.MaxLen() > 1
	ascii := several && set.ASCIIBytes()
	from := 0
	for i := 0; i < len(text); i++ {
		if several && (!ascii || text[i] >= 0x80) {
			if _, size, _ := set.Decode(text[i:]); size > 1 {
				i += size - 1
				continue
			}
		}
		if !w.special(text[i], enclosed) && !w.misread(text, i, set, enclosed) || w.bare && !enclosed && int(text[i]) == w.field {
			continue
		}
		_, _ = w.out.Write(text[from:i])
		by, c := byte(w.escape), text[i]
		if w.doubled && int(c) == w.quote {
			by = c
		}
		if c == 0 {
			c = '0'
		}
		_, _ = w.out.Write([]byte{by, c})
		from = i + 1
	}
	_, _ = w.out.Write(text[from:])
}

// special reports whether a byte has to be escaped.
func (w *Writer) special(c byte, enclosed bool) bool {
	end := w.field
	if enclosed {
		end = w.quote
	}
	return c == 0 || int(c) == w.escape || int(c) == end || int(c) == w.line
}

// misread reports whether the client would take a byte of binary text for the first one of a character whose second byte is special: it is escaped,
// so that the second one is, too.
func (w *Writer) misread(text []byte, i int, set *charset.Set, enclosed bool) bool {
	if w.client == nil || set != nil && set.Name() != "binary" || i+1 >= len(text) || text[i] < 0x80 || !w.special(text[i+1], enclosed) {
		return false
	}
	_, size, _ := w.client.Decode([]byte{text[i], '@'}) // which is a second byte in all of these sets
	return size > 1
}

// bits writes the bytes of a BIT. MariaDB escapes none of them, and cannot read its own file if they are separators.
func (w *Writer) bits(data []byte) {
	for _, c := range data {
		if b := int(c); b == w.escape || b == w.field || b == w.quote || b == w.line {
			_ = w.out.WriteByte(byte(w.escape))
		}
		_ = w.out.WriteByte(c)
	}
}
