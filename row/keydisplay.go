package row

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// DisplayKey shows the components of a key for people: numbers of integer columns in decimal,
// NULL, and everything else as the bytes that sort, from which values cannot be told.
func DisplayKey(cols []Column, parts []KeyPart, key []byte) (string, error) {
	var out []string
	for _, p := range parts {
		rest, err := SkipKey(key, cols[p.Column], p)
		if err != nil {
			return "", err
		}
		component := slices.Clone(key[:len(key)-len(rest)])
		if p.Desc {
			invert(component)
		}
		out = append(out, displayComponent(&cols[p.Column], component))
		key = rest
	}
	return strings.Join(out, ", "), nil
}

func displayComponent(c *Column, b []byte) string {
	if b[0] == keyNull {
		return "NULL"
	}
	switch k, _ := c.kind(); k {
	case kindInt, kindYear, kindBit, kindEnum, kindSet:
		v, n := readBig(b[1:]), uint(len(b)-1)
		if b[0] < keyIntZero { // the upper bytes are all ones
			return strconv.FormatInt(int64(v|^uint64(0)<<(8*n)), 10)
		}
		return strconv.FormatUint(v, 10)
	}
	return "0x" + hex.EncodeToString(b[1:])
}
