package convert_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replication/replica/convert"
)

// recordedType is a type of testdata/conversions.
type recordedType struct {
	name   string
	column catalog.ColumnDef
	values [][]byte
	called [3]string // as the primary's beside a text, beside a binary string, and as this server's
}

// recordedPair is what values of a type become in another one, for each of modes.
type recordedPair struct {
	from, to *recordedType
	answers  []string
}

// recorded reads what TestMariaDBRecord has written: all pairs, those that are never allowed as well.
func recorded(t testing.TB) (pairs []recordedPair) {
	t.Helper()
	b, err := os.ReadFile(recordedFile)
	require.NoError(t, err)
	var order []*recordedType
	answers := map[[2]string][]string{}
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch f[0] {
		case "type":
			r := &recordedType{name: f[1], called: [3]string{f[7], f[8], f[9]}}
			r.column = catalog.ColumnDef{Name: "c", Nullable: true, SQLType: f[6], Type: byte(number(t, f[2])), Meta: uint16(number(t, f[3])), Unsigned: f[4] == "true", Collation: uint16(number(t, f[5]))}
			definition := f[1]
			if l := long[definition]; l != "" {
				definition = l
				r.column.SQLType = l
				r.called[2] = l
			}
			if inner, ok := strings.CutPrefix(definition, "enum("); ok {
				r.column.EnumValues = strings.Split(strings.Trim(inner, "')"), "','")
			}
			if inner, ok := strings.CutPrefix(definition, "set("); ok {
				r.column.EnumValues = strings.Split(strings.Trim(inner, "')"), "','")
			}
			order = append(order, r)
		case "values":
			for _, text := range f[1:] {
				v, err := hex.DecodeString(text)
				require.NoError(t, err)
				r := order[len(order)-1]
				r.values = append(r.values, v)
			}
		case "pair":
			for i := range f[3:] {
				if f[3+i] == `"` {
					f[3+i] = f[2+i]
				}
			}
			answers[[2]string{f[1], f[2]}] = f[3:]
		}
	}
	for _, from := range order {
		for _, to := range order {
			a := answers[[2]string{from.name, to.name}]
			if a == nil {
				a = []string{"1677", "1677", "1677", "1677"}
			}
			pairs = append(pairs, recordedPair{from, to, a})
		}
	}
	return pairs
}

func number(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err)
	return n
}

// of returns MariaDB's answer for one of the values, "=" written out.
func (p *recordedPair) of(mode, value int) string {
	a := p.answers[mode]
	if f := strings.Fields(a); len(f) > 1 || len(p.from.values) == 1 {
		a = f[value]
	}
	if a == "=" {
		return hex.EncodeToString(p.from.values[value])
	}
	return a
}

func table(t testing.TB, columns ...catalog.ColumnDef) *catalog.Table {
	t.Helper()
	tbl, err := catalog.NewTable(&catalog.TableDef{ID: 1, DB: "d", Name: "t", Columns: columns}, nil)
	require.NoError(t, err)
	return tbl
}

func metaOf(c *catalog.ColumnDef) event.ColumnMeta {
	return event.ColumnMeta{Type: c.Type, Meta: c.Meta, Nullable: c.Nullable, Unsigned: c.Unsigned, Charset: c.Collation, Values: c.EnumValues}
}

// compile makes the plan of a table with one column, of which the primary says nothing but types.
func (p *recordedPair) compile(t testing.TB, mode string) (*convert.Plan, error) {
	t.Helper()
	c, err := convert.ParseConversions(mode)
	require.NoError(t, err)
	return convert.Compile(&event.TableMapInfo{Columns: []event.ColumnMeta{metaOf(&p.from.column)}}, table(t, p.to.column), c)
}

func plain(value []byte) []byte { return append([]byte{0xfe}, value...) }

// broken says that MariaDB does not convert, although it says that it does: times without digits to some with digits.
func (p *recordedPair) broken(mode int) bool {
	return strings.Contains(p.answers[mode], "!") || p.from.name == "old datetime" && strings.HasPrefix(p.to.name, "datetime(")
}

// fromAnotherSet says that a text is for a column of a wide character set, or comes from one: MariaDB then makes texts of octets that are none.
func (p *recordedPair) fromAnotherSet() bool {
	return strings.Contains(p.from.name, "ucs2") != strings.Contains(p.to.name, "ucs2")
}

