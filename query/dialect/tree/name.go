package tree

import (
	"strings"
)

// NotGraphic says which characters at the start of a name are left out.
func NotGraphic(r rune) bool { return r <= ' ' || r == 0x7f }

// Written is the name of a column that has no alias: what the statement, whose text it is, has written for it.
func (n *SelectItem) Written(text string) string {
	named := n.X
	for {
		x, ok := named.(*Unary)
		if !ok || x.Op != OpPositive {
			break
		}
		named = x.X // a plus is nothing
	}
	switch x := named.(type) {
	case *ColumnRef:
		return x.Name.Text
	case *NullLit:
		return "NULL"
	case *BoolLit:
		if x.Value {
			return "TRUE"
		}
		return "FALSE"
	case *Placeholder:
		return "?"
	case *NumberLit:
		return x.Text
	case *Call:
		if name, ok := constantName(x); ok {
			return name
		}
	case *TextLit:
		return strings.ReplaceAll(strings.TrimLeftFunc(x.Value, NotGraphic), "\x00", `\x00`)
	}
	return strings.TrimSpace(text[n.Start:n.End])
}

// constantName is the name that NAME_CONST gives.
func constantName(n *Call) (string, bool) {
	if !strings.EqualFold(n.Name.Text, "NAME_CONST") || len(n.Args) == 0 {
		return "", false
	}
	switch name := n.Args[0].(type) {
	case *TextLit:
		return name.Value, true
	case *NumberLit:
		return name.Text, name.Kind != FloatNumber
	case *BytesLit:
		return name.Value, true
	case *BoolLit:
		if name.Value {
			return "1", true
		}
		return "0", true
	case *TemporalLit:
		return name.Value, true
	}
	return "", false
}
