package exec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/floattext"
	"github.com/duramendb/duramen/query/memory"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// jsonTexts is the state of a group of JSON_ARRAYAGG or JSON_OBJECTAGG. It puts together MariaDB's text, since go-mysql-server's document has its own
// spaces, sorts the keys of an object, and keeps one value of each.
type jsonTexts struct {
	name    string
	args    []sql.Expression // the value, or the key and the value
	memory  *memory.Session
	most    int64
	tooLong func() error

	text  []byte
	bytes int64
}

// writeJSON puts jsonTexts in the place of go-mysql-server's state.
func (b *collected) writeJSON(args []sql.Expression) {
	b.AggregationBuffer = &jsonTexts{
		name: strings.ToUpper(b.name), args: args, memory: b.of.session.Memory(), most: b.lengthMax, tooLong: b.tooLong,
	}
}

func (b *collected) tooLong() error {
	b.cutAt = b.of.rows + 1
	return b.cut()
}

// Update implements sql.AggregationBuffer.
func (b *jsonTexts) Update(ctx *sql.Context, row sql.Row) error {
	values := make([]any, len(b.args))
	for i, e := range b.args {
		v, err := e.Eval(ctx, row)
		if err == nil {
			v, err = sql.UnwrapAny(ctx, v)
		}
		if err != nil {
			return err
		}
		values[i] = v
	}
	if len(values) > 1 && values[0] == nil {
		return nil // a key that is NULL has no member
	}
	before := len(b.text)
	if err := b.append(ctx, values); err != nil {
		return err
	}
	n := int64(len(b.text) - before)
	b.bytes += n
	if err := b.memory.Hold(n); err != nil {
		return err
	}
	if int64(len(b.text))-1 > b.most { // without the bracket
		return b.tooLong()
	}
	return nil
}

func (b *jsonTexts) append(ctx *sql.Context, values []any) error {
	var err error
	object := len(values) > 1
	switch {
	case len(b.text) == 0 && object:
		b.text = append(b.text, '{')
	case len(b.text) == 0:
		b.text = append(b.text, '[')
	case object:
		b.text = append(b.text, ", "...)
	default:
		b.text = append(b.text, ',')
	}
	if object {
		key, isText := values[0].(string)
		if !isText {
			plain, err := b.appendValue(ctx, nil, 0, values[0])
			if err != nil {
				return err
			}
			key = string(plain)
		}
		b.text = append(appendJSONString(b.text, key), ':')
	}
	b.text, err = b.appendValue(ctx, b.text, len(values)-1, values[len(values)-1])
	return err
}

// appendValue appends a value as a member; what MariaDB writes otherwise, or may, is refused.
func (b *jsonTexts) appendValue(ctx *sql.Context, dst []byte, arg int, v any) ([]byte, error) {
	if _, bits := b.args[arg].Type(ctx).(types.BitType); !bits {
		switch v := v.(type) {
		case nil:
			return append(dst, "null"...), nil
		case int8, int16, int32, int64, int, uint8, uint16, uint32, uint64, uint:
			return fmt.Append(dst, v), nil
		case float64:
			return floattext.Append(dst, v, false), nil
		case float32:
			return floattext.Append(dst, float64(v), true), nil
		case *apd.Decimal:
			return v.Append(dst, 'f'), nil
		case string:
			return appendJSONString(dst, v), nil
		case types.JSONBytes: // as it is stored
			text, err := v.GetBytes(ctx)
			return append(dst, text...), err
		case sql.JSONWrapper:
			return appendDocument(ctx, dst, b.name, v)
		}
	}
	return nil, mysqlerr.NotYet(b.name + " of this type, in a statement of several tables; CAST it")
}

// appendDocument appends a document that a function made, unless MariaDB's text of it may be another one.
func appendDocument(ctx *sql.Context, dst []byte, name string, doc sql.JSONWrapper) ([]byte, error) {
	v, err := doc.ToInterface(ctx)
	if err != nil {
		return nil, err
	}
	if !plainDocument(v) {
		return nil, mysqlerr.NotYet(name + " of objects with several members, in a statement of several tables")
	}
	text, err := types.JsonToMySqlString(ctx, types.JSONDocument{Val: v})
	return append(dst, text...), err
}

// plainDocument reports whether the order of members, and how numbers are written, cannot make a document another text.
func plainDocument(v any) bool {
	switch v := v.(type) {
	case nil, bool, string, int8, int16, int32, int64, int, uint8, uint16, uint32, uint64:
		return true
	case []any:
		for _, x := range v {
			if !plainDocument(x) {
				return false
			}
		}
		return true
	case map[string]any:
		for _, x := range v {
			if !plainDocument(x) {
				return false
			}
		}
		return len(v) <= 1
	}
	return false
}

// appendJSONString appends a text with quotes, and MariaDB's escapes.
func appendJSONString(dst []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c >= ' ':
			dst = append(dst, c)
		case c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t':
			short := strconv.QuoteRune(rune(c))
			dst = append(dst, short[1:len(short)-1]...)
		default:
			dst = append(dst, `\u00`...)
			dst = append(dst, digits[c>>4], digits[c&15])
		}
	}
	return append(dst, '"')
}

// Eval implements sql.AggregationBuffer.
func (b *jsonTexts) Eval(*sql.Context) (any, error) {
	if len(b.text) == 0 {
		return nil, nil //nolint:nilnil // NULL, of no rows
	}
	end := byte(']')
	if len(b.args) > 1 {
		end = '}'
	}
	return types.NewLazyJSONDocument(append(b.text[:len(b.text):len(b.text)], end)), nil
}

// Dispose implements sql.Disposable.
func (b *jsonTexts) Dispose(*sql.Context) {
	b.memory.Release(b.bytes)
	b.bytes = 0
}
