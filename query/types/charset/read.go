package charset

import (
	"compress/gzip"
	"embed"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

// data are the tables that program generate wrote; each file's layout is told where it is read.
//
//go:embed data
var data embed.FS

var errShort = errors.New("ends too early")

// reader takes numbers and strings from a file of tables. It panics at the end of a file: a damaged table is a damaged program.
type reader struct {
	file string
	b    []byte
}

func open(file string) *reader {
	f, err := data.Open("data/" + file)
	if err != nil {
		corrupt(file, err)
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		corrupt(file, err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		corrupt(file, err)
	}
	return &reader{file, b}
}

func (r *reader) uint() uint32 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > 1<<32-1 {
		corrupt(r.file, errShort)
	}
	r.b = r.b[n:]
	return uint32(v)
}

// int takes a difference; adding it to an unsigned number wraps as it should.
func (r *reader) int() uint32 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		corrupt(r.file, errShort)
	}
	r.b = r.b[n:]
	return uint32(v)
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b) {
		corrupt(r.file, errShort)
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) str() string { return string(r.bytes(int(r.uint()))) }

// readMapping reads a set's table: set8.gz has all sets of one byte, the others have files of their own. A file is any number of: name,
// size in bytes, then number of characters; per character (ascending) the difference of its code and of its code point from those before; number of
// exceptions; per exception the difference of its code point, and of its code plus one, from those before. Without exceptions a code point's code is the lowest that
// decodes to it.
func readMapping(name string) *mapping {
	file := "set8.gz"
	if s, _ := SetByName(name); s.maxLen > 1 {
		file = "set_" + name + ".gz"
	}
	for r := open(file); ; {
		found, size := r.str(), int(r.uint())
		body := &reader{file, r.bytes(size)}
		if strings.EqualFold(found, name) {
			return body.mapping()
		}
	}
}

func (r *reader) mapping() *mapping {
	m := new(mapping)
	code, point := ^uint32(0), uint32(0)
	for n := r.uint(); n > 0; n-- {
		code += r.uint()
		point += r.int()
		m.runes.set(slot(code), point+1)
		if m.codes.get(point) == 0 {
			m.codes.set(point, code+1)
		}
	}
	code, point = 0, ^uint32(0)
	for n := r.uint(); n > 0; n-- {
		point += r.uint()
		code += r.int()
		m.codes.set(point, code)
	}
	return m
}
