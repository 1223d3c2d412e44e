package function

import (
	"compress/zlib"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// PacketFactor bounds functions that MariaDB does not bound: their values are at most
// so many times max_allowed_packet, or the statement fails (1301).
const PacketFactor = 4

// boundedSpec tells how long the result of a function can be.
type boundedSpec struct {
	name string
	// size is the length of the result in bytes, computed without making it.
	size func(ctx *sql.Context, f sql.Expression, args sql.Row) int64
	// strict: the result is NULL if any argument is.
	strict bool
	// unbounded: MariaDB has no limit for it.
	unbounded bool
	// loose: size is an upper bound that is seldom reached.
	loose bool
	// own is called instead of go-mysql-server's function, if not nil.
	own func(ctx *sql.Context, args sql.Row) (any, error)
	// over is called for a result that is too long, if not nil, instead of warning 1301.
	over func(ctx *sql.Context, packet int64) error
}

// boundedFunctions are the functions of go-mysql-server whose results can be much
// longer than their arguments, by name. What is not here gives at most a few times
// the bytes that it was given, or a fixed number.
func boundedFunctions() map[string]sql.Function {
	specs := []boundedSpec{
		{name: "repeat", strict: true, size: repeatBytes, own: repeatText},
		{name: "space", strict: true, size: spaceBytes, own: spaces},
		{name: "lpad", strict: true, size: padBytes, own: padded(true)},
		{name: "rpad", strict: true, size: padBytes, own: padded(false)},
		{name: "concat", strict: true, size: concatBytes},
		{name: "concat_ws", size: concatWSBytes},
		{name: "replace", strict: true, size: replaceBytes},
		{name: "insert", strict: true, size: insertBytes, own: insertText},
		{name: "hex", strict: true, size: hexBytes},
		{name: "to_base64", strict: true, size: base64Bytes},
		{name: "quote", size: quoteBytes, own: quote},
		{name: "export_set", strict: true, size: exportSetBytes},
		{name: "uncompress", strict: true, size: uncompressBytes, own: uncompress, over: func(ctx *sql.Context, packet int64) error {
			return WarnOrFail(ctx, mysqlerr.TooBigForUncompress, packet)
		}},
		{name: "make_set", unbounded: true, size: concatWSBytes},
		{name: "regexp_replace", unbounded: true, loose: true, size: regexpReplaceBytes},
	}
	specs = append(specs, characterFunctions()...)
	base := fn.NewRegistry()
	out := make(map[string]sql.Function, len(specs))
	for _, spec := range specs {
		f, ok := base[spec.name]
		if !ok {
			panic("query: go-mysql-server has no function " + spec.name)
		}
		out[spec.name] = sql.FunctionN{Name: spec.name, Fn: func(ctx *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			shape, err := f.NewInstance(ctx, args)
			if err != nil {
				return nil, err
			}
			return newBounded(&spec, shape), nil
		}}
	}
	return out
}

// product is a*b, at most math.MaxInt64.
func product(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}

// count is an argument that says how many: whole, not below 0, and a number beyond
// int64 is as much as there can be.
func count(ctx *sql.Context, v any) int64 {
	switch n := v.(type) {
	case int8:
		return max(int64(n), 0)
	case int16:
		return max(int64(n), 0)
	case int32:
		return max(int64(n), 0)
	case int64:
		return max(n, 0)
	}
	f, _, err := types.Float64.Convert(ctx, v)
	number, ok := f.(float64)
	if err != nil && !sql.ErrTruncatedIncorrect.Is(err) || !ok || !(number > 0) {
		return 0
	}
	if number >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.RoundToEven(number))
}

// textOf is an argument as text.
func textOf(ctx *sql.Context, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	}
	converted, _, err := types.LongText.Convert(ctx, v)
	if err != nil {
		return "", err
	}
	text, _, err := sql.Unwrap[string](ctx, converted)
	return text, err
}

func repeatBytes(ctx *sql.Context, _ sql.Expression, args sql.Row) int64 {
	return product(TextBytes(args[0]), count(ctx, args[1]))
}

func repeatText(ctx *sql.Context, args sql.Row) (any, error) {
	text, err := textOf(ctx, args[0])
	if err != nil || text == "" {
		return "", err
	}
	return strings.Repeat(text, int(count(ctx, args[1]))), nil
}

func spaceBytes(ctx *sql.Context, _ sql.Expression, args sql.Row) int64 { return count(ctx, args[0]) }

func spaces(ctx *sql.Context, args sql.Row) (any, error) {
	return strings.Repeat(" ", int(count(ctx, args[0]))), nil
}

// padBytes is the length as MariaDB reckons it: each character may be as long as the
// character set allows.
func padBytes(ctx *sql.Context, f sql.Expression, args sql.Row) int64 {
	collation, _ := sql.GetCoercibility(ctx, f)
	width := int64(1)
	if collation != sql.Collation_binary && collation != sql.Collation_Unspecified {
		width = collation.CharacterSet().MaxLength()
	}
	return product(count(ctx, args[1]), width)
}

