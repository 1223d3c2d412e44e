package expressions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/test/peer"
)

// groupedColumn is a column of the table that aggregates are asked over: its type for the server and for us, and the values of its rows.
type groupedColumn struct {
	name, sql string
	t         types.Type
	pool      []string // values as the server is given them, in quotes
}

// in is a text type in a collation.
func in(kind types.Kind, length uint32, collation string) types.Type {
	c, _ := charset.ByName(collation)
	t := types.Type{Kind: kind, Length: length, Decimals: types.NotFixedText, Collation: c, Derivation: charset.Implicit, ASCII: c.Set().Name() == "ascii"}
	if kind.Blob() {
		t.Octets = uint32(min(uint64(length)*uint64(c.Set().MaxLen()), 1<<32-1)) // as package relation has it
		t.Length = t.Octets / uint32(c.Set().MaxLen())
	}
	return t
}

func integer(kind types.Kind, length uint32, unsigned bool) types.Type {
	return types.Type{Kind: kind, Length: length, Unsigned: unsigned, Derivation: charset.Numeric, ASCII: true}
}

func members(kind types.Kind, length uint32, texts ...string) types.Type {
	t := in(kind, length, "utf8mb4_general_ci")
	t.Members = &types.Members{}
	for _, text := range texts {
		t.Members.Texts = append(t.Members.Texts, []byte(text))
	}
	return t
}

func float(kind types.Kind, length uint32, decimals uint8) types.Type {
	return types.Type{Kind: kind, Length: length, Decimals: decimals, Derivation: charset.Numeric, ASCII: true}
}

func groupedColumns() []groupedColumn {
	const utf8 = "utf8mb4_general_ci"
	words := []string{"", "a", "A", "b", "ä", "Ä", "abc ", "abc", "12", "1.5e3x", "ß", "ss", `q"\\uote`, "中文", "-7"}
	stamp := types.TemporalType(types.Timestamp, 2)
	stamp.Unsigned = true
	year := integer(types.Year, 4, true)
	year.Zerofill = true
	return []groupedColumn{
		{"ti", "TINYINT", integer(types.Tinyint, 4, false), []string{"1", "-128", "127", "0", "1"}},
		{"su", "SMALLINT UNSIGNED", integer(types.Smallint, 5, true), []string{"1", "65535", "0", "7"}},
		{"i", "INT", integer(types.Int, 11, false), []string{"1", "-2147483648", "2147483647", "0", "12"}},
		{"bi", "BIGINT", integer(types.Bigint, 20, false), []string{"1", "-9223372036854775808", "9223372036854775807", "5"}},
		{"ub", "BIGINT UNSIGNED", integer(types.Bigint, 20, true), []string{"1", "18446744073709551615", "9223372036854775808", "5"}},
		{"bt", "BIT(9)", integer(types.Bit, 9, true), []string{"1", "511", "65", "0"}},
		{"y", "YEAR", year, []string{"1901", "2000", "2155", "0"}},
		{"d1", "DECIMAL(10,2)", types.DecimalType(decimal.Type{Precision: 10, Scale: 2}), []string{"1.50", "-99999999.99", "0.01", "99999999.99", "1.5"}},
		{"d2", "DECIMAL(65,30)", types.DecimalType(decimal.Type{Precision: 65, Scale: 30}), []string{"1.5", "-12345678901234567890123456789012345.1", "0.000000000000000000000000000001", "2"}},
		{"f", "FLOAT", float(types.Float, 12, types.NotFixed), []string{"1.5", "-2.25", "0.1", "1e30", "0"}},
		{"fd", "FLOAT(7,2)", float(types.Float, 7, 2), []string{"1.5", "-2.25", "100.25"}},
		{"g", "DOUBLE", float(types.Double, 22, types.NotFixed), []string{"1.5", "0.1", "0.2", "0.3", "-1e30", "1e-300", "-0.0", "0", "12345.678"}},
		{"gd", "DOUBLE(10,3)", float(types.Double, 10, 3), []string{"1.5", "0.125", "-7.75"}},
		{"da", "DATE", types.TemporalType(types.Date, 0), []string{"2020-02-29", "1000-01-01", "9999-12-31", "2020-02-29"}},
		{"tm", "TIME(3)", types.TemporalType(types.Time, 3), []string{"10:11:12.5", "-838:59:59", "838:59:59", "00:00:00", "-00:00:01.25"}},
		{"t0", "TIME", types.TemporalType(types.Time, 0), []string{"10:11:12", "-00:00:01", "00:00:00"}},
		{"dt", "DATETIME(6)", types.TemporalType(types.Datetime, 6), []string{"2020-02-29 10:11:12.123456", "1000-01-01 00:00:00", "2001-01-01 00:00:00.000001"}},
		{"d0", "DATETIME", types.TemporalType(types.Datetime, 0), []string{"2020-02-29 10:11:12", "1000-01-01 00:00:00", "2001-01-01 00:00:00"}},
		{"ts", "TIMESTAMP(2) NULL", stamp, []string{"2020-02-29 10:11:12.5", "1970-01-02 00:00:00", "2038-01-19 03:14:07"}},
		{"c", "CHAR(8)", in(types.Char, 8, utf8), []string{"", "a", "A", "abc", "ä", "12"}},
		{"v", "VARCHAR(12)", in(types.Varchar, 12, utf8), words},
		{"vb", "VARCHAR(12) COLLATE utf8mb4_bin", in(types.Varchar, 12, "utf8mb4_bin"), words},
		{"vu", "VARCHAR(12) COLLATE utf8mb4_unicode_ci", in(types.Varchar, 12, "utf8mb4_unicode_ci"), words},
		{"l", "VARCHAR(10) CHARACTER SET latin1", in(types.Varchar, 10, "latin1_swedish_ci"), []string{"", "a", "A", "äé", "AB", "ab "}},
		{"b", "VARBINARY(6)", in(types.Varchar, 6, "binary"), []string{"", "a", "A", "12", "zz"}},
		{"tt", "TINYTEXT", in(types.Tinytext, 255, utf8), words},
		{"tx", "TEXT", in(types.Text, 65535, utf8), words},
		{"bl", "BLOB", in(types.Text, 65535, "binary"), []string{"", "a", "A", "12", "zz"}},
		{"lt", "LONGTEXT", in(types.Longtext, 4294967295, utf8), words},
		{"e", "ENUM('zwei','b','3')", members(types.Enum, 4, "zwei", "b", "3"), []string{"b", "zwei", "3"}},
		{"s", "SET('x','b','3')", members(types.Set, 5, "x", "b", "3"), []string{"x", "b", "x,3", ""}},
	}
}

