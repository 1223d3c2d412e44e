// Package loadfile splits the text files of LOAD DATA INFILE into lines and fields, by MariaDB's rules.
// It knows no types and no SQL: what a field means for a column is package query's.
package loadfile

import (
	"bufio"
	"errors"
	"io"
)

// Format is how a file's lines and fields are told apart: the clauses FIELDS and LINES.
type Format struct {
	FieldsTerminatedBy string
	LinesStartingBy    string
	LinesTerminatedBy  string // empty: lines end where their fields do
	EnclosedBy         string // at most one byte
	EscapedBy          string // at most one byte
}

// MaxSeparator is the length of the longest separator, in bytes.
const MaxSeparator = 4 << 10

// ErrTooLong is the error of a line whose fields are longer than allowed.
var ErrTooLong = errors.New("a line of the file is too long")

// none is the byte of a separator that there is not.
const none = -1

// Reader yields the fields of a file, line by line. It is not safe for concurrent use.
//
// The order of calls is Field until it says that there is none or the line's columns are served, then EndLine.
type Reader struct {
	in               *bufio.Reader
	field, line      string
	start            string
	enclose, escape  int
	held             int // a byte that was read too early
	max, used        int // bytes of a line
	buf              []byte
	ends             [2][256]bool // of bytes, outside and inside of enclosures: they may be more than themselves
	begin, ended, at bool         // the line's start is still to be found; its end was read; the file's end was read
}

// NewReader reads a file. The fields of one line must not have more than so many bytes together.
func NewReader(r io.Reader, f Format, limit int) *Reader {
	s := &Reader{
		in: bufio.NewReaderSize(r, 64<<10), field: f.FieldsTerminatedBy, line: f.LinesTerminatedBy, start: f.LinesStartingBy,
		enclose: byteOf(f.EnclosedBy), escape: byteOf(f.EscapedBy), held: none, max: limit, begin: f.LinesStartingBy != "",
	}
	if s.field == s.line {
		s.line = "" // the fields' own end a line
	}
	for _, text := range []string{s.line, s.field} {
		if text != "" {
			s.ends[0][text[0]] = true
		}
	}
	if s.enclose != none {
		s.ends[1][s.enclose] = true
	}
	if s.escape != none {
		s.ends[0][s.escape], s.ends[1][s.escape] = true, true
	}
	return s
}

func byteOf(s string) int {
	if s == "" {
		return none
	}
	return int(s[0])
}

// Field is a value of a file. Its Data are valid until the next call.
type Field struct {
	Data []byte
	Null bool
}

// Field reads the next field of the line; false if there is none.
func (r *Reader) Field() (Field, bool, error) {
	if r.ended || r.at {
		return Field{}, false, nil
	}
	if r.begin {
		r.begin = false
		if found, err := r.skipTo(r.start); !found || err != nil {
			return Field{}, false, err
		}
	}
	c, err := r.get()
	if c == none || err != nil {
		return Field{}, false, err
	}
	r.buf = r.buf[:0]
	enclosed := r.enclose != none && c == r.enclose
	if !enclosed {
		r.held = c
	} else if err := r.put(c); err != nil {
		return Field{}, false, err
	}
	f, err := r.rest(enclosed)
	return f, err == nil, err
}

// rest reads a field from after its opening enclosure, which is in the buffer already: it belongs to the
// value if the closing one is missing.
func (r *Reader) rest(enclosed bool) (Field, error) {
	escapedNull := false
	plain := func() Field {
		word := r.enclose != none && string(r.buf) == "NULL"
		return Field{Data: r.buf, Null: word || escapedNull && len(r.buf) == 1}
	}
	ends := &r.ends[0]
	if enclosed {
		ends = &r.ends[1]
	}
	for {
		if err := r.putUntil(ends); err != nil {
			return Field{}, err
		}
		c, err := r.get()
		if err != nil {
			return Field{}, err
		}
		if c == none {
			return plain(), nil
		}
		if c == r.escape {
			next, err := r.get()
			if err != nil {
				return Field{}, err
			}
			if next == none {
				err = r.put(c)
				return plain(), err
			}
			// What both escapes and encloses stands for itself when it is doubled, and escapes nothing else.
			if r.escape != r.enclose || next == r.escape {
				escapedNull = escapedNull || next == 'N'
				if err := r.put(unescaped(next)); err != nil {
					return Field{}, err
				}
				continue
			}
			r.held = next
		}
		switch {
		case !enclosed:
			if ok, err := r.terminator(c, r.line); ok || err != nil {
				r.ended = true
				return plain(), err
			}
			if ok, err := r.terminator(c, r.field); ok || err != nil {
				return plain(), err
			}
		case c == r.enclose:
			done, err := r.closed()
			if err != nil {
				return Field{}, err
			}
			if done {
				value := r.buf[1:]
				return Field{Data: value, Null: escapedNull && len(value) == 1}, nil
			}
		}
		if err := r.put(c); err != nil {
			return Field{}, err
		}
	}
}

