package text

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/eval/function/text/pcre"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// pattern is a regular expression that means the same to PCRE2, which MariaDB has, and to package regexp, which takes linear time. What
// both do not share is found by backtracking: assertions that look around, back references, atomic groups and possessive quantifiers, \R, \K and so
// on, and repetitions of what may be empty.
type pattern struct {
	re *regexp.Regexp
	// What depends on the text: \b is that of ASCII in package regexp, and $ does not match in front of a line end at the end.
	boundary, dollar bool
	context          bool // it has assertions, so that it cannot be searched for in a part of the text
	empty            bool // it may match nothing
	// deep is the pattern for what package regexp has otherwise, or not at all: then re is nil.
	deep *pcre.Program
}

// reading is how a pattern is read: fold is without regard to case, bytes is text of bytes in place of Unicode.
type reading struct{ fold, bytes bool }

// compile translates a pattern, which is UTF-8.
func (r reading) compile(source string) (*pattern, error) {
	source = withBorders(source)
	p, err := r.linear(source)
	if err == nil && !p.boundary && !p.dollar && !(p.empty && p.context) {
		return p, nil
	}
	deep, other := pcre.Compile(source, pcre.Options{Fold: r.fold, Bytes: r.bytes})
	var wrong *pcre.SyntaxError
	switch {
	case err == nil:
		p.deep = deep // nil, if it cannot be
		return p, nil
	case errors.As(other, &wrong):
		return nil, mysqlerr.New(mysqlerr.Regexp, wrong.Error())
	case other != nil:
		return nil, refusal(strings.TrimPrefix(other.Error(), "pattern is not understood: "))
	}
	return &pattern{deep: deep}, nil
}

// linear is compile for package regexp.
func (r reading) linear(source string) (*pattern, error) {
	t := translator{in: []rune(source), reading: r}
	if r.fold {
		t.out.WriteString("(?i)")
	}
	if err := t.all(); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(t.out.String(), syntax.Perl)
	if err != nil {
		return nil, refusal(err.Error())
	}
	if loopsOnNothing(tree) {
		return nil, refusal("a repetition of what may be empty")
	}
	re, err := regexp.Compile(t.out.String())
	if err != nil {
		return nil, refusal(err.Error())
	}
	return &pattern{re: re, boundary: t.boundary, dollar: t.dollar, context: t.context, empty: mayBeEmpty(tree)}, nil
}

func refusal(what string) error { return mysqlerr.NotYet("a regular expression with " + what) }

func loopsOnNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpStar, syntax.OpPlus, syntax.OpRepeat:
		if mayBeEmpty(re.Sub[0]) {
			return true
		}
	}
	for _, sub := range re.Sub {
		if loopsOnNothing(sub) {
			return true
		}
	}
	return false
}

func mayBeEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) == 0
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return re.Min == 0 || mayBeEmpty(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if mayBeEmpty(sub) {
				return true
			}
		}
		return false
	case syntax.OpPlus, syntax.OpConcat, syntax.OpCapture:
		for _, sub := range re.Sub {
			if !mayBeEmpty(sub) {
				return false
			}
		}
	}
	return true
}

// translator writes a pattern of PCRE2 as one of package regexp.
type translator struct {
	reading
	in                        []rune
	at                        int
	out                       strings.Builder
	depth                     int
	repeatable                bool // what stands before may be repeated
	boundary, dollar, context bool
}

// peek is the next character, 0 at the end.
func (t *translator) peek() rune {
	if t.at < len(t.in) {
		return t.in[t.at]
	}
	return 0
}

func (t *translator) all() error {
	for t.at < len(t.in) {
		if err := t.one(); err != nil {
			return err
		}
	}
	if t.depth != 0 {
		return refusal("parentheses that do not match")
	}
	return nil
}

func (t *translator) one() error {
	c := t.in[t.at]
	t.at++
	switch c {
	case '\\':
		return t.escape()
	case '[':
		return t.class()
	case '(':
		return t.open()
	case ')':
		if t.depth--; t.depth < 0 {
			return refusal("parentheses that do not match")
		}
		t.put(")", true)
	case '*', '+', '?':
		return t.repeat(string(c))
	case '{':
		return t.count()
	case '|':
		t.put("|", false)
	case '^':
		t.context = true
		t.put("^", false)
	case '$':
		t.context, t.dollar = true, true
		t.put("$", false)
	case '.':
		t.put(".", true)
	case 0:
		return refusal("a zero byte")
	default:
		t.literal(c)
	}
	return nil
}

func (t *translator) put(s string, repeatable bool) {
	t.out.WriteString(s)
	t.repeatable = repeatable
}

