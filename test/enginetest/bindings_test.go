package enginetest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/result"
)

// placeholders turns the named placeholders that go-mysql-server prints (:v1)
// into those that clients send, and gives the name of each in order.
func placeholders(text string) (string, []string) {
	var out strings.Builder
	var names []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\'' || c == '"' || c == '`':
			end := quoted(text, i)
			out.WriteString(text[i:end])
			i = end
		case c == '?':
			names = append(names, "v"+strconv.Itoa(len(names)+1))
			out.WriteByte(c)
			i++
		case c == ':' && i+1 < len(text) && text[i+1] == 'v':
			end := i + 2
			for end < len(text) && text[end] >= '0' && text[end] <= '9' {
				end++
			}
			names = append(names, text[i+1:end])
			out.WriteByte('?')
			i = end
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String(), names
}

// quoted gives the end of the quoted text that begins at i.
func quoted(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if quote != '`' {
				i++
			}
		case quote:
			return i + 1
		}
	}
	return len(text)
}

// parameters are the values of placeholders in order. Where one is missing they
// end, which the session has to refuse.
func parameters(names []string, bindings map[string]sqlparser.Expr) ([]result.Value, error) {
	var params []result.Value
	for _, name := range names {
		b, ok := bindings[name]
		if !ok {
			break
		}
		v, err := parameter(b)
		if err != nil {
			return nil, err
		}
		params = append(params, v)
	}
	return params, nil
}

// literals are values as a statement's text has them.
func literals(params []result.Value) []string {
	list := make([]string, len(params))
	for i, v := range params {
		var out strings.Builder
		sqlOf(v).EncodeSQL(&out)
		list[i] = out.String()
	}
	return list
}

// sqlOf is a parameter for a statement's text.
func sqlOf(v result.Value) sqltypes.Value {
	kind := sqltypes.Int64 // not quoted
	switch v.Kind() {
	case result.Null:
		return sqltypes.NULL
	case result.KindText:
		kind = sqltypes.VarChar
	}
	if v.Kind() == result.KindDouble {
		return sqltypes.MakeTrusted(kind, strconv.AppendFloat(nil, v.Float(), 'e', -1, 64))
	}
	return sqltypes.MakeTrusted(kind, v.AppendText(nil))
}

// parameter is the value of a placeholder as a client sends it.
func parameter(e sqlparser.Expr) (result.Value, error) {
	switch v := e.(type) {
	case *sqlparser.NullVal:
		return result.Value{}, nil
	case sqlparser.BoolVal:
		if v {
			return result.Signed(1), nil
		}
		return result.Signed(0), nil
	case *sqlparser.SQLVal:
		switch v.Type {
		case sqlparser.StrVal:
			return result.Text(v.Val), nil
		case sqlparser.IntVal:
			if n, err := strconv.ParseInt(string(v.Val), 10, 64); err == nil {
				return result.Signed(n), nil
			}
			if n, err := strconv.ParseUint(string(v.Val), 10, 64); err == nil {
				return result.Unsigned(n), nil
			}
			return result.Decimal(v.Val), nil
		case sqlparser.FloatVal:
			if strings.ContainsAny(string(v.Val), "eE") {
				f, err := strconv.ParseFloat(string(v.Val), 64)
				return result.Double(f), err
			}
			return result.Decimal(v.Val), nil
		}
	}
	return result.Value{}, fmt.Errorf("no client can send %T %v", e, sqlparser.String(e))
}
