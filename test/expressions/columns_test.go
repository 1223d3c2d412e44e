package expressions

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/test/peer"
)

// columnsOf are the columns of the table that TestColumns asks, by the kind of literal in whose place they are put.
var columnsOf = map[string][]string{
	"number": {"ti", "si", "mi", "i", "bi", "ub", "zf", "d1", "d2", "f", "fd", "g", "y", "bt", "e", "v"},
	"text":   {"c", "v", "vb", "b8", "tx", "bl", "e", "s", "l1", "vn", "vd", "da", "tm", "dt", "ts", "i", "js"},
}

const columnsTable = `CREATE TABLE drawn.cols (id INT PRIMARY KEY, ti TINYINT, si SMALLINT UNSIGNED, mi MEDIUMINT, i INT, bi BIGINT, ub BIGINT UNSIGNED,
zf INT(8) ZEROFILL, d1 DECIMAL(10,2), d2 DECIMAL(38,10), f FLOAT, fd FLOAT(7,3), g DOUBLE, y YEAR, bt BIT(10), da DATE, tm TIME(3), dt DATETIME(6),
ts TIMESTAMP(2) NULL, c CHAR(8), v VARCHAR(20), vb VARBINARY(12), b8 BINARY(4), tx TEXT, bl BLOB, e ENUM('one','two','3','b'), s SET('a','b','3'),
l1 VARCHAR(10) CHARACTER SET latin1, js LONGTEXT COLLATE utf8mb4_bin, vn VARCHAR(20), vd VARCHAR(30),
uu UUID, i4 INET4, i6 INET6) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci`

var columnsRows = []string{
	"1,1,1,1,1,1,1,1,1.5,1.5,1.5,1.5,1.5,2020,5,'2020-02-29','10:11:12.5','2020-02-29 10:11:12.123456','2020-02-29 10:11:12.5','abc','Hello','abc','ab','text','blob','two','a,b','abc','{\"a\":[1,2]}','12','2020-01-01','6ccd780c-baba-1026-9564-0040f4311e29','10.1.2.3','2001:db8::5'",
	"2,-128,65535,-8388608,-2147483648,-9223372036854775808,18446744073709551615,99999999,-99999999.99,-1234567890123456789012345678.0123456789,-1e30,-9999.999,-1e300,1901,1023,'1000-01-01','-838:59:59','1000-01-01','1970-01-02','','','','','','','one','','','[]','-5','x','00000000-0000-0000-0000-000000000000','0.0.0.0','::'",
	"3,127,0,8388607,2147483647,9223372036854775807,0,0,99999999.99,1234567890123456789012345678.9876543210,1e-30,0.001,1e-300,2155,0,'9999-12-31','838:59:59','9999-12-31 23:59:59.999999','2038-01-19 03:14:07','äöü ß','ÄÖÜ','äöü','é','ЖЗИ','\\0\\1','3','3','äé','\"a\"','1e3','10:11:12','ffffffff-ffff-ffff-ffff-ffffffffffff','255.255.255.255','::ffff:1.2.3.4'",
	"4,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL",
	"5,0,3,5,-7,42,7,42,0,0,0,0,-0.0,0,1,'2024-12-31','00:00:00','2024-12-31 00:00:00','2024-06-15 12:30:00','a b','%a_','1','A','trailing  ','x','b','b','ABC ','true','0.5','2020-01-01 10:00:00.5','01890000-0000-7000-8000-000000000000','1.2.3.4','::1'",
	"6,7,10,-10,1000000,-1,255,7,3.25,0.0000000001,3.14159,3.142,2.5,1999,341,'1999-12-31','-00:00:01','1970-01-01 00:00:00.000001','1970-01-01 12:00:01','12','7.5abc','\\xff','xyz','0123456789','','one','a','123','5','  7 ','1999-12-31','11111111-2222-4333-8444-555555555555','127.0.0.1','fe80::'",
}