func (t *translator) literal(c rune) { t.put(codeOf(c), true) }

// codeOf writes a character so that it stands for itself everywhere.
func codeOf(c rune) string { return fmt.Sprintf(`\x{%X}`, c) }

// repeat writes a quantifier, which may be lazy.
func (t *translator) repeat(s string) error {
	if !t.repeatable {
		return refusal("a quantifier where nothing can be repeated")
	}
	switch t.peek() {
	case '?':
		t.at++
		s += "?"
	case '+':
		return refusal("a possessive quantifier")
	}
	t.put(s, false)
	return nil
}

const countMax = 1000 // of package regexp

func (t *translator) count() error {
	end := t.at
	for end < len(t.in) && (t.in[end] >= '0' && t.in[end] <= '9' || t.in[end] == ',') {
		end++
	}
	body := string(t.in[t.at:end])
	low, high, two := strings.Cut(body, ",")
	l, err := strconv.Atoi(low)
	if err != nil || end == len(t.in) || t.in[end] != '}' || l > countMax {
		return refusal("such braces")
	}
	if two && high != "" {
		if h, err := strconv.Atoi(high); err != nil || h < l || h > countMax {
			return refusal("such braces")
		}
	}
	t.at = end + 1
	return t.repeat("{" + body + "}")
}

// open writes an opening parenthesis, or options.
func (t *translator) open() error {
	if t.peek() == '*' {
		return refusal("a verb")
	}
	if t.peek() != '?' {
		t.depth++
		t.put("(", false)
		return nil
	}
	end := t.at + 1
	for end < len(t.in) && (t.in[end] == 'i' || t.in[end] == 's' || t.in[end] == '-') {
		end++
	}
	options := string(t.in[t.at+1 : end])
	if end == len(t.in) || strings.Count(options, "-") > 1 || strings.HasSuffix(options, "-") {
		return refusal("such options")
	}
	switch t.in[end] {
	case ':':
		t.depth++
	case ')':
		if options == "" {
			return refusal("such options")
		}
	default:
		return refusal("a special group")
	}
	t.put("(?"+options+string(t.in[end]), false)
	t.at = end + 1
	return nil
}

// Classes of characters, as they stand in brackets.
const (
	unicodeDigit = `\p{Nd}`
	unicodeWord  = `\p{L}\p{N}_`
	unicodeSpace = `\p{Z}\t\n\x{B}\f\r\x{85}\x{180E}`
)

// shorthand is the class of \d, \w and \s, in brackets or not; ok is false for another letter.
func (t *translator) shorthand(c rune, inside bool) (s string, ok bool) {
	if t.bytes {
		switch c {
		case 'd', 'D', 'w', 'W':
			return `\` + string(c), true
		case 's':
			if inside {
				return `\s\x{B}`, true
			}
			return `[\s\x{B}]`, true
		case 'S':
			return `[^\s\x{B}]`, !inside
		}
		return "", false
	}
	class := map[rune]string{'d': unicodeDigit, 'w': unicodeWord, 's': unicodeSpace}[c|0x20]
	switch {
	case class == "" || c > 'z':
		return "", false
	case c >= 'a' && inside:
		return class, true
	case c >= 'a':
		return "[" + class + "]", true
	}
	return "[^" + class + "]", !inside
}

// escaped is the character that stands for one behind a backslash.
func (t *translator) escaped(c rune) (rune, error) {
	switch {
	case c == 't':
		return '\t', nil
	case c == 'n':
		return '\n', nil
	case c == 'r':
		return '\r', nil
	case c == 'f':
		return '\f', nil
	case c == 'a':
		return 7, nil
	case c == 'e':
		return 27, nil
	case c == 'x' && t.at+2 <= len(t.in):
		n, err := strconv.ParseUint(string(t.in[t.at:t.at+2]), 16, 8)
		if err == nil && n > 0 {
			t.at += 2
			return rune(n), nil
		}
	case c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && !(c|0x20 >= 'a' && c|0x20 <= 'z'):
		return c, nil
	}
	return 0, refusal(`\` + string(c))
}

func (t *translator) escape() error {
	if t.at == len(t.in) {
		return refusal("a backslash at the end")
	}
	c := t.in[t.at]
	t.at++
	if s, ok := t.shorthand(c, false); ok {
		t.put(s, true)
		return nil
	}
	switch c {
	case 'b', 'B':
		t.boundary, t.context = true, true
		t.put(`\`+string(c), false)
		return nil
	case 'A', 'z':
		t.context = true
		t.put(`\`+string(c), false)
		return nil
	}
	r, err := t.escaped(c)
	if err != nil {
		return err
	}
	t.literal(r)
	return nil
}
