package assign

import (
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

// field is a column with its conditions.
type field struct{ *Column }

func (f field) outOfRange(c *Context) { c.Diag.Warn(mysqlerr.WarnDataOutOfRange, f.Name, c.Row) }

func (f field) truncated(c *Context) { c.Diag.Warn(mysqlerr.DataTruncated, f.Name, c.Row) }

func (f field) noteTruncated(c *Context) { c.Diag.Note(mysqlerr.DataTruncated, f.Name, c.Row) }

// tooLong is a text, or bits, without room: 1406 if that is an error, else another warning.
func (f field) tooLong(c *Context, warning uint16) {
	if c.strict(mysqlerr.DataTooLong) {
		warning = mysqlerr.DataTooLong
	}
	c.Diag.Warn(warning, f.Name, c.Row)
}

// incorrect is a text that is nothing that the column can make a value of.
func (f field) incorrect(c *Context, word, shown string) {
	c.Diag.Warn(mysqlerr.TruncatedWrongValueForField, word, types.Cut(shown), f.Database, f.Table, f.Name, c.Row)
}

// wrong is the same of columns that have number 1292 for it.
func (f field) wrong(c *Context, word, shown string) {
	c.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s' for column `%s`.`%s`.`%s` at row %d",
		word, types.CutBytes(shown), f.Database, f.Table, f.Name, c.Row)
}

// shownBytesMax is how many bytes messages have of a text that is wrong from there on.
const shownBytesMax = 6

// shownBytes are the first bytes of a text, as 1366 "Incorrect string value" has them.
func shownBytes(set *charset.Set, s []byte) string {
	more := len(s) > shownBytesMax
	out := make([]byte, 0, 4*shownBytesMax+3)
	for i := range s[:min(len(s), shownBytesMax)] {
		switch b := s[i]; {
		case b == 0x7F && set.MinLen() == 1:
			out = append(out, `\007F`...)
		case b >= ' ' && b < 0x7F && set.MinLen() == 1:
			out = append(out, b)
		default:
			out = types.AppendEscaped(out, s[i:i+1])
		}
	}
	if more {
		out = append(out, "..."...)
	}
	return string(out)
}

// blank reports whether a text is nothing but white space, as a character set has it: bytes are never.
func blank(set *charset.Set, s []byte) bool {
	if set.Name() == "binary" {
		return len(s) == 0
	}
	if set.MinLen() > 1 {
		for len(s) > 0 {
			r, size, ok := set.Decode(s)
			if !ok || r != ' ' {
				return false
			}
			s = s[size:]
		}
		return true
	}
	for _, b := range s {
		if !isSpace(b) {
			return false
		}
	}
	return true
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
