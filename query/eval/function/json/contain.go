package json

import (
	"bytes"
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

func contains(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "json_contains"
	ds, err := documentsOf(b, args[:2])
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(b, args[2:], 3)
	if err != nil {
		return nil, err
	}
	return eval.New(name, types.BoolType().OrNull(), func(f *eval.Frame) (int64, bool) {
		doc, null := ds[0].text(f)
		if null {
			return 0, true
		}
		part, null := ds[1].text(f)
		if null {
			return 0, true
		}
		m, ok := startAt(f, name, doc, ds[0].utf8, paths)
		if !ok {
			return 0, true
		}
		v := scanner{text: part, utf8: ds[1].utf8}
		if !m.find() {
			if m.fault != fine {
				report(f, types.Warning, name, 1, &m.scanner)
				return 0, true
			}
			return 0, len(paths) == 0
		}
		c := container{poll: polled{f: f}}
		found := v.next() == tokenValue && c.contains(&m.scanner, &v)
		if m.fault != fine || v.fault != fine {
			if m.fault != fine {
				report(f, types.Warning, name, 1, &m.scanner)
			}
			if v.fault != fine {
				report(f, types.Warning, name, 2, &v)
			}
			return 0, true
		}
		return truth(found), c.poll.ended
	}, args...).With(eval.Bool), nil
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// container is the work of JSON_CONTAINS. Scanners have read the first token of the values that are compared. Then they are somewhere in
// them; if the part is contained, its scanner is at its end.
type container struct{ poll polled }

func (c *container) contains(doc, part *scanner) bool {
	if c.poll.end() {
		return false
	}
	switch {
	case doc.kind == object_:
		return part.kind == object_ && c.object(doc, part)
	case doc.kind == array_ && part.kind == array_:
		return c.array(doc, part)
	case doc.kind == array_:
		return c.item(doc, part)
	}
	return part.kind.scalar() && sameScalar(doc, part)
}

// object: each key of the part is in the document, whose first one of that name contains the value.
func (c *container) object(doc, part *scanner) bool {
	opened := *doc
	for inside := part.depth; ; {
		switch part.next() {
		case tokenFault:
			return false
		case tokenClose:
			if part.depth < inside {
				*doc = opened
				return doc.skip()
			}
		case tokenKey:
			key := part.text[part.start:part.end]
			*doc = opened
			if !findKey(doc, key) || part.next() != tokenValue || doc.next() != tokenValue || !c.contains(doc, part) {
				return false
			}
		}
	}
}

// toLevel reads on until so many containers are open.
func (s *scanner) toLevel(level int) bool {
	for s.depth > level {
		if s.next() == tokenFault {
			return false
		}
	}
	return true
}

// findKey reads on to the key in the object that was opened, or to the object's end.
func findKey(s *scanner, key []byte) bool {
	for inside := s.depth; ; {
		switch s.next() {
		case tokenFault:
			return false
		case tokenClose:
			if s.depth < inside {
				return false
			}
		case tokenKey:
			if s.depth == inside && sameText(s.text[s.start:s.end], key, s.utf8) {
				return true
			}
		}
	}
}

// item: an item of the document's array contains the part.
func (c *container) item(doc, part *scanner) bool {
	wanted := *part
	for inside := doc.depth; ; {
		switch doc.next() {
		case tokenFault:
			return false
		case tokenClose:
			if doc.depth < inside {
				return false
			}
		case tokenValue:
			*part = wanted
			if c.contains(doc, part) {
				return doc.toLevel(inside - 1)
			}
			if part.fault != fine || c.poll.ended || !doc.toLevel(inside) {
				return false
			}
		}
	}
}

// array: each item of the part is in the document's array; of items that are arrays their items are.
func (c *container) array(doc, part *scanner) bool {
	opened := *doc
	for inside := part.depth; ; {
		switch part.next() {
		case tokenFault:
			return false
		case tokenClose:
			if part.depth < inside {
				*doc = opened
				return true
			}
		case tokenValue:
			*doc = opened
			if !c.contains(doc, part) {
				return false
			}
		}
	}
}

// sameScalar reports whether two scalars are the same: strings as they are written, numbers as DOUBLE.
func sameScalar(a, b *scanner) bool {
	if a.kind != b.kind {
		return false
	}
	x, y := a.text[a.start:a.end], b.text[b.start:b.end]
	switch a.kind {
	case string_:
		return bytes.Equal(x, y)
	case number_:
		return bytes.Equal(x, y) || float(x) == float(y)
	}
	return true
}

// float is the DOUBLE of a number: the largest one, if it is out of range.
func float(s []byte) float64 {
	v, _ := strconv.ParseFloat(string(s), 64)
	if math.IsInf(v, 0) {
		return math.Copysign(math.MaxFloat64, v)
	}
	return v
}
