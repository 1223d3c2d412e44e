package row

import (
	"bytes"
	"fmt"

	"github.com/duramendb/duramen/mysql"
)

// Marks after a unit that weighs as much as a space.
const (
	padLess    = 0x01 // what follows is less than spaces
	padEnd     = 0x02 // nothing but spaces follows
	padGreater = 0x03
)

// Escapes of strings that are not padded.
const (
	escape    = 0x00
	escapedFF = 0xff // after escape: a 00 of the string
	escapeEnd = 0x01 // after escape: the end
)

var asciiSpace = []byte{' '}

// padUnitMax is the longest weight of a space that this package works with.
const padUnitMax = 16

func appendSpaces(dst []byte, c *Column, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, c.space()...)
	}
	return dst
}

// space returns the character set's space.
func (c *Column) space() []byte {
	switch unit, little := wideUnit(mysql.CharsetOf(c.Collation)); {
	case unit == 2 && little:
		return []byte{' ', 0}
	case unit == 2:
		return []byte{0, ' '}
	case unit == 4:
		return []byte{0, 0, 0, ' '}
	}
	return asciiSpace
}

// appendKeyText appends the component of a string's bytes.
func appendKeyText(dst []byte, c *Column, part KeyPart, s []byte) ([]byte, error) {
	start := len(dst)
	dst, err := appendWholeText(dst, c, part, s)
	if err == nil && part.Digest {
		dst = digested(dst, start)
	}
	return dst, err
}

func appendWholeText(dst []byte, c *Column, part KeyPart, s []byte) ([]byte, error) {
	dst = append(dst, keyPresent)
	if part.PrefixLen > 0 {
		s = s[:charsSize(c.Collation, s, part.PrefixLen)]
	}
	k, _ := c.kind()
	if k == kindChar && c.Collation == mysql.Collation_binary {
		s = bytes.TrimRight(s, "\x00") // as they are stored
	} else if c.PadSpace || k == kindChar {
		s = s[:trimmedSize(c.Collation, s)]
	}
	if part.Padded > 0 {
		s = appendSpaces(bytes.Clone(s), c, part.Padded-countChars(c.Collation, s))
	}
	if c.Weight == nil {
		if !c.PadSpace {
			return appendEscaped(dst, s), nil
		}
		space := c.space()
		if len(s)%len(space) != 0 {
			return dst, fmt.Errorf("%w: %d bytes of text in units of %d", ErrCorrupt, len(s), len(space))
		}
		return appendPadded(dst, s, space), nil
	}
	start := len(dst)
	if !c.PadSpace {
		// The weight is made after the place where its escaped form goes,
		// and overwritten by it at the end.
		dst = c.Weight(dst, s)
		if bytes.IndexByte(dst[start:], escape) < 0 {
			return append(dst, escape, escapeEnd), nil
		}
		end := len(dst)
		dst = appendEscaped(dst, dst[start:end])
		return append(dst[:start], dst[end:]...), nil
	}
	dst = c.Weight(dst, c.space())
	var unit [padUnitMax]byte
	unitSize := copy(unit[:], dst[start:])
	if unitSize != len(dst)-start || unitSize == 0 {
		return dst[:start], fmt.Errorf("%w: collation %d gives a space %d bytes of weight", ErrType, c.Collation, len(dst)-start)
	}
	dst = c.Weight(dst[:start], s)
	end := len(dst)
	if (end-start)%unitSize != 0 {
		return dst[:start], fmt.Errorf("%w: weights of collation %d are not made of units of %d bytes", ErrType, c.Collation, unitSize)
	}
	dst = appendPadded(dst, dst[start:end], unit[:unitSize])
	return append(dst[:start], dst[end:]...), nil
}

// AppendKeyBeginning appends what the ascending components of all texts begin with whose weights do, of a collation that does not pad.
func AppendKeyBeginning(dst, weights []byte) []byte {
	dst = appendEscaped(append(dst, keyPresent), weights)
	return dst[:len(dst)-2]
}

func appendEscaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, escape)
		if i < 0 {
			return append(append(dst, s...), escape, escapeEnd)
		}
		dst = append(append(dst, s[:i]...), escape, escapedFF)
		s = s[i+1:]
	}
}

// appendPadded appends weights, whole units of the size of space, so that the result sorts as if an endless run of
// space followed the string.
func appendPadded(dst, s, space []byte) []byte {
	unit := len(space)
	for len(s) >= unit && bytes.Equal(s[len(s)-unit:], space) {
		s = s[:len(s)-unit]
	}
	if unit == 1 && bytes.IndexByte(s, space[0]) < 0 {
		return append(append(dst, s...), space[0], padEnd)
	}
	for i := 0; i < len(s); i += unit {
		to := spaceAt(s, space, i)
		dst = append(dst, s[i:to]...)
		if i = to; i == len(s) {
			break
		}
		dst = append(dst, space...)
		// The string does not end with a space, so there is a unit that decides.
		next := i + unit
		for bytes.Equal(s[next:next+unit], space) {
			next += unit
		}
		if bytes.Compare(s[next:next+unit], space) < 0 {
			dst = append(dst, padLess)
		} else {
			dst = append(dst, padGreater)
		}
	}
	return append(append(dst, space...), padEnd)
}

// spaceAt is where the first unit is that is a space, from i on, or the end.
func spaceAt(s, space []byte, i int) int {
	unit := len(space)
	if unit == 2 { // most collations
		for ; i < len(s); i += 2 {
			if s[i+1] == space[1] && s[i] == space[0] {
				break
			}
		}
		return i
	}
	for i < len(s) && !bytes.Equal(s[i:i+unit], space) {
		i += unit
	}
	return i
}

// skipKeyText measures a string's component after its first byte. flip is
// xor-ed to every byte.
func skipKeyText(b []byte, c *Column, flip byte) (int, bool) {
	if !c.PadSpace {
		for i := 0; i+1 < len(b); i++ {
			if b[i]^flip != escape {
				continue
			}
			if b[i+1]^flip == escapeEnd {
				return i + 2, true
			}
			i++
		}
		return 0, false
	}
	space := c.space()
	if c.Weight != nil {
		space = c.Weight(nil, space)
	}
	if len(space) == 0 {
		return 0, false
	}
	for i := 0; i+len(space) < len(b); i += len(space) {
		if !equalFlipped(b[i:i+len(space)], space, flip) {
			continue
		}
		if b[i+len(space)]^flip == padEnd {
			return i + len(space) + 1, true
		}
		i++
	}
	return 0, false
}

func equalFlipped(a, b []byte, flip byte) bool {
	for i := range a {
		if a[i]^flip != b[i] {
			return false
		}
	}
	return true
}
