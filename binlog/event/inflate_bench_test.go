package event

import (
	"bytes"
	"compress/zlib"
	"testing"
)

// A small compressed event: what undoing its compression costs.
func BenchmarkUncompress(b *testing.B) {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write(bytes.Repeat([]byte("row"), 200))
	_ = w.Close()
	body := append([]byte{0x82, 600 >> 8, 600 & 0xff}, z.Bytes()...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := uncompress(body); err != nil {
			b.Fatal(err)
		}
	}
}