// closed reports whether an enclosure within an enclosed field ends it: the end of the field, of the line or of
// the file follows. Else it belongs to the value, once if it is doubled.
func (r *Reader) closed() (bool, error) {
	c, err := r.get()
	if err != nil || c == r.enclose {
		return false, err
	}
	if c == none {
		r.ended = true
		return true, nil
	}
	if ok, err := r.terminator(c, r.line); ok || err != nil {
		r.ended = true
		return true, err
	}
	if ok, err := r.terminator(c, r.field); ok || err != nil {
		return true, err
	}
	r.held = c
	return false, nil
}

// EndLine goes on to the next line. extra says that the line had more than was read; more, that there may be another.
func (r *Reader) EndLine() (extra, more bool, err error) {
	r.begin, r.used = r.start != "", 0
	if r.ended || r.at {
		r.ended = false
		return false, !r.at, nil
	}
	if r.line == "" {
		return false, true, nil
	}
	for {
		c, err := r.get()
		if c == none || err != nil {
			return extra, false, err
		}
		if c == r.escape {
			extra = true
			if c, err = r.get(); c == none || err != nil {
				return extra, false, err
			}
			continue
		}
		if ok, err := r.terminator(c, r.line); ok || err != nil {
			return extra, err == nil, err
		}
		extra = true
	}
}

// HasLines reports whether a terminator ends lines; without one there are none to be skipped.
func (r *Reader) HasLines() bool { return r.line != "" }

// get gives the next byte, none at the end.
func (r *Reader) get() (int, error) {
	if c := r.held; c != none {
		r.held = none
		return c, nil
	}
	c, err := r.in.ReadByte()
	if err == io.EOF {
		r.at = true
		return none, nil
	}
	return int(c), err
}

func (r *Reader) put(c int) error {
	if r.used++; r.used > r.max {
		return ErrTooLong
	}
	r.buf = append(r.buf, byte(c))
	return nil
}

// putUntil puts bytes that are themselves, as far as they were read from the file already.
func (r *Reader) putUntil(ends *[256]bool) error {
	if r.held != none {
		return nil
	}
	read, _ := r.in.Peek(r.in.Buffered()) // which reads nothing
	n := 0
	for n < len(read) && !ends[read[n]] {
		n++
	}
	if r.used += n; r.used > r.max {
		return ErrTooLong
	}
	r.buf = append(r.buf, read[:n]...)
	_, _ = r.in.Discard(n) // of what is there
	return nil
}

// terminator reports whether c, which was read, begins text, and skips the rest of it then.
func (r *Reader) terminator(c int, text string) (bool, error) {
	if text == "" || byte(c) != text[0] {
		return false, nil
	}
	next, err := r.in.Peek(len(text) - 1) // text is shorter than the buffer
	if err != nil && err != io.EOF {
		return false, err
	}
	if string(next) != text[1:] {
		return false, nil
	}
	_, err = r.in.Discard(len(text) - 1)
	return err == nil, err
}

// skipTo reads up to the end of text, across lines; false if it does not come.
func (r *Reader) skipTo(text string) (bool, error) {
	for {
		c, err := r.get()
		if c == none || err != nil {
			return false, err
		}
		if ok, err := r.terminator(c, text); ok || err != nil {
			return ok, err
		}
	}
}

// unescaped is the byte that an escaped one stands for.
func unescaped(c int) int {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case '0':
		return 0
	case 'Z':
		return 26
	}
	return c
}
