package expressions

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

func init() {
	generators["text"] = drawText
	generators["text_regexp"] = drawRegexp
}

// textArguments are of all types. Those that other families make are left out as long as they do not bind.
var textArguments = sync.OnceValue(func() (out []string) {
	for _, x := range []string{
		"NULL", "''", "'a'", "'A'", "'abc'", "'ABC'", "'äöü'", "'Äb😀c'", "'straße'", "'a b  c'", "' a '", "'1,2,3'", "'a,b,ä'", "'12'", "'12.5x'", "'-3'",
		"'1e2'", "'xyz junk'", "'ю'", "'a%b_c'", "'hello world'", "'YWJj'", "'4142'", "_latin1 x'E4F6'", "_latin1'abc'", "_utf8mb3'bä'", "x'41'", "x'C3A4FF'",
		"x''", "0x41", "b'1100001'", "'a' COLLATE utf8mb4_bin", "'B' COLLATE utf8mb4_unicode_ci", "CONVERT('äb' USING latin1)", "CONVERT('ab' USING utf16)",
		"_latin1'q' COLLATE latin1_german1_ci", "_binary'ab'", "'\\'\\\\\\0'", "REPEAT('ab',3)",
		"0", "1", "2", "3", "5", "65", "100", "4294967296", "9223372036854775807", "18446744073709551615", "1.5", "2.50", "0.005", "123456789.987654321",
		"99999999999999999999999999999999999999", "1e0", "2.5e0", "1.25e2", "1e300", "0.1e0", "TRUE",
		"-1", "-2", "-2.5", "-1e0", "-9223372036854775807", "DATE'2020-01-31'", "TIME'10:11:12.5'", "TIMESTAMP'2020-01-31 10:11:12'", "1+1", "1=2", "CAST(3 AS UNSIGNED)",
		"CAST('ab' AS CHAR)", "CAST('ab' AS BINARY)",
	} {
		if !strings.Contains(Ours(Default, x).Error, "1235/") {
			out = append(out, x)
		}
	}
	return out
})

// textCalls are the functions of the family: %s is an argument of any type, %n one that is mostly a small number, %t a simple text, %c a character set and %k
// a collation of utf8mb4. What is missing is tested by lines of testdata only: REPEAT, SPACE and the like are drawn with numbers that are
// small, as texts of many megabytes take their time.
var textCalls = strings.Split(`CONCAT(%s,%s)|CONCAT(%s,%s,%s)|CONCAT(%s)|CONCAT_WS(%s,%s,%s)|CONCAT_WS(%s,%s,%s,%s)|LENGTH(%s)|OCTET_LENGTH(%s)|CHAR_LENGTH(%s)|BIT_LENGTH(%s)|
LEFT(%s,%n)|RIGHT(%s,%n)|SUBSTR(%s,%n)|SUBSTRING(%s,%n,%n)|MID(%s,%n,%n)|SUBSTRING_INDEX(%s,%s,%n)|LOCATE(%s,%s)|LOCATE(%s,%s,%n)|POSITION(%s IN %s)|INSTR(%s,%s)|
REPLACE(%s,%s,%s)|INSERT(%s,%n,%n,%s)|REPEAT(%s,%n)|SPACE(%n)|REVERSE(%s)|LPAD(%s,%n,%s)|RPAD(%s,%n,%s)|LPAD(%s,%n)|RPAD(%s,%n)|UPPER(%s)|LOWER(%s)|
ASCII(%s)|ORD(%s)|CHR(%n)|CHR(%s)|CHAR(%n,%s)|CHAR(%s USING %c)|CHAR(%n,%n USING %c)|HEX(%s)|UNHEX(%s)|QUOTE(%s)|SOUNDEX(%s)|%s SOUNDS LIKE %s|STRCMP(%s,%s)|
FIELD(%s,%s,%s)|FIELD(%s,%s)|FIND_IN_SET(%s,%s)|ELT(%n,%t,%t)|ELT(%n,%t)|MAKE_SET(%n,%t,%t)|EXPORT_SET(%n,%s,%s)|EXPORT_SET(%n,%s,%s,%s,%n)|FORMAT(%s,%n)|
FORMAT(%s,%n,'de_DE')|FORMAT(%s,%n,%s)|TO_BASE64(%s)|FROM_BASE64(%s)|FROM_BASE64(TO_BASE64(%s))|UNHEX(HEX(%s))|TRIM(%s)|LTRIM(%s)|RTRIM(%s)|TRIM(LEADING %s FROM %s)|
TRIM(TRAILING %s FROM %s)|TRIM(BOTH %s FROM %s)|CONVERT(%t USING %c)|(%s COLLATE %k)|%s LIKE %s|%s LIKE CONCAT('%',%s,'_')|%s LIKE %s ESCAPE '!'|
UCASE(%s)`, "|")

