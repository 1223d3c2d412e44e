package charset

import (
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var sweep = flag.Bool("sweep", false, "compare all characters of all tables with MariaDB (some minutes)")

// TestSweep compares every character of every table with MariaDB: what it is in Unicode and back, whether it is well-formed, and its weights.
func TestSweep(t *testing.T) {
	if !*sweep {
		t.Skip("needs -sweep")
	}
	peer.RequireMariaDB(t)
	db := peer.StartMariaDB(t, peer.Options{}).DB("mysql") // tables of numbers need a database
	for _, s := range Sets() {
		if !s.binary() {
			t.Run(s.name, func(t *testing.T) { sweepSet(t, db, s) })
		}
	}
	done, liked := map[string]bool{}, map[string]bool{}
	for _, c := range Collations() {
		if _, err := c.Order(); err != nil || c.set.binary() {
			continue
		}
		if key := fmt.Sprint(c.weights, c.levels); c.set.name == "utf8mb4" && !c.Binary() && !liked[key] {
			liked[key] = true
			t.Run("LIKE/"+c.name, func(t *testing.T) { sweepLike(t, db, c) })
		}
		if done[c.set.name+c.weights] {
			continue
		}
		if c.set.Unicode() && c.set.name != "utf8mb4" && !strings.HasSuffix(c.name, "mysql500_ci") {
			continue // the table of utf8mb4
		}
		if c.levels != 7 && strings.HasPrefix(c.weights, "uca:uca1400") {
			continue // the one with all levels comes later
		}
		done[c.set.name+c.weights] = true
		t.Run(c.name, func(t *testing.T) { sweepWeights(t, db, c) })
	}
}

// each runs a query of a number and a text, and reports up to ten wrong rows.
func each(t *testing.T, db *sql.DB, query string, want func(n int) string) {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err, query)
	defer rows.Close()
	count, wrong := 0, 0
	for rows.Next() {
		var n int
		var got string
		require.NoError(t, rows.Scan(&n, &got))
		if w := want(n); w != got {
			if wrong++; wrong <= 10 {
				t.Errorf("%X: we have %s, MariaDB has %s", n, w, got)
			}
		}
		count++
	}
	require.NoError(t, rows.Err())
	require.NotZero(t, count)
	t.Logf("%d compared, %d wrong", count, wrong)
}

func upHex(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }

func sweepSet(t *testing.T, db *sql.DB, s *Set) {
	utf32, _ := SetByName("utf32")
	sizes := map[int]string{1: "0_to_255", 2: "0_to_65535"}
	if s.maxLen >= 3 {
		sizes[3] = "8388608_to_16777215"
	}
	for size, numbers := range sizes {
		if size%int(s.minLen) != 0 || s.codec == codecByte && size > 1 {
			continue
		}
		bytesOf := func(n int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n))[4-size:] }
		expr := fmt.Sprintf("CONVERT(UNHEX(LPAD(HEX(seq),%d,'0')) USING %s)", 2*size, s.name)
		each(t, db, fmt.Sprintf("SELECT seq, CONCAT(HEX(%[1]s)=LPAD(HEX(seq),%[2]d,'0'), IF(HEX(%[1]s)=LPAD(HEX(seq),%[2]d,'0'),HEX(CONVERT(%[1]s USING utf32)),'')) FROM seq_%[3]s", expr, 2*size, numbers),
			func(n int) string {
				b := bytesOf(n)
				if s.Valid(b) >= 0 {
					return "0"
				}
				u, _ := Convert(nil, utf32, s, b)
				return "1" + upHex(u)
			})
	}
	each(t, db, fmt.Sprintf(`SELECT seq, HEX(CONVERT(CONVERT(UNHEX(LPAD(HEX(seq),8,'0')) USING utf32) USING %s)) FROM seq_0_to_1114111 WHERE seq NOT BETWEEN 0xD800 AND 0xDFFF`, s.name),
		func(n int) string {
			out, _ := Convert(nil, s, utf32, binary.BigEndian.AppendUint32(nil, uint32(n)))
			return upHex(out)
		})
}

func sweepWeights(t *testing.T, db *sql.DB, c *Collation) {
	o, err := c.Order()
	require.NoError(t, err)
	weights := func(n int) string {
		b, ok := c.set.Append(nil, rune(n))
		if !ok {
			b, _ = c.set.Append(nil, '?')
		}
		return upHex(o.AppendWeights(nil, b)) + " " + upHex(c.AppendUpper(nil, b)) + " " + upHex(c.AppendLower(nil, b))
	}
	last := 1114111
	if c.set.name != "utf8mb4" {
		last = 65535
	}
	expr := fmt.Sprintf("CONVERT(CONVERT(UNHEX(LPAD(HEX(seq),8,'0')) USING utf32) USING %s) COLLATE %s", c.set.name, c.name)
	each(t, db, fmt.Sprintf("SELECT seq, CONCAT(HEX(WEIGHT_STRING(%[1]s)),' ',HEX(UPPER(%[1]s)),' ',HEX(LOWER(%[1]s))) FROM seq_0_to_%[2]d WHERE seq NOT BETWEEN 0xD800 AND 0xDFFF",
		expr, last), weights)
}

// sweepLike asks for LIKE of neighbours among the characters that have the same weights.
func sweepLike(t *testing.T, db *sql.DB, c *Collation) {
	o, err := c.Order()
	require.NoError(t, err)
	last := map[string]rune{}
	var pairs [][2]rune
	for r := rune(1); r <= 0x10ffff; r++ {
		if r >= highSurrogates && r < surrogatesEnd || r > 0x11000 && r%16 != 0 && o.kind == kindGeneral {
			continue
		}
		w := string(o.AppendWeights(nil, in(c.set, string(r))))
		if other, ok := last[w]; ok && (o.kind != kindUCA || w != "\xff\xfd" || r < 0x12000) {
			pairs = append(pairs, [2]rune{other, r})
		}
		last[w] = r
	}
	const perQuery = 400
	wrong := 0
	for i := 0; i < len(pairs); i += perQuery {
		part := pairs[i:min(len(pairs), i+perQuery)]
		var q []string
		for _, p := range part {
			q = append(q, fmt.Sprintf("_utf8mb4 X'%x' LIKE _utf8mb4 X'5C%x' COLLATE %s", string(p[0]), string(p[1]), c.name))
		}
		var got string
		require.NoError(t, db.QueryRow("SELECT CONCAT("+strings.Join(q, ",")+")").Scan(&got))
		for j, p := range part {
			if o.Like(in(c.set, string(p[0])), append([]byte("\\"), in(c.set, string(p[1]))...), '\\') != (got[j] == '1') {
				if wrong++; wrong <= 10 {
					t.Errorf("U+%04X LIKE U+%04X: MariaDB has %c", p[0], p[1], got[j])
				}
			}
		}
	}
	t.Logf("%d compared, %d wrong", len(pairs), wrong)
}
