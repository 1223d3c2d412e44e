package temporal

// Classes of bytes. MariaDB looks at the bytes of a text as if it were
// latin1 (as Windows has it), whatever its character set.
const (
	classDigit = 1 << iota
	classSpace
	classPunct
	classAlpha
)

var class = makeClasses()

func makeClasses() (t [256]uint8) {
	mark := func(bits uint8, from, to int) {
		for c := from; c <= to; c++ {
			t[c] = bits
		}
	}
	mark(classSpace, 9, 13)
	mark(classSpace, ' ', ' ')
	mark(classPunct, '!', '/')
	mark(classDigit, '0', '9')
	mark(classPunct, ':', '@')
	mark(classAlpha, 'A', 'Z')
	mark(classPunct, '[', '`')
	mark(classAlpha, 'a', 'z')
	mark(classPunct, '{', '~')
	// From 0x80 on: Windows' characters, some of them letters, some nothing.
	mark(classPunct, 0x80, 0x9f)
	for _, c := range []int{0x83, 0x8a, 0x8c, 0x8e, 0x9a, 0x9c, 0x9e, 0x9f} {
		t[c] = classAlpha
	}
	for _, c := range []int{0x81, 0x8d, 0x8f, 0x90, 0x9d} {
		t[c] = 0
	}
	mark(classSpace, 0xa0, 0xa0)
	mark(classPunct, 0xa1, 0xbf)
	mark(classAlpha, 0xc0, 0xff)
	t[0xd7], t[0xf7] = classPunct, classPunct
	return t
}

func isDigit(c byte) bool { return c-'0' < 10 }
func isSpace(c byte) bool { return class[c]&classSpace != 0 }
func isPunct(c byte) bool { return class[c]&classPunct != 0 }
func isAlpha(c byte) bool { return class[c]&classAlpha != 0 }

// isASCIISpace is the class in character sets other than latin1, which know
// none above 0x7f.
func isASCIISpace(c byte) bool { return c < 0x80 && isSpace(c) }
