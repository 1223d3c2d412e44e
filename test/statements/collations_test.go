package statements

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// collated are texts that collations order and tell apart in different ways. What a character set does not have becomes a question mark.
var collated = []string{
	"", " ", "a", "A", "a ", "á", "ä", "ae", "b", "B", "ch", "cz", "d", "ß", "ss", "ñ", "n", "Z", "1", "-", "ж", "あ",
}

// collatedStatements ask what a collation makes of the texts: their order, which are equal, what is in ranges, which a UNIQUE key refuses.
func collatedStatements(collation string) (define, ask []string) {
	set, _, _ := strings.Cut(collation, "_")
	var rows []string
	for i, text := range collated {
		rows = append(rows, fmt.Sprintf("(%d,'%s')", i+1, text))
	}
	values := strings.Join(rows, ",")
	column := fmt.Sprintf("v VARCHAR(9) CHARACTER SET %s COLLATE %s", set, collation)
	define = []string{
		"DROP TABLE IF EXISTS c, u", "CREATE TABLE c (id INT PRIMARY KEY, " + column + ", KEY (v))", "CREATE TABLE u (id INT PRIMARY KEY, " + column + ", UNIQUE (v))",
		"INSERT INTO c VALUES " + values,
	}
	if !ownKeys(set, collation) {
		ask = append(ask, "EXECUTE IMMEDIATE 'INSERT IGNORE INTO u VALUES "+strings.ReplaceAll(values, "'", "''")+"'", "SELECT id FROM u ORDER BY id")
	}
	ask = append(ask,
		"SELECT id FROM c ORDER BY v, id",
		"SELECT id FROM c ORDER BY v DESC, id LIMIT 7", "SELECT COUNT(*), MIN(id), MAX(id) FROM c GROUP BY v ORDER BY 2", "SELECT COUNT(DISTINCT v) FROM c",
		"SELECT MIN(v), MAX(v) FROM c IGNORE INDEX (v)",
	)
	for _, where := range []string{"v='a'", "v='SS'", "v>'b'", "v<='N'", "v BETWEEN 'A' AND 'ch'", "v IN ('Z','a ','1')", "v<'a'", "v LIKE 'A%'", "v LIKE '_'"} {
		ask = append(ask, "SELECT id FROM c WHERE "+where+" ORDER BY id")
	}
	return define, ask
}

// ownKeys reports whether keys of a collation are made of weights that are not MariaDB's: docs/character-sets.md says so of those that there always were.
func ownKeys(set, collation string) bool {
	if collation == "latin1_german2_ci" {
		return true
	}
	for _, other := range []string{"nopad", "uca1400", "general", "_bin", "croatian_ci"} {
		if strings.Contains(collation, other) {
			return false
		}
	}
	return slices.Contains([]string{"utf8mb4", "utf8mb3", "utf16", "utf32"}, set)
}

// Texts have one order, one equality and one way into indexes in each collation: MariaDB's. testdata/collations.sql has some of them.
func TestCollations(t *testing.T) {
	theirs := maria(t)
	r, err := theirs.Execute("SELECT FULL_COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY ORDER BY 1")
	require.NoError(t, err)
	var all []string
	for i := range r.Values {
		name, err := r.GetString(i, 0)
		require.NoError(t, err)
		all = append(all, name)
	}
	all = slices.Compact(all)
	require.Greater(t, len(all), 1000)
	asked, refusals, differ := 0, 0, 0
	var ours session
	for n, at := 0, 0; at < len(all); n, at = n+1, at+peer.Scaled(31, 1) {
		if n%90 == 0 { // a server has room for so many of some kinds
			ours = duramen(t)
		}
		for _, s := range []session{theirs, ours} {
			for _, st := range []string{"CREATE DATABASE IF NOT EXISTS collated", "USE collated", "SET NAMES utf8mb4, sql_mode=''"} {
				s.must(t, st)
			}
		}
		define, ask := collatedStatements(all[at])
		refused := false
		for _, st := range define {
			theirs.must(t, st)
			if a := ours.ask(t, st); a.failure != "" {
				require.Contains(t, a.failure, "1235/", "%s: %s", all[at], st)
				refused = true
			}
		}
		if refused {
			refusals++
			continue
		}
		for _, st := range ask {
			want, got := theirs.ask(t, st), ours.ask(t, st)
			want.flags, got.flags = nil, nil // of groups they depend on whether there is a temporary table
			asked++
			if d := (likeness{ordered: true, warnings: true}).difference(want, got); d != "" {
				if differ++; differ <= *most {
					t.Errorf("%s: %s: %s", all[at], st, d)
				}
			}
		}
	}
	t.Logf("%d of %d differ, %d collations refused", differ, asked, refusals)
	require.Positive(t, asked)
	require.LessOrEqual(t, refusals, 6)
}

// The script is made of the statements above.
func TestCollationsScript(t *testing.T) {
	lines := []string{"-- What collations of all kinds make of texts; collations_test.go has written it, and asks all collations where there is a MariaDB.", "SET sql_mode='';"}
	for _, c := range []string{
		"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_bin", "utf8mb4_nopad_bin", "utf8mb4_german2_ci", "utf8mb4_czech_ci", "utf8mb4_unicode_520_nopad_ci",
		"utf8mb4_uca1400_as_cs", "utf8mb4_uca1400_spanish2_ai_ci", "utf8mb3_croatian_ci", "ucs2_unicode_ci", "utf16le_general_ci", "latin1_swedish_ci", "latin1_german2_ci",
		"latin2_hungarian_ci", "cp1251_general_cs", "greek_bin", "sjis_japanese_ci", "gbk_chinese_nopad_ci", "binary",
	} {
		define, ask := collatedStatements(c)
		lines = append(lines, "-- "+c)
		for _, st := range append(define, ask...) {
			lines = append(lines, st+";")
		}
	}
	text := strings.Join(lines, "\n") + "\n"
	if *record {
		require.NoError(t, os.WriteFile("testdata/collations.sql", []byte(text), 0o644))
	}
	have, err := os.ReadFile("testdata/collations.sql")
	require.NoError(t, err)
	require.Equal(t, text, string(have), "record the answers")
}
