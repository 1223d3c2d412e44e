package json

import (
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
)

func valid(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	return eval.Map1("json_valid", types.BoolType().OrNull(), func(f *eval.Frame, doc []byte) (int64, bool) {
		s := scanner{text: doc, utf8: d.utf8}
		if !s.rest() {
			report(f, types.Note, "json_valid", 1, &s)
			return 0, false
		}
		return 1, false
	}, d.arg).With(eval.Bool), nil
}

// Valid reports whether a text in UTF-8 is JSON: the constraint of JSON columns.
func Valid(text []byte) bool {
	s := scanner{text: text, utf8: true}
	return s.rest()
}

func typeOf(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	const longest = 12
	utf8mb3, _ := charset.SetByName("utf8mb3")
	return eval.Map1("json_type", types.StringType(longest, utf8mb3.Default(), charset.Coercible, false).OrNull(), func(f *eval.Frame, doc []byte) ([]byte, bool) {
		s := scanner{text: doc, utf8: d.utf8}
		ok := s.next() == tokenValue
		first := s
		if !ok || !s.rest() {
			report(f, types.Warning, "json_type", 1, &s)
			return nil, true
		}
		return append(f.Buffer(longest), typeName(&first)...), false
	}, d.arg), nil
}

// typeName is the word of JSON_TYPE for the value that was read last. A number without a point is an integer.
func typeName(s *scanner) string {
	switch s.kind {
	case object_:
		return "OBJECT"
	case array_:
		return "ARRAY"
	case string_:
		return "STRING"
	case null_:
		return "NULL"
	case number_:
		for _, c := range s.text[s.start:s.end] {
			if c == '.' {
				return "DOUBLE"
			}
		}
		return "INTEGER"
	}
	return "BOOLEAN"
}

func depthOf(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	t := types.LongType(10)
	t.Nullable = args[0].Type.Nullable
	return eval.Map1("json_depth", t, func(f *eval.Frame, doc []byte) (int64, bool) {
		s := scanner{text: doc, utf8: d.utf8}
		deepest := 0
		for {
			level := s.depth
			switch s.next() {
			case tokenFault:
				report(f, types.Warning, "json_depth", 1, &s)
				return 0, true
			case tokenEnd:
				return int64(deepest), false
			case tokenValue:
				deepest = max(deepest, level+1)
			}
		}
	}, d.arg), nil
}

func length(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	for _, x := range args[1:] {
		if x.Type.Class() != types.ClassText && x.Type.Members == nil {
			return nil, mysqlerr.New(mysqlerr.IllegalParameterDataType, parameterName(x), "json_length")
		}
	}
	paths, err := pathsOf(b, args[1:], 2)
	if err != nil {
		return nil, err
	}
	return eval.New("json_length", types.LongType(10).OrNull(), func(f *eval.Frame) (int64, bool) {
		doc, null := d.text(f)
		if null {
			return 0, true
		}
		m, ok := startAt(f, "json_length", doc, d.utf8, paths)
		if !ok {
			return 0, true
		}
		if !m.find() {
			if m.fault != fine {
				report(f, types.Warning, "json_length", 1, &m.scanner)
			}
			return 0, true
		}
		if m.kind.scalar() {
			return 1, false
		}
		n := members(&m.scanner)
		if !m.skip() || !m.scanner.rest() {
			report(f, types.Warning, "json_length", 1, &m.scanner)
			return 0, true
		}
		return n, false
	}, args...), nil
}

// parameterName is what errors call an argument's type.
func parameterName(x *eval.Expr) string {
	if x.Is(eval.Bool) {
		return "boolean"
	}
	return x.Type.Name()
}

// startAt makes a matcher of a function with one path, or none, which may not have wildcards.
func startAt(f *eval.Frame, name string, doc []byte, utf bool, paths []pathArgument) (*matcher, bool) {
	at := whole
	if len(paths) > 0 {
		if at = paths[0].get(f, name, false); at == nil {
			return nil, false
		}
	}
	m := newMatcher(doc, utf, at)
	m.plain = true
	return m, true
}

// whole is the path of a whole document.
var whole = parsePath([]byte("$"))

// members is how many items or keys the container has that was opened last.
func members(s *scanner) int64 {
	n, _ := count(s)
	return n
}

// count is members, and the fault that it found.
func count(s *scanner) (n int64, what fault) {
	ahead := *s
	for inside := ahead.depth; ; {
		switch ahead.next() {
		case tokenFault, tokenEnd:
			return n, ahead.fault
		case tokenClose:
			if ahead.depth < inside {
				return n, fine
			}
		case tokenValue:
			at := ahead.depth
			if !ahead.kind.scalar() {
				at--
			}
			if at == inside {
				n++
			}
		}
	}
}

func keys(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	d, err := documentOf(b, args[0])
	if err != nil {
		return nil, err
	}
	paths, err := pathsOf(b, args[1:], 2)
	if err != nil {
		return nil, err
	}
	return eval.New("json_keys", d.textLike(b, d.chars), func(f *eval.Frame) ([]byte, bool) {
		doc, null := d.text(f)
		if null {
			return nil, true
		}
		m, ok := startAt(f, "json_keys", doc, d.utf8, paths)
		if !ok {
			return nil, true
		}
		if ok = m.find(); ok && m.kind != object_ {
			return nil, true
		}
		var out []byte
		if ok {
			out, ok = appendKeys(f.Buffer(len(doc)+2), &m.scanner)
		}
		if !ok {
			if m.fault != fine {
				report(f, types.Warning, "json_keys", 1, &m.scanner)
			}
			return nil, true
		}
		return out, false
	}, args...), nil
}

// appendKeys appends the keys of the object that was opened, each once, and reads it to its end.
func appendKeys(dst []byte, s *scanner) ([]byte, bool) {
	seen := map[string]struct{}{}
	dst = append(dst, '[')
	for inside := s.depth; ; {
		switch s.next() {
		case tokenFault:
			return nil, false
		case tokenClose:
			if s.depth < inside {
				return append(dst, ']'), true
			}
		case tokenKey:
			key := s.text[s.start:s.end]
			if _, ok := seen[string(key)]; s.depth != inside || ok {
				continue
			}
			seen[string(key)] = struct{}{}
			if len(dst) > 1 {
				dst = append(dst, ", "...)
			}
			dst = append(append(append(dst, '"'), key...), '"')
		}
	}
}
