package function

import (
	"strings"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// padded is LPAD and RPAD: it counts characters, or bytes if a text is binary. The result is NULL for a length below
// zero, and where the text would have to grow by a padding that is empty.
func padded(left bool) func(ctx *sql.Context, args sql.Row) (any, error) {
	return func(ctx *sql.Context, args sql.Row) (any, error) {
		binary := false
		for _, at := range []int{0, 2} {
			if _, is := args[at].([]byte); is {
				binary = true
			}
		}
		text, err := textOf(ctx, args[0])
		if err != nil {
			return nil, err
		}
		padding, err := textOf(ctx, args[2])
		if err != nil {
			return nil, err
		}
		if negative(ctx, args[1]) {
			return nil, nil
		}
		width := int(count(ctx, args[1]))
		length, first := utf8.RuneCountInString, firstCharacters
		if binary {
			length, first = func(s string) int { return len(s) }, func(s string, n int) string { return s[:n] }
		}
		out := text
		switch missing := width - length(text); {
		case missing < 0:
			out = first(text, width)
		case missing > 0 && padding == "":
			return nil, nil
		case missing > 0:
			n := length(padding)
			fill := strings.Repeat(padding, missing/n) + first(padding, missing%n)
			if left {
				out = fill + text
			} else {
				out = text + fill
			}
		}
		if binary {
			return []byte(out), nil
		}
		return out, nil
	}
}

// firstCharacters are the first n characters of a text that has as many.
func firstCharacters(s string, n int) string {
	at := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return s[:at]
}

// negative reports whether a number is below zero.
func negative(ctx *sql.Context, v any) bool {
	f, _, err := types.Float64.Convert(ctx, v)
	n, ok := f.(float64)
	return err == nil && ok && n < 0
}