// TestTypesAsMariaDB compares which types go with which, and the text where they do not.
func TestTypesAsMariaDB(t *testing.T) {
	for _, p := range recorded(t) {
		for mode, text := range modes {
			if p.broken(mode) {
				continue
			}
			plan, err := p.compile(t, text)
			if p.answers[mode] != "1677" {
				require.NoError(t, err, "%s to %s, %q", p.from.name, p.to.name, text)
				continue
			}
			var e *convert.TypeError
			require.ErrorAs(t, err, &e, "%s to %s, %q: %v", p.from.name, p.to.name, text, plan)
			name := p.from.called[0]
			if isBinary.MatchString(p.to.name) {
				name = p.from.called[1]
			}
			require.Equal(t, "Column 0 of table 'd.t' cannot be converted from type '"+name+"' to type '"+p.to.called[2]+"'", err.Error())
			require.EqualValues(t, 1677, e.Number())
		}
	}
}

// TestValuesAsMariaDB compares what values become. Without ALL_LOSSY an error is as good, as long as there is a reason for it: TestExact.
func TestValuesAsMariaDB(t *testing.T) {
	compared := 0
	for _, p := range recorded(t) {
		for mode, text := range modes {
			if p.answers[mode] == "1677" || p.broken(mode) || p.fromAnotherSet() {
				continue
			}
			plan, err := p.compile(t, text)
			require.NoError(t, err)
			for i, v := range p.from.values {
				got, err := plan.Insert(nil, plain(v), nil)
				what := fmt.Sprintf("%s to %s, %q: %x", p.from.name, p.to.name, text, v)
				var e *convert.ValueError
				if errors.As(err, &e) && !strings.Contains(text, "ALL_LOSSY") {
					continue
				}
				require.NoError(t, err, what)
				if !p.differs(v, got[1:]) {
					require.Equal(t, p.of(mode, i), hex.EncodeToString(got[1:]), what)
					compared++
				}
			}
		}
	}
	require.Greater(t, compared, 9000)
}

// differs lists where values are not MariaDB's on purpose.
func (p *recordedPair) differs(from, to []byte) bool {
	switch {
	case strings.HasPrefix(p.from.name, "time(") && p.from.column.Meta == p.to.column.Meta+1:
		// TIME(2) to TIME(1) takes as many octets, and MariaDB keeps a digit that the column has not.
		return true
	case p.from.column.Type == mysql.MYSQL_TYPE_STRING && p.from.column.Type == p.to.column.Type && p.from.column.Meta == p.to.column.Meta:
		// Images are taken as they are. MariaDB's are written anew, and lose what a CHAR of so many characters has not.
		return bytes.Equal(from, to)
	case strings.Contains(p.to.name, "utf8") && !utf8.Valid(from):
		// From CHAR to CHAR, and VARCHAR to VARCHAR, MariaDB keeps the octets; here they are question marks, as they are from VARCHAR to TEXT.
		return bytes.ContainsRune(to, '?')
	}
	return false
}

// TestExact compares a value with what it is when it is converted back: an error has to be because it is another one, and what is no error has to be the same.
func TestExact(t *testing.T) {
	texts := regexp.MustCompile("char|binary|text|blob|json|inet6|uuid|point|geometry")
	errorsSeen := 0
	for _, p := range recorded(t) {
		if texts.MatchString(p.from.name) || p.from.column.Unsigned != p.to.column.Unsigned && strings.Contains(p.from.name, "int") {
			continue // texts have their own test, and so have signs
		}
		forth, err := p.compile(t, "ALL_NON_LOSSY")
		if err != nil {
			continue
		}
		lossy, err := p.compile(t, "ALL_NON_LOSSY,ALL_LOSSY")
		require.NoError(t, err)
		back, err := (&recordedPair{from: p.to, to: p.from}).compile(t, "ALL_NON_LOSSY,ALL_LOSSY")
		if err != nil {
			require.Contains(t, p.from.name+p.to.name, "old ") // there is no way back
			continue
		}
		for _, v := range p.from.values {
			there, err := lossy.Insert(nil, plain(v), nil)
			require.NoError(t, err)
			again, err := back.Insert(nil, there, nil)
			require.NoError(t, err)
			got, err := forth.Insert(nil, plain(v), nil)
			what := fmt.Sprintf("%s to %s: %x is %x, and back %x", p.from.name, p.to.name, v, there, again)
			if bytes.Equal(again, plain(v)) {
				require.NoError(t, err, what)
				require.Equal(t, there, got)
				continue
			}
			require.Error(t, err, what)
			errorsSeen++
		}
	}
	require.Positive(t, errorsSeen)
}
