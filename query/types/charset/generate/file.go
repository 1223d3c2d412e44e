package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
)

// file is what package charset's reader reads.
type file struct{ b []byte }

func (f *file) uint(v int) { f.b = binary.AppendUvarint(f.b, uint64(v)) }

func (f *file) int(v int) { f.b = binary.AppendVarint(f.b, int64(v)) }

func (f *file) str(s string) {
	f.uint(len(s))
	f.b = append(f.b, s...)
}

// part appends a name, a size and what the part holds.
func (f *file) part(name string, body *file) {
	f.str(name)
	f.uint(len(body.b))
	f.b = append(f.b, body.b...)
}

func (f *file) gzip() ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(f.b); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// save writes the file compressed.
func (g *generator) save(name string, f *file) error {
	b, err := f.gzip()
	if err != nil {
		return err
	}
	return g.write(name, b)
}
