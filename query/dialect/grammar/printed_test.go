package grammar_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// TestPrinted: synonyms have one form, and parentheses stand where the tree needs them.
func TestPrinted(t *testing.T) {
	for text, want := range map[string]string{
		"select 1+2*3, (1+2)*3, 1-(2-3)":                                         "SELECT 1 + 2 * 3, (1 + 2) * 3, 1 - (2 - 3)",
		"select a=1 and not b or c":                                              "SELECT `a` = 1 AND NOT `b` OR `c`",
		"select not a = 1, !a, a != 1":                                           "SELECT NOT (`a` = 1), NOT `a`, `a` <> 1",
		"select 'a' 'b', n'c', _latin1'd' 'e', 'it''s', 'a\\\\b\\n'":             "SELECT 'ab', N'c', _latin1 'de', 'it''s', 'a\\\\b\n'",
		"select x'4f', 0xabc, b'101', 0b1, b'', _utf8 0x41":                      "SELECT x'4F', 0x0ABC, 0x05, 0x01, b'', _utf8 x'41'",
		"select binary a, cast(a as char charset utf8), convert(a,date)":         "SELECT CAST(`a` AS BINARY), CAST(`a` AS CHAR CHARACTER SET utf8), CAST(`a` AS DATE)",
		"select now(), localtime, current_timestamp(3), curdate()":               "SELECT CURRENT_TIMESTAMP(), CURRENT_TIMESTAMP(), CURRENT_TIMESTAMP(3), CURRENT_DATE()",
		"select mid(a,1), substr(a from 1 for 2), position(a in b)":              "SELECT SUBSTRING(`a`, 1), SUBSTRING(`a`, 1, 2), LOCATE(`a`, `b`)",
		"select adddate(a,1), date_sub(a,interval 1 hour)":                       "SELECT `a` + INTERVAL 1 DAY, `a` - INTERVAL 1 HOUR",
		"select interval 1 day + a, timestampadd(month, b, a)":                   "SELECT (INTERVAL 1 DAY + `a`), (INTERVAL `b` MONTH + `a`)",
		"select a is unknown, a rlike b, a not in ((select 1))":                  "SELECT `a` IS NULL, `a` REGEXP `b`, `a` NOT IN (SELECT 1)",
		"select a > some (select 1), mod(a,b), a mod b":                          "SELECT `a` > ANY (SELECT 1), `a` % `b`, `a` % `b`",
		"select stddev_pop(a), var_pop(a), count(*), count(distinct a,b) from t": "SELECT STD(`a`), VARIANCE(`a`), COUNT(*), COUNT(DISTINCT `a`, `b`) FROM `t`",
		"select @@local.a, @@x.y, @a.b, @`c d` := 1":                             "SELECT @@session.`a`, @@`x`.`y`, @`a.b`, @`c d` := 1",
		"select distinctrow * from dual":                                         "SELECT DISTINCT *",
		"select 1 limit 2,3":                                                     "SELECT 1 LIMIT 2, 3",
		"select 1 fetch next row only":                                           "SELECT 1 LIMIT 1",
		"((select 1)) limit 1":                                                   "SELECT 1 LIMIT 1",
		"(select 1 limit 2) limit 1":                                             "(SELECT 1 LIMIT 2) LIMIT 1",
		"select 1 union distinct (select 2) intersect select 3":                  "SELECT 1 UNION SELECT 2 INTERSECT SELECT 3",
		"select 1 from a, b cross join c on d, (e, f)":                           "SELECT 1 FROM `a`, `b` JOIN `c` ON `d`, `e` JOIN `f`",
		"select 1 from a join b join c on 1 on 2":                                "SELECT 1 FROM `a` JOIN (`b` JOIN `c` ON 1) ON 2",
		"select 1 from a join b left join c on 1":                                "SELECT 1 FROM `a` JOIN `b` LEFT JOIN `c` ON 1",
		"select 1 from {oj a left outer join b on 1}":                            "SELECT 1 FROM `a` LEFT JOIN `b` ON 1",
		"insert t set a:=1, b=default":                                           "INSERT INTO `t` SET `a` = 1, `b` = DEFAULT",
		"replace d.t value (1), ()":                                              "REPLACE INTO `d`.`t` VALUES (1), ()",
		"insert t select 1 on duplicate key update a=values(b)":                  "INSERT INTO `t` SELECT 1 ON DUPLICATE KEY UPDATE `a` = VALUE(`b`)",
		"delete a, d.b.* from a, d.b":                                            "DELETE `a`, `d`.`b` FROM `a`, `d`.`b`",
		"set local a=on, @@global.b=default, @c:=1":                              "SET SESSION `a` = 'ON', @@GLOBAL.`b` = DEFAULT, @`c` = 1",
		"begin work":     "START TRANSACTION",
		"desc t a":       "DESCRIBE `t` `a`",
		"drop prepare s": "DEALLOCATE PREPARE `s`",
		"/* a */ -- b":   "/**/",
	} {
		s, _, err := grammar.Parse(text, grammar.Options{})
		require.NoError(t, err, "%s", text)
		require.Equal(t, want, tree.String(s), "%s", text)
	}
}

// TestWide: in sjis the second byte of a character may be that of a backslash.
func TestWide(t *testing.T) {
	wide := func(s string) int { return min(2, len(s)) }
	o := grammar.Options{Wide: wide}
	const text = "SELECT '\x83\\', `\x83```` FROM `t`"
	s, _, err := grammar.Parse(text, o)
	require.NoError(t, err)
	require.Equal(t, text, string(tree.Print(nil, s, wide)))
}

// TestNext: a text of several statements is read one by one.
func TestNext(t *testing.T) {
	text := "select 1; begin ;\n-- note\n select 2 ; "
	var all []string
	for text != "" {
		s, next, err := grammar.Parse(text, grammar.Options{})
		require.NoError(t, err, "%q", text)
		all = append(all, tree.String(s))
		text = text[next:]
	}
	require.Equal(t, []string{"SELECT 1", "START TRANSACTION", "SELECT 2"}, all)
}

// TestDepth: nesting ends with an error before the stack does.
func TestDepth(t *testing.T) {
	for _, open := range []string{"(", "- ", "not ", "(select ", "case when ", "if(", "! ", "1 + (", "a.b in ("} {
		_, _, err := grammar.Parse("select "+strings.Repeat(open, 100_000), grammar.Options{})
		require.Error(t, err, "%s", open)
	}
}

// TestSpans: the place of an expression is its text, with the parentheses of its operands.
func TestSpans(t *testing.T) {
	const text = "select (1) + 2 , -(a) as b, x'41' from t"
	s, _, err := grammar.Parse(text, grammar.Options{Mode: lex.Mode(0)})
	require.NoError(t, err)
	var got []string
	for _, item := range s.(*tree.Select).Items {
		at := item.X.Place()
		got = append(got, text[at.Start:at.End])
	}
	require.Equal(t, []string{"(1) + 2", "-(a)", "x'41'"}, got)
}
