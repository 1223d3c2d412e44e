package grammar_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// accepted are the statements of testdata that are accepted, with how they are read.
func accepted(t testing.TB, each func(text string, o grammar.Options, s tree.Statement)) {
	files, err := filepath.Glob("testdata/*.verdicts")
	require.NoError(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		_, o := modeOf(file)
		for line := range strings.Lines(string(data)) {
			_, text, _ := strings.Cut(strings.TrimRight(line, "\n"), between)
			text = strings.ReplaceAll(text, newline, "\n")
			if s, _, err := grammar.Parse(text, o); err == nil {
				each(text, o, s)
			}
		}
	}
}

// printModes is what of a mode a printed text is read under: backslashes are written for a mode in which they escape.
func printModes(m lex.Mode) []lex.Mode {
	m &^= lex.NoBackslashEscapes
	return []lex.Mode{m, 0, lex.PipesAsConcat | lex.HighNotPrecedence | lex.AnsiQuotes | lex.IgnoreSpace}
}

// TestRoundTrip: what is printed is read as the same tree, in any mode.
func TestRoundTrip(t *testing.T) {
	n := 0
	accepted(t, func(text string, o grammar.Options, s tree.Statement) {
		n++
		requireRoundTrip(t, text, o, s)
	})
	require.Greater(t, n, 3000)
}

func requireRoundTrip(t testing.TB, text string, o grammar.Options, s tree.Statement) {
	printed := tree.String(s)
	for _, mode := range printModes(o.Mode) {
		again, _, err := grammar.Parse(printed, grammar.Options{Mode: mode})
		require.NoError(t, err, "%q was printed %q", text, printed)
		if !same(reflect.ValueOf(s), reflect.ValueOf(again)) {
			require.Failf(t, "another tree", "%q was printed %q, and that %q", text, printed, tree.String(again))
		}
	}
}

var spanType = reflect.TypeFor[tree.Span]()

// same reports whether trees are equal but for the places in their texts.
func same(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() {
		return false
	}
	if !a.IsValid() {
		return true
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.Type() == spanType {
			return true
		}
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}

// TestPrintedFields: no field of a node is forgotten by its printer. Each field that is anywhere other than its zero value is set to that, and
// then the text has to be another one.
func TestPrintedFields(t *testing.T) {
	seen := map[string]bool{}
	accepted(t, func(text string, _ grammar.Options, s tree.Statement) {
		before := tree.String(s)
		visit(reflect.ValueOf(s), func(owner reflect.Type, field string, v reflect.Value) {
			name := owner.Name() + "." + field
			if seen[name] || v.IsZero() {
				return
			}
			old := reflect.New(v.Type()).Elem()
			old.Set(v)
			v.SetZero()
			after, ok := printed(s)
			v.Set(old)
			if !ok || after != before {
				seen[name] = true
			}
		})
		require.Equal(t, before, tree.String(s))
	})
	accepted(t, func(text string, _ grammar.Options, s tree.Statement) {
		visit(reflect.ValueOf(s), func(owner reflect.Type, field string, v reflect.Value) {
			if name := owner.Name() + "." + field; !v.IsZero() && !seen[name] && !unprinted[name] {
				seen[name] = true
				t.Errorf("%s is not printed: %s", name, text)
			}
		})
	})
}

// unprinted are fields that need not be printed: the order in the text, or another field, says them.
var unprinted = map[string]bool{"Placeholder.Index": true, "NumberLit.Kind": true}

// printed is the text of a tree that may lack what it has to have.
func printed(s tree.Statement) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return tree.String(s), true
}

// visit calls f for each field of each node, but not for their places.
func visit(v reflect.Value, f func(owner reflect.Type, field string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			visit(v.Elem(), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			visit(v.Index(i), f)
		}
	case reflect.Struct:
		if v.Type() == spanType {
			return
		}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.Type == spanType || !v.Field(i).CanSet() {
				continue
			}
			visit(v.Field(i), f)
			if !field.Anonymous {
				f(v.Type(), field.Name, v.Field(i))
			}
		}
	}
}

// FuzzParse: no text makes the parser fail otherwise than with an error, and what is read is printed and read as the same tree.
func FuzzParse(f *testing.F) {
	n := 0
	accepted(f, func(text string, o grammar.Options, _ tree.Statement) {
		if n++; n%7 == 0 {
			f.Add(text, uint8(o.Mode))
		}
	})
	f.Fuzz(func(t *testing.T, text string, mode uint8) {
		o := grammar.Options{Mode: lex.Mode(mode)}
		if s, _, err := grammar.Parse(text, o); err == nil {
			requireRoundTrip(t, text, o, s)
		}
	})
}
