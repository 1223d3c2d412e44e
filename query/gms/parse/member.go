package parse

import (
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// members are those of an ENUM or a SET as texts: what is written as bytes is in the column's character set.
func members(values []*tree.Value, set, client *charset.Set) ([]*tree.Value, error) {
	utf8mb4, _ := charset.SetByName("utf8mb4")
	binary, _ := charset.SetByName("binary")
	out := make([]*tree.Value, len(values))
	for i, v := range values {
		if v.Kind == tree.TextValue {
			own, _ := charset.Convert(nil, set, client, []byte(v.Text))
			text, _ := charset.Convert(nil, utf8mb4, set, own)
			out[i] = &tree.Value{Kind: tree.TextValue, Text: string(text)}
			continue
		}
		b, ok := memberBytes(v)
		if ok && set != binary {
			own, _ := charset.Convert(nil, set, binary, b) // what is no text is found below
			text, done := charset.Convert(nil, utf8mb4, set, own)
			b, ok = text, done.OK() && set.Valid(own) < 0
		} else {
			ok = false
		}
		if !ok {
			return nil, mysqlerr.NotYet("bytes that are no text as a member of ENUM or SET")
		}
		out[i] = &tree.Value{Kind: tree.TextValue, Text: string(b)}
	}
	return out, nil
}

// binaryMembers refuses an ENUM or SET of character set binary with members whose bytes are other ones in the connection's character set than in UTF-8:
// MariaDB keeps the connection's.
func (r *collating) binaryMembers(t *tree.DataType, c *clauses) error {
	if r.d == nil || r.d.Connection == nil || t.Name != "ENUM" && t.Name != "SET" {
		return nil
	}
	own, err := ofColumn(t, c.result())
	if err != nil || own.Set().Name() != "binary" {
		return err
	}
	in := r.d.Connection
	for _, v := range t.Members {
		switch {
		case v.Kind != tree.TextValue || in.Name() == "utf8mb4" || in.Name() == "utf8mb3":
		case !in.ASCIIBytes() || !isASCII(v.Text):
			return mysqlerr.NotYet("members of ENUM and SET of character set binary in a connection in " + in.Name())
		}
	}
	return nil
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// memberBytes are the bytes of x'61', b'0110', 0x61 and 0b0110.
func memberBytes(v *tree.Value) ([]byte, bool) {
	digits, bits := v.Text, v.Kind == tree.BitValue
	if v.Kind == tree.NumberValue {
		bits = len(digits) > 1 && (digits[1] == 'b' || digits[1] == 'B')
		digits = digits[min(2, len(digits)):]
	}
	if bits {
		n, ok := new(big.Int).SetString("0"+digits, 2)
		if !ok {
			return nil, false
		}
		return n.FillBytes(make([]byte, (len(digits)+7)/8)), true
	}
	if len(digits)%2 != 0 {
		digits = "0" + digits
	}
	b, err := hex.DecodeString(digits)
	return b, err == nil
}
