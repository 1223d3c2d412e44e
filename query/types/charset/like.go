package charset

import "strings"

// NoEscape is the escape of LIKE ... ESCAPE ”, and of LIKE without ESCAPE under NO_BACKSLASH_ESCAPES.
const NoEscape rune = -1

// Like matches s with a pattern as LIKE does: character by character with the weights of single characters, so without padding, contractions
// and expansions. escape is a code point or, outside of Unicode sets, a character's bytes as a big-endian number; usually '\\' after
// its conversion to the set (swe7 has none: that makes '?'). In Unicode sets ill-formed text matches only where the pattern
// has '%'; in others a byte that is no character is taken as one.
func (o *Order) Like(s, pattern []byte, escape rune) bool {
	at, in := 0, 0             // where s and pattern are
	retry, afterMany := -1, -1 // where to go on behind the last '%'
	for {
		if at == len(s) && in == len(pattern) {
			return true
		}
		matched := false
		if in < len(pattern) {
			code, n := o.character(pattern[in:])
			if n == 0 {
				return false
			}
			in += n
			if code == '%' {
				if in == len(pattern) {
					return true
				}
				afterMany = in
				at = o.candidate(s, at, pattern[in:], escape)
				retry = at
				continue
			}
			one := code == '_'
			if code == uint32(escape) && in < len(pattern) && (!one || o.set.Unicode()) {
				if code, n = o.character(pattern[in:]); n == 0 {
					return false
				}
				in += n
				one = false
			}
			if at < len(s) {
				c, m := o.character(s[at:])
				if m == 0 {
					return false
				}
				if one || o.alike(code, c) {
					at += m
					matched = true
				}
			}
		}
		if matched {
			continue
		}
		if retry < 0 || retry >= len(s) {
			return false
		}
		_, m := o.character(s[retry:])
		if m == 0 {
			return false
		}
		retry = o.candidate(s, retry+m, pattern[afterMany:], escape)
		at, in = retry, afterMany
	}
}

// candidate goes over ASCII in s, from a place on, that is not like the first character of a pattern, if that is ASCII and stands for itself.
func (o *Order) candidate(s []byte, at int, pattern []byte, escape rune) int {
	c := pattern[0]
	if o.set.foreign || c >= 0x80 || c == '%' || c == '_' || rune(c) == escape {
		return at
	}
	for class := o.folds[c]; at < len(s) && s[at] < 0x80 && o.folds[s[at]] != class; {
		at++
	}
	return at
}

// makeFolds fills the classes of ASCII characters that are like each other.
func (o *Order) makeFolds() {
	for c := range o.folds {
		o.folds[c] = byte(c)
		for d := range c {
			if o.alike(uint32(c), uint32(d)) {
				o.folds[c] = byte(d)
				break
			}
		}
	}
}

// character is next, with bytes that are no character taken as one each outside of Unicode.
func (o *Order) character(b []byte) (code uint32, size int) {
	if b[0] < 0x80 && !o.set.foreign {
		return uint32(b[0]), 1
	}
	code, size = o.set.next(b)
	if size == 0 && !o.set.Unicode() {
		return uint32(b[0]), 1
	}
	return code, size
}

// lonely are characters that in a tailoring have the weights of others, but are like none of them: what the sweep found that the weights do not
// tell. In the ai_cs ones those are letters that the tailoring moves.
func lonely(c *Collation) string {
	const caseOnly = 1 | 4
	switch c.weights {
	case "uca:uca400_persian", "uca:uca1400_persian":
		return "\ufdfc" // the rial, equal to zain
	case "uca:uca1400_icelandic", "uca:uca1400_swedish", "uca:uca1400_danish":
		if c.levels == caseOnly {
			return "Ää"
		}
	case "uca:uca1400_vietnamese":
		if c.levels == caseOnly {
			return "ÂâĂăÊêÔôƠơƯư"
		}
	}
	return ""
}

// alike reports whether LIKE takes two characters for the same.
func (o *Order) alike(a, b uint32) bool {
	if a == b {
		return true
	}
	switch o.kind {
	case kindBytes, kindExpanding, kindPasses:
		return o.set.maxLen == 1 && o.likeWeight[a] == o.likeWeight[b]
	case kindMulti:
		return a < 0x100 && b < 0x100 && o.multiWeight(a) == o.multiWeight(b)
	case kindGeneral:
		return o.codeWeight(a) == o.codeWeight(b)
	case kindUCA:
		if o.lonely != "" && (strings.ContainsRune(o.lonely, rune(a)) || strings.ContainsRune(o.lonely, rune(b))) {
			return false
		}
		for _, n := range o.levels {
			if !o.uca.levels[n].alike(a, b) {
				return false
			}
		}
		return true
	}
	return false
}