// Expressions mean the same over columns: in drawn ones literals are replaced by columns of all types.
func TestColumns(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	for _, s := range []*Server{theirs, ours} {
		for _, st := range []string{"SET NAMES utf8mb4", "SET time_zone='+00:00', sql_mode=''", "DROP DATABASE IF EXISTS drawn", "CREATE DATABASE drawn", columnsTable} {
			_, err := s.conn.Execute(st)
			require.NoError(t, err, st)
		}
		for _, row := range columnsRows {
			_, err := s.conn.Execute("INSERT INTO drawn.cols VALUES (" + row + ")")
			require.NoError(t, err, row)
		}
	}
	_, err := ours.conn.Execute("SET native_sql=ONLY")
	require.NoError(t, err)
	for _, family := range slices.Sorted(generatorNames()) {
		t.Run(family, func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 7))
			d := differences{t: t, drawn: true}
			refused := 0
			n := peer.Scaled(*count, *count*10)
			a := rand.New(rand.NewPCG(*seed, 8)) // so that the others stay as they are
			for i := range 2 * n {
				q := overColumns(r, generators[family](r))
				if i >= n {
					if q = overAddresses(a, q); q == "" {
						continue
					}
				}
				if asksServer(q) || strings.Contains(q, "BENCHMARK(") { // a column would be a long time
					continue
				}
				q = fmt.Sprintf("%s x FROM drawn.cols WHERE id=%d", q, 1+r.IntN(len(columnsRows)))
				got, err := ours.Ask(Default, q)
				require.NoError(t, err, q)
				if strings.HasPrefix(got.Error, "1235/") {
					refused++
					continue
				}
				want, err := theirs.Ask(Default, q)
				require.NoError(t, err, q)
				d.compare(q, withName(want), withName(got))
			}
			t.Logf("%d refused", refused)
			d.report()
		})
	}
}

func generatorNames() func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range generators {
			if !yield(name) {
				return
			}
		}
	}
}

// overColumns puts columns in the places of some literals.
func overColumns(r *rand.Rand, expression string) string {
	var out strings.Builder
	at := 0
	l := lex.New(expression, 0, nil)
	for {
		tok := l.Next()
		if tok.Kind == lex.EOF || tok.Kind == lex.Bad {
			break
		}
		kind := ""
		switch tok.Kind {
		case lex.Integer, lex.Decimal, lex.Float:
			kind = "number"
		case lex.String:
			kind = "text"
		}
		if kind == "" || partOfLiteral(expression[:tok.Start]) || r.IntN(3) == 0 {
			continue
		}
		list := columnsOf[kind]
		if r.IntN(6) == 0 {
			list = columnsOf[[]string{"number", "text"}[r.IntN(2)]]
		}
		out.WriteString(expression[at:tok.Start])
		out.WriteString("cols." + list[r.IntN(len(list))])
		at = int(tok.End)
	}
	return out.String() + expression[at:]
}

// overAddresses puts columns with addresses in the places of some others; "" if there is none.
func overAddresses(r *rand.Rand, expression string) string {
	changed := false
	out := regexp.MustCompile(`cols\.\w+`).ReplaceAllStringFunc(expression, func(column string) string {
		if r.IntN(2) == 0 {
			return column
		}
		changed = true
		return "cols." + []string{"uu", "i4", "i6"}[r.IntN(3)]
	})
	if !changed {
		return ""
	}
	return out
}

// partOfLiteral reports whether a literal belongs to what stands before it: DATE'...', _latin1'...', another text.
func partOfLiteral(before string) bool {
	before = strings.TrimRight(before, " ")
	word := before[strings.LastIndexFunc(before, func(r rune) bool { return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') })+1:]
	switch strings.ToUpper(word) {
	case "DATE", "TIME", "TIMESTAMP", "INTERVAL":
		return true
	}
	return strings.HasPrefix(word, "_") || strings.HasSuffix(before, "'")
}
