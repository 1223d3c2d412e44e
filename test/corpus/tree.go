package corpus

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// spanName is the type that tells where a node stands in its text, as two integers, Start and End.
const spanName = "Span"

// operatorNames are the types of the nodes that are operators with their operands.
var operatorNames = []string{"Binary", "Chain", "Unary", "Is", "In", "Between", "Like", "Quantified", "AddInterval", "Collate"}

// difference says where two trees differ, "" if nowhere. Places in the text do not count.
func difference(a, b any) string { return differ(reflect.ValueOf(a), reflect.ValueOf(b), "") }

func differ(a, b reflect.Value, path string) string {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return fmt.Sprintf("%s: %s, then %s", path, kindOf(a), kindOf(b))
	}
	if !a.IsValid() {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: %s, then %s", path, kindOf(a.Elem()), kindOf(b.Elem()))
		}
		if a.IsNil() || a.Kind() == reflect.Pointer && a.Pointer() == b.Pointer() {
			return ""
		}
		return differ(a.Elem(), b.Elem(), path)
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if f.Type.Name() == spanName {
				continue
			}
			if d := differ(a.Field(i), b.Field(i), path+"/"+a.Type().Name()+"."+f.Name); d != "" {
				return d
			}
		}
		return ""
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d, then %d", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := differ(a.Index(i), b.Index(i), path); d != "" {
				return d
			}
		}
		return ""
	default:
		if !a.Equal(b) {
			return fmt.Sprintf("%s: %v, then %v", path, a, b)
		}
		return ""
	}
}

func kindOf(v reflect.Value) string {
	if !v.IsValid() {
		return "nothing"
	}
	return v.Type().String()
}

// grouped puts parentheses around every operator with its operands, as a tree of the text has them. ok is false if that cannot be done, or
// if there are none.
func grouped(text string, tree any) (out string, ok bool) {
	var spans [][2]int
	operators(reflect.ValueOf(tree), &spans)
	opens, closes := make([]int, len(text)+1), make([]int, len(text)+1)
	for _, s := range spans {
		from, to := s[0], s[1]
		if from < 0 || from >= to || to > len(text) || !balanced(text[from:to]) {
			return "", false
		}
		opens[from]++
		closes[to]++
	}
	var b strings.Builder
	for i := range opens {
		b.WriteString(strings.Repeat(")", closes[i]))
		b.WriteString(strings.Repeat("(", opens[i]))
		if i < len(text) {
			b.WriteByte(text[i])
		}
	}
	return b.String(), len(spans) > 0
}

// operators collects the places of operators.
func operators(v reflect.Value, spans *[][2]int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			operators(v.Elem(), spans)
		}
	case reflect.Slice:
		for i := range v.Len() {
			operators(v.Index(i), spans)
		}
	case reflect.Struct:
		if span := v.FieldByName(spanName); slices.Contains(operatorNames, v.Type().Name()) && span.IsValid() {
			*spans = append(*spans, [2]int{int(span.FieldByName("Start").Int()), int(span.FieldByName("End").Int())})
		}
		for i := range v.NumField() {
			operators(v.Field(i), spans)
		}
	}
}

// balanced reports whether each parenthesis outside of quotes has its partner.
func balanced(s string) bool {
	depth := 0
	for _, piece := range pieces(s, "") {
		switch piece[:min(1, len(piece))] {
		case "(":
			depth++
		case ")":
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0
}
