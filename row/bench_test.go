package row

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
)

// sysbenchColumns is the table of sysbench: id INT, k INT, c CHAR(120), pad CHAR(60).
func sysbenchColumns() ([]Column, []any) {
	const latin1 = 8
	return []Column{
			{Name: "id", Type: mysql.MYSQL_TYPE_LONG, Collation: mysql.Collation_binary},
			{Name: "k", Type: mysql.MYSQL_TYPE_LONG, Collation: mysql.Collation_binary},
			{Name: "c", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(480), Collation: 46, PadSpace: true},
			{Name: "pad", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(60), Collation: latin1, PadSpace: true},
		}, []any{
			int64(4711), int64(50123),
			strings.Repeat("83868641912-", 10)[:119], strings.Repeat("67847967377-", 5)[:59],
		}
}

// TestHotPathAllocations: what runs for every row allocates nothing.
func TestHotPathAllocations(t *testing.T) {
	cols, vals := sysbenchColumns()
	image, err := Encode(nil, cols, vals)
	require.NoError(t, err)
	buf := make([]byte, 0, 4096)
	parts := []KeyPart{{Column: 1}, {Column: 0}, {Column: 2, PrefixLen: 20}}
	present := []bool{true, false, true, false}
	bitmap := Bitmap(present)
	folded := append([]Column(nil), cols...)
	folded[2].Weight = fold
	var bound any = "some text"
	for name, f := range map[string]func() error{
		"Encode":                 func() (err error) { _, err = Encode(buf, cols, vals); return },
		"AppendKey":              func() (err error) { _, _, err = AppendKey(buf, cols, parts, image); return },
		"AppendKey with weights": func() (err error) { _, _, err = AppendKey(buf, folded, parts, image); return },
		"AppendKeyValue":         func() (err error) { _, err = AppendKeyValue(buf, cols[0], parts[0], vals[0]); return },
		"AppendKeyValue of text": func() (err error) { _, err = AppendKeyValue(buf, folded[2], parts[2], bound); return },
		"SkipKey": func() (err error) {
			key, err := AppendKeyValue(buf, cols[0], parts[0], vals[0])
			if err == nil {
				_, err = SkipKey(key, cols[0], parts[0])
			}
			return
		},
		"Size":    func() (err error) { _, err = Size(cols, nil, image); return },
		"Project": func() (err error) { _, err = Project(buf, cols, image, present); return },
		"Merge": func() (err error) {
			partial, err := Project(buf, cols, image, present)
			if err == nil {
				_, err = Merge(partial[len(partial):], cols, image, partial, bitmap)
			}
			return
		},
		"Packed": func() (err error) { _, _, err = Packed(cols, image, 3); return },
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				t.Fatal(name, err)
			}
		})
		require.Zero(t, allocs, name)
	}
}

func BenchmarkEncode(b *testing.B) {
	cols, vals := sysbenchColumns()
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Encode(buf, cols, vals); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	cols, vals := sysbenchColumns()
	image, _ := Encode(nil, cols, vals)
	out, all := make([]any, 0, 8), ordinals(cols)
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = DecodeSome(out, cols, image, all)
		}
	})
	b.Run("last", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = DecodeSome(out, cols, image, []int{3})
		}
	})
}

func BenchmarkAppendKey(b *testing.B) {
	cols, vals := sysbenchColumns()
	image, _ := Encode(nil, cols, vals)
	buf := make([]byte, 0, 4096)
	for name, parts := range map[string][]KeyPart{
		"int": {{Column: 0}}, "int_int": {{Column: 1}, {Column: 0}}, "char": {{Column: 2}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = AppendKey(buf, cols, parts, image)
			}
		})
	}
}

func BenchmarkDecimal(b *testing.B) {
	col := Column{Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: mysql.DecimalMeta(18, 4)}
	var val any = "-12345678901.2345"
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = AppendValue(buf, &col, val)
	}
}