func concatBytes(_ *sql.Context, _ sql.Expression, args sql.Row) (n int64) {
	for _, a := range args {
		n += TextBytes(a)
	}
	return n
}

// concatWSBytes is also an upper bound for MAKE_SET, whose separator is one byte.
func concatWSBytes(_ *sql.Context, _ sql.Expression, args sql.Row) (n int64) {
	if len(args) == 0 || args[0] == nil {
		return 0
	}
	separator, parts := TextBytes(args[0]), int64(0)
	for _, a := range args[1:] {
		if a != nil {
			n += TextBytes(a)
			parts++
		}
	}
	return n + product(separator, parts-1)
}

func replaceBytes(ctx *sql.Context, _ sql.Expression, args sql.Row) int64 {
	n, from, to := TextBytes(args[0]), TextBytes(args[1]), TextBytes(args[2])
	if from == 0 || to <= from {
		return n
	}
	text, err := textOf(ctx, args[0])
	if err != nil {
		return n
	}
	part, err := textOf(ctx, args[1])
	if err != nil {
		return n
	}
	return n + product(int64(strings.Count(text, part)), to-from)
}

func insertBytes(ctx *sql.Context, _ sql.Expression, args sql.Row) int64 {
	n, position, cut := TextBytes(args[0]), count(ctx, args[1]), count(ctx, args[2])
	if position < 1 || position > n {
		return n
	}
	return n - min(cut, n-position+1) + TextBytes(args[3])
}

func hexBytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 {
	switch args[0].(type) {
	case string, []byte, sql.AnyWrapper:
		return product(2, TextBytes(args[0]))
	}
	return 32
}

// base64Bytes counts as MariaDB's my_base64_needed_encoded_length does: line breaks,
// and a byte for the end.
func base64Bytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 {
	n := (TextBytes(args[0]) + 2) / 3 * 4
	return n + max(n-1, 0)/76 + 1
}

func quoteBytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 {
	n := TextBytes(args[0]) + 2
	for _, special := range []string{"'", "\\", "\x00", "\x1a"} {
		switch v := args[0].(type) {
		case string:
			n += int64(strings.Count(v, special))
		case []byte:
			n += int64(strings.Count(string(v), special))
		}
	}
	return n
}

// quote is QUOTE; go-mysql-server's takes no more than 64 KiB.
func quote(ctx *sql.Context, args sql.Row) (any, error) {
	if args[0] == nil {
		return "NULL", nil
	}
	text, err := textOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	return "'" + quoteEscapes.Replace(text) + "'", nil
}

var quoteEscapes = strings.NewReplacer("'", `\'`, `\`, `\\`, "\x00", `\0`, "\x1a", `\Z`)

// exportSetBytes supposes the longer of the two texts for each bit, as MariaDB does.
func exportSetBytes(ctx *sql.Context, _ sql.Expression, args sql.Row) int64 {
	separator, length := int64(1), int64(64)
	if len(args) > 3 {
		separator = TextBytes(args[3])
	}
	if len(args) > 4 {
		length = min(count(ctx, args[4]), 64)
	}
	return product(length, max(TextBytes(args[1]), TextBytes(args[2]))) + product(length-1, separator)
}

// regexpReplaceBytes is an upper bound: the literal part of the replacement at every
// place, and for each reference in it all of the text once, since matches do not overlap.
func regexpReplaceBytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 {
	if len(args) < 3 {
		return 0
	}
	n := TextBytes(args[0])
	references := int64(0)
	if text, ok := args[2].(string); ok {
		references = int64(strings.Count(text, "$") + strings.Count(text, "\\"))
	}
	return n + product(n+1, TextBytes(args[2])) + product(references, n)
}

// uncompress is UNCOMPRESS of a value whose length is allowed. go-mysql-server's takes
// what one read of the decompressor gives for all there is.
func uncompress(ctx *sql.Context, args sql.Row) (any, error) {
	text, err := textOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	if text == "" {
		return []byte{}, nil
	}
	corrupted := func(number uint16) (any, error) {
		return nil, WarnOrFail(ctx, number)
	}
	if len(text) <= 4 {
		return corrupted(mysqlerr.ZlibDataError)
	}
	reader, err := zlib.NewReader(strings.NewReader(text[4:]))
	if err != nil {
		return corrupted(mysqlerr.ZlibDataError)
	}
	defer reader.Close()
	length := uncompressBytes(ctx, nil, args)
	out, err := io.ReadAll(io.LimitReader(reader, length+1))
	switch {
	case err != nil:
		return corrupted(mysqlerr.ZlibDataError)
	case int64(len(out)) > length:
		return corrupted(mysqlerr.ZlibBufferError)
	}
	return out, nil
}

// uncompressBytes is the length that the first four bytes of COMPRESS's result say.
func uncompressBytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 {
	var head [4]byte
	switch v := args[0].(type) {
	case string:
		copy(head[:], v)
	case []byte:
		copy(head[:], v)
	}
	return int64(binary.LittleEndian.Uint32(head[:]) & 0x3fffffff)
}
