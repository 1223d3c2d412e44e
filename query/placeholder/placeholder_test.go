package placeholder

import (
	"reflect"
	"testing"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/result"
)

func TestPlaceholdersInLimits(t *testing.T) {
	for text, want := range map[string]Set{
		"SELECT 1 LIMIT 1":   {},
		"SELECT '?' LIMIT 1": {},
		"SELECT ?, ?":        {Count: 2, First: 7},
		"SELECT 1 LIMIT ?":   {Count: 1, limits: []int{0}, First: 15},
		"SELECT ? FROM t WHERE a IN (?, ?) LIMIT ?, ?":      {Count: 5, limits: []int{3, 4}, First: 7},
		"SELECT ? LIMIT 1, ?":                               {Count: 2, limits: []int{1}, First: 7},
		"SELECT 1 LIMIT 1 OFFSET ?":                         {Count: 1, limits: []int{0}, First: 24},
		"SELECT * FROM (SELECT 1 LIMIT ?) x WHERE a=? /**/": {Count: 2, limits: []int{0}, First: 30},
		"SELECT (SELECT 1 LIMIT 1), ?":                      {Count: 1, First: 27},
	} {
		if got := Of(text, dialect.Mode{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// TestLimitOf has the rows that MariaDB returns for a parameter of a LIMIT; test/dialect compares them.
func TestLimitOf(t *testing.T) {
	signed, unsigned, double := result.Signed, result.Unsigned, result.Double
	text := func(s string) result.Value { return result.Text([]byte(s)) }
	decimal := func(s string) result.Value { return result.Decimal([]byte(s)) }
	for _, c := range []struct {
		v    result.Value
		want uint64
		ok   bool
	}{
		{result.Value{}, 0, true},
		{signed(7), 7, true}, {signed(-1), 0, false}, {unsigned(1<<64 - 1), 1<<64 - 1, true},
		{double(2), 2, true}, {double(1.7), 0, false}, {double(1e30), 0, false}, {double(-1), 0, false},
		{decimal("1.5"), 2, true}, {decimal("1.49"), 1, true}, {decimal("-0.4"), 0, true}, {decimal("-0.5"), 0, false},
		{decimal("18446744073709551616"), 1<<64 - 1, true},
		{text(" 12x"), 12, true}, {text(""), 0, true}, {text("x"), 0, true}, {text("-0"), 0, true},
		{text("--1"), 0, true}, {text("-1"), 0, false}, {text("18446744073709551615"), 0, false},
		{result.Date(result.Moment{Year: 2024, Month: 1, Day: 1}), 0, false}, {result.Time(result.Span{}, 0), 0, false},
	} {
		got, ok := limitOf(c.v)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%v %q: got %d, %v, want %d, %v", c.v.Kind(), c.v.AppendText(nil), got, ok, c.want, c.ok)
		}
	}
}

// TestSubstitute puts values into a statement that is run by its text; what stands in a literal or a comment is no placeholder.
func TestSubstitute(t *testing.T) {
	params := []result.Value{
		{}, result.Signed(-1), result.Unsigned(1<<64 - 1), result.Double(0.5), result.Decimal([]byte("1.50")), result.Text([]byte(`it's \`)),
		result.Date(result.Moment{Year: 2024, Month: 2, Day: 29}),
	}
	const text = "SHOW '?' /* ? */ ?, ?, ?, ?, ?, ?, ?"
	for _, c := range []struct {
		mode dialect.Mode
		want string
	}{
		{dialect.Mode{}, `SHOW '?' /* ? */ NULL, -1, 18446744073709551615, 5e-01, 1.50, 'it''s \\', '2024-02-29'`},
		{dialect.Mode{NoBackslashEscapes: true}, `SHOW '?' /* ? */ NULL, -1, 18446744073709551615, 5e-01, 1.50, 'it''s \', '2024-02-29'`},
	} {
		if got, err := Substitute(text, params, c.mode); err != nil || got != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	if _, err := Substitute(text, params[1:], dialect.Mode{}); err == nil {
		t.Error("a value too few is no error")
	}
}
