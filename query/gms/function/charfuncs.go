package function

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// characterFunctions are functions that count characters of texts and bytes of binary strings; go-mysql-server's count
// bytes of texts (INSERT, LOCATE) or characters of binary strings (the others).
func characterFunctions() []boundedSpec {
	return []boundedSpec{
		{name: "left", strict: true, size: sameBytes, own: overCharacters(func(ctx *sql.Context, s []rune, args sql.Row) []rune {
			return s[:clamp(integer(ctx, args[1]), len(s))]
		})},
		{name: "right", strict: true, size: sameBytes, own: overCharacters(func(ctx *sql.Context, s []rune, args sql.Row) []rune {
			return s[len(s)-clamp(integer(ctx, args[1]), len(s)):]
		})},
		{name: "substring", strict: true, size: sameBytes, own: overCharacters(substring)},
		{name: "substr", strict: true, size: sameBytes, own: overCharacters(substring)},
		{name: "mid", strict: true, size: sameBytes, own: overCharacters(substring)},
		{name: "reverse", strict: true, size: sameBytes, own: overCharacters(func(_ *sql.Context, s []rune, _ sql.Row) []rune {
			slices.Reverse(s)
			return s
		})},
		{name: "locate", strict: true, size: func(*sql.Context, sql.Expression, sql.Row) int64 { return 8 }, own: locate},
	}
}

func sameBytes(_ *sql.Context, _ sql.Expression, args sql.Row) int64 { return TextBytes(args[0]) }

// overCharacters makes a function of one over the characters of its first argument, which are bytes if it is binary.
func overCharacters(f func(ctx *sql.Context, s []rune, args sql.Row) []rune) func(ctx *sql.Context, args sql.Row) (any, error) {
	return func(ctx *sql.Context, args sql.Row) (any, error) {
		if b, ok := args[0].([]byte); ok {
			s := make([]rune, len(b))
			for i, c := range b {
				s[i] = rune(c)
			}
			s = f(ctx, s, args)
			out := make([]byte, len(s))
			for i, c := range s {
				out[i] = byte(c)
			}
			return out, nil
		}
		text, err := textOf(ctx, args[0])
		if err != nil {
			return nil, err
		}
		return string(f(ctx, []rune(text), args)), nil
	}
}

// integer is an argument that is a number, rounded, within int64.
func integer(ctx *sql.Context, v any) int64 {
	if n, ok := v.(int64); ok {
		return n
	}
	f, _, err := types.Float64.Convert(ctx, v)
	n, ok := f.(float64)
	switch {
	case err != nil && !sql.ErrTruncatedIncorrect.Is(err), !ok, math.IsNaN(n):
		return 0
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n <= math.MinInt64:
		return math.MinInt64
	}
	return int64(math.RoundToEven(n))
}

// clamp is n within 0 and limit.
func clamp(n int64, limit int) int { return int(min(max(n, 0), int64(limit))) }

// substring is SUBSTRING(s, from[, length]); from counts from 1, or from the end if it is below zero.
func substring(ctx *sql.Context, s []rune, args sql.Row) []rune {
	from := integer(ctx, args[1])
	switch {
	case from == 0, from > int64(len(s)), from < -int64(len(s)):
		return nil
	case from < 0:
		from += int64(len(s))
	default:
		from--
	}
	s = s[from:]
	if len(args) > 2 {
		s = s[:clamp(integer(ctx, args[2]), len(s))]
	}
	return s
}

// insertText is INSERT(s, from, length, with).
func insertText(ctx *sql.Context, args sql.Row) (any, error) {
	with, err := textOf(ctx, args[3])
	if err != nil {
		return nil, err
	}
	if b, ok := args[0].([]byte); ok {
		from, length := integer(ctx, args[1]), integer(ctx, args[2])
		if from < 1 || from > int64(len(b)) {
			return b, nil
		}
		at := int(from - 1)
		if length < 0 {
			length = int64(len(b))
		}
		end := at + clamp(length, len(b)-at)
		return slices.Concat(b[:at], []byte(with), b[end:]), nil
	}
	return overCharacters(func(ctx *sql.Context, s []rune, args sql.Row) []rune {
		from, length := integer(ctx, args[1]), integer(ctx, args[2])
		if from < 1 || from > int64(len(s)) {
			return s
		}
		at := int(from - 1)
		if length < 0 {
			length = int64(len(s))
		}
		end := at + clamp(length, len(s)-at)
		return slices.Concat(s[:at], []rune(with), s[end:])
	})(ctx, args)
}

// locate is LOCATE(part, text[, from]): the place of a part, counted from 1; 0 for none.
func locate(ctx *sql.Context, args sql.Row) (any, error) {
	_, binary := args[0].([]byte)
	if _, is := args[1].([]byte); is {
		binary = true
	}
	part, err := textOf(ctx, args[0])
	if err != nil {
		return nil, err
	}
	text, err := textOf(ctx, args[1])
	if err != nil {
		return nil, err
	}
	length := func(s string) int { return len(s) }
	first := func(s string, n int) string { return s[:n] }
	if !binary {
		part, text = strings.ToLower(part), strings.ToLower(text)
		length, first = utf8.RuneCountInString, firstCharacters
	}
	from := int64(1)
	if len(args) > 2 {
		from = integer(ctx, args[2])
	}
	if from < 1 || from > int64(length(text))+1 {
		return int32(0), nil
	}
	skipped := first(text, int(from-1))
	at := strings.Index(text[len(skipped):], part)
	if at < 0 {
		return int32(0), nil
	}
	return int32(length(text[:len(skipped)+at]) + 1), nil
}
