package query

import (
	"reflect"
	"testing"

	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/duramendb/duramen/query/dialect"
)

func TestPlaceholdersInLimits(t *testing.T) {
	for text, want := range map[string]placeholders{
		"SELECT 1 LIMIT 1":   {},
		"SELECT '?' LIMIT 1": {},
		"SELECT ?, ?":        {count: 2, first: 7},
		"SELECT 1 LIMIT ?":   {count: 1, limits: []int{0}, first: 15},
		"SELECT ? FROM t WHERE a IN (?, ?) LIMIT ?, ?":      {count: 5, limits: []int{3, 4}, first: 7},
		"SELECT ? LIMIT 1, ?":                               {count: 2, limits: []int{1}, first: 7},
		"SELECT 1 LIMIT 1 OFFSET ?":                         {count: 1, limits: []int{0}, first: 24},
		"SELECT * FROM (SELECT 1 LIMIT ?) x WHERE a=? /**/": {count: 2, limits: []int{0}, first: 30},
		"SELECT (SELECT 1 LIMIT 1), ?":                      {count: 1, first: 27},
	} {
		if got := placeholdersOf(text, dialect.Mode{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", text, got, want)
		}
	}
}

// TestLimitOf has the rows that MariaDB returns for a parameter of a LIMIT; test/dialect compares them.
func TestLimitOf(t *testing.T) {
	value := func(typ sqltypes.Value, text string) sqltypes.Value {
		return sqltypes.MakeTrusted(typ.Type(), []byte(text))
	}
	number, large := sqltypes.NewInt64(0), sqltypes.NewUint64(0)
	double, text := sqltypes.NewFloat64(0), sqltypes.NewVarChar("")
	decimal := sqltypes.MakeTrusted(sqltypes.Decimal, nil)
	for _, c := range []struct {
		v    sqltypes.Value
		want uint64
		ok   bool
	}{
		{sqltypes.NULL, 0, true},
		{value(number, "7"), 7, true}, {value(number, "-1"), 0, false}, {value(large, "18446744073709551615"), 1<<64 - 1, true},
		{value(double, "2"), 2, true}, {value(double, "1.7"), 0, false}, {value(double, "1e30"), 0, false}, {value(double, "-1"), 0, false},
		{value(decimal, "1.5"), 2, true}, {value(decimal, "1.49"), 1, true}, {value(decimal, "-0.4"), 0, true}, {value(decimal, "-0.5"), 0, false},
		{value(decimal, "18446744073709551616"), 1<<64 - 1, true},
		{value(text, " 12x"), 12, true}, {value(text, ""), 0, true}, {value(text, "x"), 0, true}, {value(text, "-0"), 0, true},
		{value(text, "--1"), 0, true}, {value(text, "-1"), 0, false}, {value(text, "18446744073709551615"), 0, false},
	} {
		got, ok := limitOf(c.v)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%v %q: got %d, %v, want %d, %v", c.v.Type(), c.v.ToBytes(), got, ok, c.want, c.ok)
		}
	}
}
