package collation

import (
	"bytes"
	"context"
	"math/rand"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

// key is the index component of a string in the collation's character set.
func key(t *testing.T, id uint16, s []byte) []byte {
	t.Helper()
	w, pad := Lookup(id)
	col := row.Column{Name: "c", Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 1000, Collation: id, Weight: w, PadSpace: pad}
	k, err := row.AppendKeyValue(nil, col, row.KeyPart{}, s)
	require.NoError(t, err)
	return k
}

func idOf(name string) (uint16, bool) {
	c, err := sql.ParseCollation("", name, false)
	return uint16(c), err == nil && c != sql.Collation_Unspecified
}

func encode(id uint16, s string) ([]byte, bool) {
	if t := TranscoderOf(id); t != nil {
		return t.Encode(nil, s)
	}
	if sql.CollationID(id).CharacterSet() == sql.CharacterSet_utf8mb3 && strings.ContainsFunc(s, func(r rune) bool { return r > 0xffff }) {
		return nil, false
	}
	return []byte(s), true
}

func TestTranscode(t *testing.T) {
	for _, tc := range []struct {
		collation, text string
		bytes           string
		ok              bool
	}{
		{"latin1_swedish_ci", "aé€", "a\xe9\x80", true},
		{"latin1_swedish_ci", "aж", "a?", false},
		{"utf16_general_ci", "a😀", "\x00a\xd8\x3d\xde\x00", true},
		{"utf16le_general_ci", "a😀", "a\x00\x3d\xd8\x00\xde", true},
		{"ucs2_unicode_ci", "aж", "\x00a\x04\x36", true},
		{"koi8r_general_ci", "Ж", "\xf6", true},
		{"koi8r_general_ci", "ä", "?", false},
		{"gbk_chinese_ci", "a中", "a\xd6\xd0", true},
		{"sjis_japanese_ci", "ｱ日", "\xb1\x93\xfa", true},
		{"utf32_general_ci", "a😀", "\x00\x00\x00a\x00\x01\xf6\x00", true},
		{"utf8mb4_general_ci", "a😀", "a😀", true},
	} {
		id, _ := idOf(tc.collation)
		got, ok := encode(id, tc.text)
		require.Equal(t, tc.ok, ok, tc.collation)
		require.Equal(t, tc.bytes, string(got), tc.collation)
		if c := TranscoderOf(id); c != nil && ok {
			require.Equal(t, tc.text, string(c.Decode(nil, got)), tc.collation)
		}
	}
	id, _ := idOf("utf16_bin")
	require.Equal(t, "a\uFFFD", string(TranscoderOf(id).Decode(nil, []byte("\x00a\x00"))))
}

func TestEqualStrings(t *testing.T) {
	for _, tc := range []struct {
		collation string
		a, b      string
		want      int
	}{
		{"utf8mb4_general_ci", "abc", "ABC", 0},
		{"utf8mb4_general_ci", "a", "a  ", 0},
		{"utf8mb4_general_ci", "a", "ä", 0},
		{"utf8mb4_general_ci", "a", "b", -1},
		{"utf8mb4_general_ci", "ab", "a", 1},
		{"utf8mb4_general_ci", "a\t", "a", -1}, // a tab sorts before the padding
		{"latin1_swedish_ci", "a", "A ", 0},
		{"utf8mb4_bin", "a", "A", 1},
		{"utf8mb4_bin", "a", "a ", 0},
		{"utf8mb4_unicode_ci", "é", "E", 0},
		{"utf8mb4_0900_bin", "a", "a ", -1},
		{"binary", "a", "a ", -1},
	} {
		id, ok := idOf(tc.collation)
		require.True(t, ok, tc.collation)
		require.Equal(t, tc.want, bytes.Compare(key(t, id, []byte(tc.a)), key(t, id, []byte(tc.b))),
			"%s: %q against %q", tc.collation, tc.a, tc.b)
	}
}

func TestNames(t *testing.T) {
	require.Equal(t, "utf8mb4_general_ci", Name(45))
	require.Equal(t, "", Name(0))
	require.Equal(t, "", Name(60000))
	require.Equal(t, "utf8mb4_uca1400_ai_ci", Name(2304))
	w, pad := Lookup(60000)
	require.Nil(t, w)
	require.False(t, pad)
}

// TestOrderOfEveryCollation compares sort keys with the comparison of
// go-mysql-server for random strings of every collation that can sort.
func TestOrderOfEveryCollation(t *testing.T) {
	alphabets := []string{"abcABC xyz", "äöüÄÖÜßéÉ", "αβΓ", "жЖя", "日本語", "😀𝒳", "!~09"}
	rng := rand.New(rand.NewSource(1))
	random := func() string {
		var b strings.Builder
		for n := rng.Intn(6); n > 0; n-- {
			a := []rune(alphabets[rng.Intn(len(alphabets))])
			b.WriteRune(a[rng.Intn(len(a))])
		}
		return strings.TrimRight(b.String(), " ") // padding is tested above
	}
	ctx := context.Background()
	it := sql.NewCollationsIterator()
	for c, ok := it.Next(); ok; c, ok = it.Next() {
		id := uint16(c.ID)
		if c.ID.Sorter() == nil || c.CharacterSet.Encoder() == nil || c.ID == sql.Collation_binary || Alone(ID(c.ID)) {
			continue
		}
		typ, err := types.CreateString(query.Type_VARCHAR, 60, c.ID)
		require.NoError(t, err)
		for range 300 {
			a, b := random(), random()
			ea, oka := encode(id, a)
			eb, okb := encode(id, b)
			if !oka || !okb {
				continue // not in this character set
			}
			want, err := typ.Compare(ctx, a, b)
			require.NoError(t, err)
			ka, kb := key(t, id, ea), key(t, id, eb)
			got := bytes.Compare(ka, kb)
			if bytes.Equal(ka, kb) {
				// Equal weights: go-mysql-server compares no further than the
				// weights, except for the length in bytes at the end.
				continue
			}
			require.Equal(t, want, got, "%s: %q against %q", c.Name, a, b)
		}
	}
}

func BenchmarkGeneralCI(b *testing.B) {
	w, _ := Lookup(Default)
	s := []byte("a string of forty characters, all ASCII.")
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = w(dst[:0], s)
	}
}