func drawText(r *rand.Rand) string {
	for {
		if q := textCall(r, 2); !tooLong(q) && !textRefused(q) {
			return q
		}
	}
}

// textRefused leaves out what is refused although it looks like any other call: locales whose names are no plain text, since messages show
// them in parts, and numbers beside foreign letters in functions that garble them.
func textRefused(q string) bool {
	e := Ours(Default, q).Error
	return strings.Contains(e, "a locale of such a name") || strings.Contains(e, "of a number and foreign letters")
}

// tooLong leaves out what repeats a text very often.
func tooLong(q string) bool {
	return strings.Count(q, "REPEAT(")+strings.Count(q, "SPACE(")+strings.Count(q, "PAD(") > 2
}

func textCall(r *rand.Rand, depth int) string {
	call := strings.TrimSpace(textCalls[r.IntN(len(textCalls))])
	var out strings.Builder
	for i := 0; i < len(call); i++ {
		if call[i] != '%' || i+1 == len(call) || !strings.ContainsRune("sntck", rune(call[i+1])) {
			out.WriteByte(call[i])
			continue
		}
		i++
		switch call[i] {
		case 's':
			out.WriteString(textArgument(r, depth))
		case 't':
			out.WriteString(pick(r, "''", "'abc'", "'äöü'", "NULL", "'a b  c'", "_latin1'abc'", "'B' COLLATE utf8mb4_unicode_ci", "x'41'"))
		case 'n':
			out.WriteString(smallNumber(r))
		case 'c':
			out.WriteString(pick(r, "utf8mb4", "latin1", "utf8mb3", "utf16", "binary"))
		case 'k':
			out.WriteString(pick(r, "utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb4_uca1400_as_cs", "utf8mb4_nopad_bin", "latin1_bin", "binary_no"))
		}
	}
	return out.String()
}

func textArgument(r *rand.Rand, depth int) string {
	if depth > 1 && r.IntN(4) == 0 {
		return textCall(r, depth-1)
	}
	return pick(r, textArguments()...)
}

func smallNumber(r *rand.Rand) string {
	if r.IntN(3) > 0 {
		return fmt.Sprint(r.IntN(8))
	}
	return pick(r, "'-1'", "'-3'", "NULL", "'2x'", "1.5", "2.4e0", "10", "'3'", "18446744073709551615", "TRUE", "0x02")
}

// drawRegexp draws patterns of what both libraries share, and texts that they may match.
func drawRegexp(r *rand.Rand) string {
	text := func() string {
		var s strings.Builder
		for range r.IntN(7) {
			s.WriteString(pick(r, "a", "b", "A", "B", "1", "_", " ", "x", ".", "-"))
		}
		return s.String()
	}
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, `\`, `\\`) + "'" }
	subject := quote(text())
	switch r.IntN(8) {
	case 0:
		subject = "x" + fmt.Sprintf("'%X'", text())
	case 1:
		subject += " COLLATE utf8mb4_bin"
	case 2:
		subject = "CONVERT(" + subject + " USING latin1)"
	case 3:
		subject = quote(text() + "äÖ€")
	}
	p := quote(drawnPattern(r, 3))
	switch r.IntN(5) {
	case 0:
		return "REGEXP_INSTR(" + subject + "," + p + ")"
	case 1:
		return "REGEXP_SUBSTR(" + subject + "," + p + ")"
	case 2:
		return "HEX(REGEXP_SUBSTR(" + subject + "," + p + "))"
	case 3:
		return "REGEXP_REPLACE(" + subject + "," + p + "," + quote(pick(r, "x", `[\0]`, `\1-\2`, "", `a\`, "ä")) + ")"
	}
	return subject + " REGEXP " + p
}

// drawnPattern leaves out what is refused: empty alternatives, and repetitions of what may be empty.
func drawnPattern(r *rand.Rand, depth int) string {
	var s strings.Builder
	for range 1 + r.IntN(3) {
		atom := pick(r, "a", "b", "1", ".", "[ab]", "[^a]", "[a-z0-9]", `\d`, `\w`, `\s`, `\W`, "[[:alpha:]]", "[[:digit:]_]", `\.`, "x", "ä", "[^[:space:]]")
		if depth > 0 && r.IntN(3) == 0 {
			inner := drawnPattern(r, depth-1)
			if r.IntN(2) == 0 {
				inner += "|" + drawnPattern(r, depth-1)
			}
			// Behind what cannot be repeated stands a letter, so that a group is never empty.
			s.WriteString(pick(r, "(", "(?:", "(?i:") + inner + "b)")
			s.WriteString(pick(r, "", "", "?"))
			continue
		}
		s.WriteString(atom + pick(r, "", "", "", "*", "+", "?", "{2}", "{1,2}", "*?", "+?"))
	}
	return s.String()
}