// value is a value of the pool.
func (c *groupedColumn) value(text string) (v types.Value) {

	switch {
	case c.t.Kind == types.Enum || c.t.Kind == types.Set:
		for i, m := range c.t.Members.Texts {
			switch {
			case c.t.Kind == types.Enum && string(m) == text:
				v.Int = int64(i) + 1
			case c.t.Kind == types.Set && strings.Contains(","+text+",", ","+string(m)+","):
				v.Int |= 1 << i
			}
		}
	case c.t.Class() == types.ClassInt:
		if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			v.Int = int64(u)
		} else {
			v.Int, _ = strconv.ParseInt(text, 10, 64)
		}
	case c.t.Class() == types.ClassFloat:
		bits := 64
		if c.t.Kind == types.Float {
			bits = 32
		}
		v.Float, _ = strconv.ParseFloat(text, bits)
	case c.t.Class() == types.ClassDec:
		v.Dec, _, _ = decimal.Parse([]byte(text))
		v.Dec, _ = v.Dec.Assign(c.t.Dec.Precision, c.t.Dec.Scale, false)
	case c.t.Kind == types.Time:
		v.Time = temporal.Mode{}.Parse([]byte(text), temporal.InTime).Value.Packed
	case c.t.Class() == types.ClassTime:
		v.Time = temporal.Mode{}.Parse([]byte(text), temporal.InDate).Value.Packed
	default:
		text = strings.ReplaceAll(text, `\\`, `\`)
		utf8, _ := charset.SetByName("utf8mb4")
		v.Text, _ = charset.Convert([]byte{}, c.t.Collation.Set(), utf8, []byte(text))
	}
	return v
}

// grouped is the table: on the server, and here.
type grouped struct {
	columns []groupedColumn
	rows    [][]types.Value
	layout  *row.Layout
}

const groupedRows = 60

// makeGrouped makes the table and draws its rows.
func makeGrouped(t *testing.T, s *Server, r *rand.Rand) *grouped {
	t.Helper()
	g := &grouped{columns: groupedColumns()}
	ddl := "CREATE TABLE grouped.agg (id INT PRIMARY KEY AUTO_INCREMENT"
	defs := make([]row.Column, 0, len(g.columns))
	for i := range g.columns {
		c := &g.columns[i]
		c.t.Nullable = true
		ddl += ", " + c.name + " " + c.sql
		defs = append(defs, row.Column{Type: mysql.MYSQL_TYPE_TINY})
	}
	g.layout = row.NewLayout(defs)
	for _, st := range []string{
		"SET NAMES utf8mb4", "SET time_zone='+00:00', sql_mode=''", "CREATE OR REPLACE DATABASE grouped",
		ddl + ") DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci",
	} {
		_, err := s.conn.Execute(st)
		require.NoError(t, err, st)
	}
	for range groupedRows {
		var texts []string
		var values []types.Value
		for i := range g.columns {
			c := &g.columns[i]
			if r.IntN(7) == 0 {
				texts, values = append(texts, "NULL"), append(values, types.Value{Null: true})
				continue
			}
			text := c.pool[r.IntN(len(c.pool))]
			literal := "'" + text + "'"
			if c.t.Class() == types.ClassInt && c.t.Kind != types.Enum && c.t.Kind != types.Set {
				literal = text
			}
			texts, values = append(texts, literal), append(values, c.value(text))
		}
		_, err := s.conn.Execute("INSERT INTO grouped.agg VALUES (NULL," + strings.Join(texts, ",") + ")")
		require.NoError(t, err, texts)
		g.rows = append(g.rows, values)
	}
	return g
}

// image is the row as package row reads it: only NULLs are in it; the values are in the frame's parameters.
func (g *grouped) image(values []types.Value) []byte {
	nulls := make([]byte, (len(values)+7)/8)
	var data []byte
	for i, v := range values {
		if v.Null {
			nulls[i/8] |= 1 << (i % 8)
		} else {
			data = append(data, 1)
		}
	}
	return append(nulls, data...)
}

func (g *grouped) column(n *tree.ColumnRef) (*eval.Expr, error) {
	for i := range g.columns {
		c := &g.columns[i]
		if c.name != n.Name.Text {
			continue
		}
		name := "`grouped`.`agg`.`" + c.name + "`"
		value := func(f *eval.Frame) *types.Value { return &f.Params[i] }
		switch c.t.Class() {
		case types.ClassInt:
			return eval.NewColumn(c.t, 0, i, name, func(f *eval.Frame, _ []byte) int64 { return value(f).Int }), nil
		case types.ClassFloat:
			return eval.NewColumn(c.t, 0, i, name, func(f *eval.Frame, _ []byte) float64 { return value(f).Float }), nil
		case types.ClassDec:
			return eval.NewColumn(c.t, 0, i, name, func(f *eval.Frame, _ []byte) decimal.Dec { return value(f).Dec }), nil
		case types.ClassTime:
			return eval.NewColumn(c.t, 0, i, name, func(f *eval.Frame, _ []byte) temporal.Packed { return value(f).Time }), nil
		}
		return eval.NewColumn(c.t, 0, i, name, func(f *eval.Frame, _ []byte) []byte { return value(f).Text }), nil
	}
	return nil, bind.Refusal(n.Name.Text)
}

// ours computes SELECT expression over the rows from first to last, all of one group that has others beside it.
func (g *grouped) ours(expression string, first, last int, concatMax uint64) Answer {
	return compute(Default, func(env *types.Env, f *eval.Frame) (*eval.Expr, error) {
		env.ConcatMax = concatMax
		st, _, err := grammar.Parse("SELECT "+expression, grammar.Options{})
		if err != nil {
			return nil, err
		}
		n, err := selected(st)
		if err != nil {
			return nil, err
		}
		aggregates := &bind.Aggregates{}
		b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: f}, Aggregates: aggregates, Column: g.column}
		x, err := b.Expr(n)
		if err != nil {
			return nil, err
		}
		group := first % 2 // alone, or beside another one, where warnings of cut texts come last
		if strings.Contains(expression, "=") {
			group = 0
		}
		reader := row.NewReader(g.layout)
		f.Rows = []*row.Reader{reader}
		all := make([]interface {
			Add(*eval.Frame, int)
			Result(*eval.Frame, int) types.Value
		}, len(aggregates.Funcs))
		for i, fn := range aggregates.Funcs {
			states := fn.States()
			states.Grow(1)
			states.Grow(2*group + 1)
			all[i] = states
		}
		for id := max(first, 1); id <= min(last, len(g.rows)); id++ {
			f.Reset()
			f.Row = uint64(id - max(first, 1) + 1)
			reader.Set(g.image(g.rows[id-1]))
			f.Params = g.rows[id-1]
			for _, s := range slices.Backward(all) { // parts of one expression are added from the last to the first
				s.Add(f, group)
			}
		}
		for _, s := range all {
			f.Aggregates = append(f.Aggregates, s.Result(f, group))
		}
		return x, nil
	})
}

// aggregatesDrawn are calls; $ is a column, # one that is no TEXT and no BIT: other functions have other lengths and character sets of them,
// and where rows are put in an order MariaDB shortens each TEXT to group_concat_max_len, with a warning of its own, before that.
var aggregatesDrawn = []string{
	"COUNT($)", "COUNT(DISTINCT $)", "COUNT(DISTINCT $,$)", "COUNT(*)", "SUM($)", "SUM(DISTINCT $)", "AVG($)", "AVG(DISTINCT $)", "MIN($)", "MAX($)", "MAX(DISTINCT $)",
	"STD($)", "STDDEV_SAMP($)", "VARIANCE($)", "VAR_SAMP($)", "VAR_POP($)", "BIT_AND($)", "BIT_OR($)", "BIT_XOR($)",
	"GROUP_CONCAT($)", "GROUP_CONCAT(DISTINCT #)", "GROUP_CONCAT(DISTINCT #,#)", "JSON_ARRAYAGG(DISTINCT #)", "GROUP_CONCAT(# ORDER BY NULL)", "GROUP_CONCAT(DISTINCT # ORDER BY #)", "GROUP_CONCAT($,$)", "GROUP_CONCAT(# ORDER BY #)", "GROUP_CONCAT(DISTINCT # ORDER BY 1 DESC)",
	"GROUP_CONCAT(# ORDER BY # DESC, # SEPARATOR '; ')", "GROUP_CONCAT($ SEPARATOR '')", "GROUP_CONCAT($ LIMIT 2)", "GROUP_CONCAT(# ORDER BY # LIMIT 1,3)", "GROUP_CONCAT($ LIMIT 0)",
	"JSON_ARRAYAGG($)", "JSON_ARRAYAGG(DISTINCT # ORDER BY # LIMIT 5)", "JSON_ARRAYAGG(# ORDER BY # DESC)", "JSON_OBJECTAGG($,$)",
	"SUM($+1)", "SUM($*2)", "MAX($+1)", "MIN(CONCAT(#,#))", "MAX(IFNULL(#,#))", "SUM($)/COUNT(*)+1", "AVG($)*2", "IF(MAX($) IS NULL,'none',COUNT($))", "CONCAT(MIN(#),'-',MAX(#))",
	"MAX($=$)", "SUM(NULL)", "SUM(0x4142)", "AVG(b'101')", "SUM(0x414243444546474849)", "STD(0x41)", "MIN(NULL)", "MAX(1)", "GROUP_CONCAT(1.5)", "GROUP_CONCAT($,NULL)", "SUM($) > AVG($)", "ROUND(AVG($),1)", "JSON_ARRAYAGG(NULL)", "JSON_ARRAYAGG($=$)",
	"STD($+1)", "COALESCE(SUM($),0)", "AVG($+0.5)", "BIT_OR($*1.5)",
}

// Aggregates over columns of all types mean the same to a real server.
func TestAggregates(t *testing.T) {
	s := maria(t)
	r := rand.New(rand.NewPCG(*seed, 9))
	g := makeGrouped(t, s, r)
	_, err := s.conn.Execute("SET max_error_count=64")
	require.NoError(t, err)
	d := differences{t: t}
	refused := 0
	n := peer.Scaled(*count, *count*10)
	for i := range n {
		template := aggregatesDrawn[i%len(aggregatesDrawn)]
		var q strings.Builder
		for _, c := range template {
			column := &g.columns[r.IntN(len(g.columns))]
			for c == '#' && (column.t.Kind.Blob() || column.t.Kind == types.Bit) {
				column = &g.columns[r.IntN(len(g.columns))]
			}
			if c == '$' || c == '#' {
				q.WriteString(column.name)
			} else {
				q.WriteRune(c)
			}
		}
		first := 1 + r.IntN(groupedRows)
		last := first + []int{-1, 0, 3, 20, groupedRows}[r.IntN(5)]
		concatMax := []uint64{1 << 20, 1 << 20, 4, 9, 30, 700}[r.IntN(6)]
		_, err := s.conn.Execute(fmt.Sprintf("SET group_concat_max_len=%d", concatMax))
		require.NoError(t, err)
		got := g.ours(q.String(), first, last, concatMax)
		if strings.HasPrefix(got.Error, "1235/") {
			refused++
			continue
		}
		where := fmt.Sprintf(" FROM grouped.agg WHERE id BETWEEN %d AND %d", first, last)
		want, err := s.Ask(Default, q.String()+where)
		require.NoError(t, err, q.String())
		d.compare(fmt.Sprintf("{%d} %s%s", concatMax, q.String(), where), want.String(), got.String())
	}
	t.Logf("%d of %d refused", refused, n)
	d.report()
}
