package corpus

import (
	"compress/gzip"
	"encoding/gob"
	"hash/fnv"
	"io"
)

// Save writes verdicts, so that a parser can be judged again without a server. What it writes has the texts of the tests in it: it belongs
// into a scratch directory.
func Save(w io.Writer, list []Judged) error {
	z := gzip.NewWriter(w)
	if err := gob.NewEncoder(z).Encode(list); err != nil {
		return err
	}
	return z.Close()
}

// Restore reads what Save wrote.
func Restore(r io.Reader) ([]Judged, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var list []Judged
	err = gob.NewDecoder(z).Decode(&list)
	return list, err
}

// Slice is the part of the statements, one in n, whose texts have a certain hash: the same ones in each run, whatever the others are.
func Slice(list []Statement, n uint32) []Statement {
	var part []Statement
	for _, s := range list {
		h := fnv.New32a()
		_, _ = io.WriteString(h, s.Text)
		if h.Sum32()%n == 0 {
			part = append(part, s)
		}
	}
	return part
}
