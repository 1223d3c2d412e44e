package charset

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// question is a pair of strings of a collation, with MariaDB's answers.
type question struct {
	collation           string
	a, b, pattern       []byte
	strcmp              int
	equal, like         bool
	weights, upper, low string // of a, in hexadecimal
	length              int    // of a, in characters
	prefix              int    // STRCMP of two characters of each
}

// pools are characters that belong together; a string is drawn from one or two.
var pools = []string{
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"aAbBcC  ", " ", "chCHlzsdzjnyLlaAeE", "!#$&'()*+,-./:;<=>?@[]^`{|}~0123456789",
	"\t\n\x00\x01\x1f\x7f\u0085\u00a0\u00ad",
	"äöüÄÖÜßåÅæÆøØéÉèêëçÇñÑþÞðÐÿŸœŒšŠžŽ",
	"ąĄćĆčČďęĘěłŁńňőŐřśťůűźżğĞıİşŞđĐģķļņāēī",
	"a\u0300e\u0301i\u0308o\u0302u\u030ac\u030cz\u030cn\u0303s\u0327",
	"αβγδΑΒΓΔάΆςσΣϊΐ", "абвгдеёжзиАБВГДЕЁЖЗИйЙіїєґЇ", "и\u0306И\u0306е\u0308",
	"אבגדהםמןנ", "ابتثجحآأإا\u0653\u0654ىيئپچگ", "กขคงเกแกโขใไ", "ກຂຄເກແຂ",
	"අආඇකඛගඞ", "ကခဂဃငစာိုူ်းံ", "अआइकखग\u093c\u094d", "\u0cc6\u0cc2\u0cd5\u0d46\u0d3e\u0dd9\u0dcf\u0dca",
	"漢字日本語中文字符一丁", "あいうえおかがきぎアイウエオカガキギｱｲｳ", "가나다라마바사한국어", "ㄱㄴㅏ",
	"ａｂｃＡＢＣ１２３", "ﬁﬂ№℃①Ⅷ", "😀😁🎉𝒳𝒴𠀀𐐀𐐨", "\u2028\u200b\ufeff\u2010–—…“”€",
	"áắấậếềẠạƠơƯư", "ĉĝĥĵŝŭĈĜ", "ǆǅǄǉǈǇǌǋǊ", "ƒƠḀḁẞỲỳⓐⒶ",
}

// blocks are the first code points of where the scripts are, in steps of 256.
var blocks = func() (list []rune) {
	for _, b := range [][2]rune{{0, 0x33}, {0x4d, 0x4e}, {0x9f, 0xac}, {0xd7, 0xd7}, {0xf9, 0x120}, {0x16a, 0x170}, {0x1d1, 0x1d7}, {0x1e0, 0x1f9}, {0x2f8, 0x2fa}} {
		for n := b[0]; n <= b[1]; n++ {
			list = append(list, n<<8)
		}
	}
	return list
}()

func drawText(rng *rand.Rand) string {
	from := []rune(pools[rng.IntN(len(pools))])
	if rng.IntN(4) == 0 { // or from all characters of a block of Unicode
		from = from[:0]
		first := blocks[rng.IntN(len(blocks))]
		for r := first; r < first+256; r++ {
			from = append(from, r)
		}
	}
	if rng.IntN(2) == 0 {
		from = append(from, []rune(pools[rng.IntN(len(pools))])...)
	}
	out := make([]rune, 0, 8)
	for n := rng.IntN(7); n > 0; n-- {
		out = append(out, from[rng.IntN(len(from))])
	}
	for rng.IntN(4) == 0 {
		out = append(out, ' ')
	}
	return string(out)
}

// vary changes a text into one that may well be equal to it.
func vary(rng *rand.Rand, s string) string {
	switch rng.IntN(6) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return s + " "
	case 2:
		return strings.ToLower(s)
	case 3:
		return s + drawText(rng)
	case 4:
		r := []rune(s)
		if len(r) > 0 {
			r[rng.IntN(len(r))] = []rune("aäAÄ s ß\t😀")[rng.IntN(10)]
		}
		return string(r)
	}
	return drawText(rng)
}

