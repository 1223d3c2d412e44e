package grammar_test

import (
	"testing"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// BenchmarkParse reads the statements of sysbench's OLTP scripts, and longer ones.
func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"point":    "SELECT c FROM sbtest1 WHERE id=5012",
		"range":    "SELECT c FROM sbtest1 WHERE id BETWEEN 5012 AND 5111",
		"sum":      "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN 5012 AND 5111",
		"order":    "SELECT c FROM sbtest1 WHERE id BETWEEN 5012 AND 5111 ORDER BY c",
		"distinct": "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 5012 AND 5111 ORDER BY c",
		"update":   "UPDATE sbtest1 SET k=k+1 WHERE id=5012",
		"delete":   "DELETE FROM sbtest1 WHERE id=5012",
		"insert": "INSERT INTO sbtest1 (id, k, c, pad) VALUES (5012, 4993, " +
			"'68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441', " +
			"'22195207048-70116052123-74140395089-76317954521-98694025897')",
		"begin": "BEGIN",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, _, err := grammar.Parse(text, grammar.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPrint writes what was read.
func BenchmarkPrint(b *testing.B) {
	s, _, err := grammar.Parse("SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 5012 AND 5111 ORDER BY c", grammar.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf = tree.Print(buf[:0], s, nil)
	}
}
