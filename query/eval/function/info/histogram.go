package info

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types/charset"
)

var histograms = []eval.Def{{
	Name: "DECODE_HISTOGRAM", Min: 2, Max: 2, Bind: decodeHistogram,
	Source: "Item_func_decode_histogram (sql/item_strfunc.cc)",
}}

// Digits after the point of the parts of a histogram, by the bytes of its bounds.
const (
	singleDigits = 3
	doubleDigits = 5
)

// decodeHistogram is DECODE_HISTOGRAM(type, bytes): which part of the range of values each bucket has.
func decodeHistogram(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	binarySet := setNamed("binary")
	kind := b.ToSet(b.ToText(args[0]), system.Set())
	data := b.ToSet(b.ToText(args[1]), binarySet)
	t := longText(system, charset.Coercible)
	return eval.Map2("decode_histogram", t, func(f *eval.Frame, kind, data []byte) ([]byte, bool) {
		width, digits := 1, singleDigits
		switch strings.ToUpper(string(kind)) {
		case "SINGLE_PREC_HB":
		case "DOUBLE_PREC_HB":
			width, digits = 2, doubleDigits
		case "JSON_HB":
			return data, false
		default:
			return nil, true
		}
		bounds := len(data) / width
		size := (bounds + 1) * (digits + 4)
		if !f.Room(uint64(size)) {
			return nil, true
		}
		out, last := f.Buffer(size), 0.0
		for i := range bounds {
			bound := float64(data[i*width]) / 0xFF
			if width > 1 {
				bound = float64(binary.LittleEndian.Uint16(data[i*width:])) / 0xFFFF
			}
			out = append(strconv.AppendFloat(out, bound-last, 'f', digits, 64), ',')
			last = bound
		}
		return strconv.AppendFloat(out, 1-last, 'f', digits, 64), false
	}, kind, data), nil
}
