package charset

import (
	"strings"
	"testing"
)

var benchTexts = []struct{ name, text string }{
	{"ascii", "a string of forty characters, all ASCII."},
	{"latin", "Die süßen Äpfel und größere Bäume hörten"},
	{"code", "08566691963-88624912351-16662227201-46648573979-64646226163-77505759394-75470094713-41097360717-15161106334-50535565977"},
	{"mixed", "каша и 日本語 with 😀 and ασδφ Текст zu End"},
}

var benchCollations = []string{"latin1_swedish_ci", "utf8mb4_bin", "utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_uca1400_ai_ci", "utf8mb4_uca1400_as_cs",
	"utf8mb4_uca1400_czech_ai_ci", "gbk_chinese_ci"}

func benchmark(b *testing.B, do func(o *Order, text, same []byte)) {
	for _, name := range benchCollations {
		o, err := collationOf(b, name).Order()
		if err != nil {
			b.Fatal(err)
		}
		for _, t := range benchTexts {
			text, same := in(o.set, t.text), in(o.set, strings.ToUpper(t.text))
			if o.c.CaseSensitive() {
				same = append(in(o.set, t.text), ' ')
			}
			b.Run(name+"/"+t.name, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					do(o, text, same)
				}
			})
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	benchmark(b, func(o *Order, text, same []byte) { o.Compare(text, same) })
}

func BenchmarkKey(b *testing.B) {
	var dst []byte
	benchmark(b, func(o *Order, text, _ []byte) { dst = o.AppendKey(dst[:0], text) })
}

func BenchmarkHash(b *testing.B) {
	benchmark(b, func(o *Order, text, _ []byte) { o.Hash(0, text) })
}

func BenchmarkLike(b *testing.B) {
	pattern := []byte("%nd%")
	benchmark(b, func(o *Order, text, _ []byte) { o.Like(text, pattern, '\\') })
}

func BenchmarkLower(b *testing.B) {
	var dst []byte
	benchmark(b, func(o *Order, text, _ []byte) { dst = o.c.AppendLower(dst[:0], text) })
}

func BenchmarkConvert(b *testing.B) {
	u, _ := SetByName("utf8mb4")
	var dst []byte
	benchmark(b, func(o *Order, text, _ []byte) { dst, _ = Convert(dst[:0], u, o.set, text) })
}

// BenchmarkLoad is the first use of the largest tables.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		readRoot(open("uca1400.gz"))
	}
}