func likePattern(rng *rand.Rand, s string) string {
	var b strings.Builder
	for _, r := range s {
		switch rng.IntN(8) {
		case 0:
			b.WriteString("%")
		case 1:
			b.WriteString("_")
		case 2:
			b.WriteString("\\" + string(r))
		case 3:
			b.WriteString("%" + string(r))
		default:
			b.WriteRune(r)
		}
	}
	if rng.IntN(4) == 0 {
		b.WriteString("%")
	}
	return b.String()
}

// in converts to a character set, leaving out what it lacks.
func in(set *Set, s string) []byte {
	var out []byte
	for _, r := range s {
		if next, ok := set.Append(out, r); ok {
			out = next
		}
	}
	return out
}

func drawQuestions(rng *rand.Rand, c *Collation, n int) []question {
	list := make([]question, n)
	for i := range list {
		a := drawText(rng)
		b := vary(rng, a)
		p := likePattern(rng, vary(rng, a))
		list[i] = question{collation: c.name, a: in(c.set, a), b: in(c.set, b), pattern: in(c.set, p)}
	}
	return list
}

// ask has MariaDB answer questions about one collation.
func ask(t testing.TB, db *sql.DB, list []question) {
	t.Helper()
	var q strings.Builder
	for i := range list {
		c, _ := ByName(list[i].collation)
		text := func(b []byte) string {
			if c.set.binary() {
				return fmt.Sprintf("X'%x'", b)
			}
			return fmt.Sprintf("CONVERT(X'%x' USING %s) COLLATE %s", b, c.set.name, c.name)
		}
		a, b, p := text(list[i].a), text(list[i].b), text(list[i].pattern)
		if i > 0 {
			q.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&q, "SELECT %d AS i, STRCMP(%s,%s) AS c, (%s)=(%s) AS e, (%s) LIKE (%s) AS l, HEX(WEIGHT_STRING(%s)) AS w, HEX(UPPER(%s)) AS u, HEX(LOWER(%s)) AS d, CHAR_LENGTH(%s) AS n, STRCMP(LEFT(%s,2),LEFT(%s,2)) AS p",
			i, a, b, a, b, a, p, a, a, a, a, a, b)
	}
	rows, err := db.Query(q.String())
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var i int
		var v question
		require.NoError(t, rows.Scan(&i, &v.strcmp, &v.equal, &v.like, &v.weights, &v.upper, &v.low, &v.length, &v.prefix))
		v.collation, v.a, v.b, v.pattern = list[i].collation, list[i].a, list[i].b, list[i].pattern
		list[i] = v
	}
	require.NoError(t, rows.Err())
}

// check compares our answers with MariaDB's, and tells the first difference, "" if there is none.
func (q *question) check() string {
	c, ok := ByName(q.collation)
	if !ok {
		return "no collation " + q.collation
	}
	o, err := c.Order()
	if err != nil {
		return err.Error()
	}
	differs := func(what string, got, want any) string {
		return fmt.Sprintf("%s: %s of %x, %x, pattern %x (%q, %q): %v, MariaDB has %v", q.collation, what, q.a, q.b, q.pattern, q.a, q.b, got, want)
	}
	if got := o.Compare(q.a, q.b); got != q.strcmp {
		return differs("Compare", got, q.strcmp)
	}
	if got := o.Equal(q.a, q.b); got != q.equal {
		return differs("Equal", got, q.equal)
	}
	escape := '\\'
	if c.set.name == "swe7" {
		escape = '?' // it has no backslash, and conversion makes this of it
	}
	if got := o.Like(q.a, q.pattern, escape); got != q.like {
		return differs("Like", got, q.like)
	}
	upperHex := func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }
	if got := upperHex(o.AppendWeights(nil, q.a)); got != q.weights {
		return differs("AppendWeights", got, q.weights)
	}
	if got := upperHex(c.AppendUpper(nil, q.a)); got != q.upper {
		return differs("AppendUpper", got, q.upper)
	}
	if got := upperHex(c.AppendLower(nil, q.a)); got != q.low {
		return differs("AppendLower", got, q.low)
	}
	if got := c.set.Len(q.a); got != q.length {
		return differs("Len", got, q.length)
	}
	if got := o.ComparePrefix(q.a, q.b, 2); got != q.prefix {
		return differs("ComparePrefix", got, q.prefix)
	}
	if wrong := consistent(o, q.a, q.b); wrong != "" {
		return differs(wrong, "inconsistent", "")
	}
	return ""
}
