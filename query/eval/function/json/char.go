package json

import (
	"unicode/utf16"
	"unicode/utf8"
)

// readEscape reads an escape, which begins with a backslash: its character, its size, or what is wrong at which offset.
func readEscape(s []byte, utf bool) (r rune, size int, what fault, at int) {
	if len(s) < 2 {
		return 0, 0, ended, len(s)
	}
	switch s[1] {
	case 'b':
		return '\b', 2, fine, 0
	case 'f':
		return '\f', 2, fine, 0
	case 'n':
		return '\n', 2, fine, 0
	case 'r':
		return '\r', 2, fine, 0
	case 't':
		return '\t', 2, fine, 0
	case 'u':
		return readUnicode(s)
	}
	if s[1] < ' ' {
		return 0, 0, escaping, 1
	}
	r, size = decode(s[1:], utf)
	if size == 0 {
		return 0, 0, broken, 1
	}
	return r, size + 1, fine, 0
}

// readUnicode reads \uXXXX, or two of them that are a surrogate pair.
func readUnicode(s []byte) (r rune, size int, what fault, at int) {
	const one = 6
	if r, what, at = readHex(s); what != fine {
		return 0, 0, what, at
	}
	if !utf16.IsSurrogate(r) {
		return r, one, fine, 0
	}
	if utf16.DecodeRune(r, 0xdc00) == utf8.RuneError {
		return 0, 0, broken, one
	}
	for i, c := range []byte("\\u") {
		if len(s) == one+i {
			return 0, 0, ended, one + i
		}
		if s[one+i] != c {
			return 0, 0, syntax, one + i
		}
	}
	low, what, at := readHex(s[one:])
	if what != fine {
		return 0, 0, what, one + at
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, 0, broken, 2 * one
	}
	return r, 2 * one, fine, 0
}

// readHex is the number of \uXXXX.
func readHex(s []byte) (r rune, what fault, at int) {
	for i := 2; i < 6; i++ {
		if i >= len(s) {
			return 0, ended, len(s)
		}
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, syntax, i
		}
	}
	return r, fine, 0
}

// decode is the first character of a text that is not empty; size is 0 if it is none. Where text is not UTF-8 a byte is one.
func decode(s []byte, utf bool) (r rune, size int) {
	if s[0] < utf8.RuneSelf || !utf {
		return rune(s[0]), 1
	}
	if r, size = utf8.DecodeRune(s); r == utf8.RuneError && size == 1 {
		return 0, 0
	}
	return r, size
}

// character is the next one of a string without its quotes, with escapes resolved; text is well-formed.
func character(s []byte, utf bool) (r rune, size int) {
	if s[0] != '\\' {
		if r, size = decode(s, utf); size == 0 {
			return utf8.RuneError, 1
		}
		return r, size
	}
	if r, size, what, _ := readEscape(s, utf); what == fine {
		return r, size
	}
	return utf8.RuneError, 1
}

// sameText reports whether two strings without their quotes are the same characters, with escapes resolved.
func sameText(a, b []byte, utf bool) bool {
	for len(a) > 0 && len(b) > 0 {
		r, n := character(a, utf)
		q, m := character(b, utf)
		if r != q {
			return false
		}
		a, b = a[n:], b[m:]
	}
	return len(a) == len(b)
}
