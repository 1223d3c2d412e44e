package convert

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// volatile matches defaults that are another value each time: MariaDB's replicas have none of them.
var volatile = regexp.MustCompile(`(?i)^\(*(CURRENT_|LOCALTIME|UTC_|NOW\(|SYSDATE\(|CURDATE\(|CURTIME\(|UNIX_TIMESTAMP\(\)|UUID|SYS_GUID\(|RAND\(|USER\(|SESSION_USER\(|CONNECTION_ID\()[A-Z_]*\(?[0-9]?\)*$`)

// appendDefault appends what a column gets that an event lacks.
func (p *Plan) appendDefault(dst []byte, column int) (out []byte, null bool, err error) {
	col, def := &p.table.Columns[column], &p.table.Def.Columns[column]
	refused := func() ([]byte, bool, error) {
		return dst, false, &DefaultError{DB: p.table.Def.DB, Table: p.table.Def.Name, Column: def.Name, Default: def.Default}
	}
	switch {
	case def.Generated != "":
		return dst, true, nil // see Generated
	case def.HasDefault && !def.DefaultLiteral && !volatile.MatchString(def.Default):
		return refused() // MariaDB computes what is constant of these
	case !def.HasDefault || !def.DefaultLiteral:
		if def.Nullable {
			return dst, true, nil
		}
		out, err = row.AppendValue(dst, col, zero(col, def))
	case strings.EqualFold(def.Default, "NULL"):
		return dst, true, nil
	default:
		value, ok := literal(col, def)
		if !ok {
			return refused()
		}
		out, err = row.AppendValue(dst, col, value)
	}
	if err != nil {
		return refused()
	}
	return out, false, nil
}

// zero is the value of a column without a default, for row.AppendValue.
func zero(col *row.Column, def *catalog.ColumnDef) any {
	switch k := kindOf(col.Type, col.Meta); {
	case k.class == enum && !def.HasDefault:
		return 1
	case k.class == text, col.Type == mysql.MYSQL_TYPE_GEOMETRY:
		return ""
	case k.class == date, k.class == moment, k.class == stamp:
		return time.Time{}
	case k.class == clock:
		return time.Duration(0)
	}
	return 0
}

// literal is the value of a constant default, for row.AppendValue. ok is false for one that is written in a way that is not understood here.
func literal(col *row.Column, def *catalog.ColumnDef) (value any, ok bool) {
	k := kindOf(col.Type, col.Meta)
	if isFixed(def) {
		return nil, false
	}
	if k.class == stamp && def.DefaultMoment != 0 {
		return time.UnixMicro(def.DefaultMoment), true
	}
	content, quoted := unquoted(def.Default)
	if !quoted && strings.HasPrefix(content, "b'") { // b'101'
		n, err := strconv.ParseUint(strings.TrimSuffix(content[2:], "'"), 2, 64)
		return n, err == nil && k.class == bits
	}
	switch {
	case k.class == integer, col.Type == mysql.MYSQL_TYPE_YEAR, k.class == bits && !quoted:
		return wholeNumber(content)
	case k.class == float:
		v, err := strconv.ParseFloat(content, 64)
		return v, err == nil
	case k.class == decimal:
		return content, content != ""
	case k.class == text:
		if strings.HasPrefix(content, "0x") && !quoted {
			b, err := hex.DecodeString(content[2:])
			return b, err == nil
		}
		charset, _ := mysql.CharsetName(def.Collation)
		plain := isASCII([]byte(content)) && wide[charset] == 0 // definitions are kept in UTF-8
		return content, plain || charset == "utf8mb3" || charset == "utf8mb4"
	case k.class == enum:
		i := slices.Index(def.EnumValues, content)
		return i + 1, quoted && i >= 0
	case k.class == set && quoted:
		return setOf(content, def.EnumValues)
	case k.class == clock:
		return timeOf(content)
	case k.class == date:
		return dateOf(content, "2006-01-02")
	case k.class == moment, k.class == stamp:
		if v, ok := dateOf(content, "2006-01-02 15:04:05"); ok && (k.class == moment || v.IsZero()) { // another TIMESTAMP has its moment
			return v, true
		}
		v, ok := dateOf(content, "2006-01-02")
		return v, ok && (k.class == moment || v.IsZero())
	}
	return nil, false
}

// unquoted is the content of a quoted string, or the text itself.
func unquoted(text string) (content string, quoted bool) {
	if len(text) < 2 || text[0] != '\'' || text[len(text)-1] != '\'' {
		return text, false
	}
	var b strings.Builder
	for text = text[1 : len(text)-1]; text != ""; text = text[1:] {
		switch {
		case strings.HasPrefix(text, "''"):
			text = text[1:]
		case text[0] == '\\' && len(text) > 1:
			text = text[1:]
			if at := strings.IndexByte("0nrtbZ", text[0]); at >= 0 {
				b.WriteByte("\x00\n\r\t\b\x1a"[at])
				continue
			}
		}
		b.WriteByte(text[0])
	}
	return b.String(), true
}

func wholeNumber(text string) (any, bool) {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func setOf(text string, members []string) (any, bool) {
	v := uint64(0)
	for name := range strings.SplitSeq(text, ",") {
		i := slices.Index(members, name)
		if i < 0 && text != "" {
			return nil, false
		}
		if i >= 0 {
			v |= 1 << i
		}
	}
	return v, true
}

// dateOf reads a date, with a fraction of a second after its time.
func dateOf(text, layout string) (time.Time, bool) {
	if head, fraction, _ := strings.Cut(text, "."); strings.Trim(fraction, "0") == "" && (head == "0000-00-00" || head == "0000-00-00 00:00:00" || head == "0") {
		return time.Time{}, true
	}
	t, err := time.Parse(layout, text)
	return t, err == nil && t.Year() > 0
}

func timeOf(text string) (any, bool) {
	positive, negative := strings.CutPrefix(text, "-")
	parts := strings.Split(positive, ":")
	if len(parts) != 3 {
		return nil, false
	}
	d, err := time.ParseDuration(parts[0] + "h" + parts[1] + "m" + parts[2] + "s")
	if negative {
		d = -d
	}
	return d, err == nil
}
