package expressions

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

func init() { generators["json"] = func(r *rand.Rand) string { return (&jsonDrawer{r: r}).call(2) } }

// jsonDrawer draws calls of functions over JSON.
//
// What it leaves out, since MariaDB's answer is known to be another one:
//
//   - documents that are no JSON in the merging functions, which read them only as far as they must, and in JSON_KEYS, which goes on
//     after a number that is none;
//   - keys that are there twice in JSON_MERGE_PATCH, of which null removes only one;
//   - escapes that the document's character set lacks, in JSON_SEARCH (refused);
//   - numbers as documents into which text goes that is not ASCII (refused);
//   - paths with ** more than once (refused);
//   - zero bytes, which JSON_EQUALS takes for the end;
//   - binary strings, which the harness cannot show.
type jsonDrawer struct {
	r *rand.Rand
	// proper has only documents that are JSON drawn, and keys that are there once.
	proper bool
	// repeats has them drawn several times again.
	repeats bool
	// nested says that calls are inside of a call: there all is in one character set, as lengths of mixtures are another's affair.
	nested bool
}

func (d *jsonDrawer) pick(of ...string) string { return of[d.r.IntN(len(of))] }

func (d *jsonDrawer) chance(n int) bool { return d.r.IntN(n) == 0 }

// call is a call of a function, with calls inside of it so many levels deep.
func (d *jsonDrawer) call(deep int) string {
	if deep < 2 && !d.nested {
		return (&jsonDrawer{r: d.r, proper: d.proper, nested: true}).call(deep)
	}
	doc := func() string { return d.document(deep) }
	path := func() string { return d.pathArgument() }
	switch d.r.IntN(14) {
	case 0:
		name := d.pick("JSON_VALID", "JSON_TYPE", "JSON_DEPTH", "JSON_LENGTH", "JSON_KEYS", "JSON_QUOTE", "JSON_UNQUOTE", "JSON_COMPACT",
			"JSON_LOOSE", "JSON_NORMALIZE", "JSON_VALID", "JSON_DETAILED", "JSON_PRETTY")
		switch name {
		case "JSON_KEYS":
			return name + "(" + d.properly().document(0) + ")"
		case "JSON_NORMALIZE":
			return name + "(" + d.repeating().document(0) + ")"
		}
		if d.chance(3) {
			return name + "(" + d.value(deep) + ")"
		}
		return name + "(" + doc() + ")"
	case 1:
		if d.chance(4) {
			return "JSON_KEYS(" + d.properly().document(0) + "," + path() + ")"
		}
		path := path()
		if path == "1" {
			path = "'$'" // JSON_LENGTH takes no number
		}
		return d.pick("JSON_LENGTH", "JSON_VALUE", "JSON_QUERY", "JSON_EXISTS", "JSON_EXTRACT") + "(" + doc() + "," + path + ")"
	case 2, 3:
		return "JSON_EXTRACT(" + doc() + d.several(path, 1, 3) + ")"
	case 4:
		return d.pick("JSON_VALUE", "JSON_QUERY", "JSON_EXISTS") + "(" + doc() + "," + path() + ")"
	case 5:
		call := "JSON_CONTAINS(" + doc() + "," + doc()
		if d.chance(3) {
			call += "," + path()
		}
		return call + ")"
	case 6:
		return "JSON_CONTAINS_PATH(" + doc() + "," + d.mode() + d.several(path, 1, 3) + ")"
	case 7:
		call := "JSON_SEARCH(" + literal(d.damaged(d.json(2))) + "," + d.mode() + "," + d.pick("'a'", "'%'", "'1%'", "'_'", "'a|%'",
			"NULL", "'é'", "1", "'tr_e'", "''")
		if d.chance(2) {
			call += "," + d.pick("NULL", "''", "'|'") + d.several(path, 0, 2)
		}
		return call + ")"
	case 8, 9, 10:
		pair := func() string { return d.pathArgument() + "," + d.value(deep) }
		name := d.pick("JSON_SET", "JSON_INSERT", "JSON_REPLACE", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT")
		return name + "(" + d.text(deep) + d.several(pair, 1, 3) + ")"
	case 11:
		return "JSON_REMOVE(" + doc() + d.several(path, 1, 3) + ")"
	case 12:
		whole := func() string { return d.properly().text(0) }
		return d.pick("JSON_MERGE", "JSON_MERGE_PRESERVE", "JSON_MERGE_PATCH", "JSON_MERGE_PATCH") + "(" + whole() + d.several(whole, 1, 3) + ")"
	}
	if d.chance(2) {
		return "JSON_EQUALS(" + d.repeating().document(0) + "," + d.repeating().document(0) + ")"
	}
	value := func() string { return d.value(deep) }
	least := 0
	if d.nested {
		least = 1 // of none the length is another one for other functions than for results
	}
	if d.chance(2) {
		return "JSON_ARRAY(" + strings.TrimPrefix(d.several(value, least, 4), ",") + ")"
	}
	pair := func() string { return d.value(deep) + "," + d.value(deep) }
	return "JSON_OBJECT(" + strings.TrimPrefix(d.several(pair, least, 3), ",") + ")"
}

func (d *jsonDrawer) several(draw func() string, least, most int) string {
	var out strings.Builder
	for range least + d.r.IntN(most-least+1) {
		out.WriteString("," + draw())
	}
	return out.String()
}

func (d *jsonDrawer) mode() string {
	return d.pick("'one'", "'all'", "'ALL'", "'One'", "'two'", "NULL")
}

// properly draws documents that are JSON, with keys that are there once.
func (d *jsonDrawer) properly() *jsonDrawer { return &jsonDrawer{r: d.r, proper: true} }

// repeating draws documents that are JSON.
func (d *jsonDrawer) repeating() *jsonDrawer { return &jsonDrawer{r: d.r, proper: true, repeats: true} }

// text is a document that is text.
func (d *jsonDrawer) text(deep int) string {
	if deep > 0 && d.chance(6) {
		return "JSON_EXTRACT(" + d.text(deep-1) + "," + d.pathArgument() + ")"
	}
	return d.written()
}

// document is an argument that is a document, mostly.
func (d *jsonDrawer) document(deep int) string {
	switch {
	case deep > 0 && d.chance(6):
		return d.call(deep - 1)
	case d.chance(20):
		return d.pick("NULL", "1", "1.50", "TRUE", "''", "1e5")
	}
	return d.written()
}

// written is a document as a literal.
func (d *jsonDrawer) written() string {
	text := d.json(3)
	if !d.proper && d.chance(8) {
		text = d.damaged(text)
	}
	if d.nested {
		return literal(text)
	}
	return d.pick("", "", "", "", "", "_utf8mb3", "_latin1") + literal(text)
}

// literal is a string literal.
func literal(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`, "\n", `\n`, "\t", `\t`, "\x00", `\0`).Replace(text) + "'"
}

// damaged is a text with something taken out, or put in.
func (d *jsonDrawer) damaged(text string) string {
	runes := []rune(text)
	for range 1 + d.r.IntN(2) {
		at := d.r.IntN(len(runes) + 1)
		switch d.r.IntN(3) {
		case 0:
			runes = runes[:at]
		case 1:
			in := []rune(d.pick("[", "]", "{", "}", ",", ":", `"`, `\`, `\u`, "é", "x", "1", "-", ".", "e", " ", "\t", "\n", "\x01", "t"))
			runes = append(runes[:at:at], append(in, runes[at:]...)...)
		default:
			if at < len(runes) {
				runes = append(runes[:at:at], runes[at+1:]...)
			}
		}
	}
	return string(runes)
}

// json is a document.
func (d *jsonDrawer) json(deep int) string {
	if deep == 0 || d.chance(4) {
		return d.blank() + d.scalar() + d.blank()
	}
	n := d.r.IntN(4)
	parts := make([]string, n)
	if d.chance(2) {
		for i := range parts {
			parts[i] = d.json(deep - 1)
		}
		return d.blank() + "[" + d.blank() + strings.Join(parts, ",") + "]" + d.blank()
	}
	for i := range parts {
		key := d.key()
		if d.proper && !d.repeats {
			key = strconv.Itoa(i)
			if i == 0 {
				key = "a"
			}
		}
		parts[i] = d.blank() + `"` + key + `"` + d.blank() + ":" + d.json(deep-1)
	}
	return d.blank() + "{" + d.blank() + strings.Join(parts, ",") + "}" + d.blank()
}

func (d *jsonDrawer) blank() string { return d.pick("", "", "", "", "", "", " ", "  ", "\n", "\t ") }

func (d *jsonDrawer) key() string {
	return d.pick("a", "a", "b", "b", "c", "A", "", "é", "a b", `a\"b`, `\u0061`, "1", `\\`)
}

func (d *jsonDrawer) scalar() string {
	return d.pick("1", "2", "0", "-1", "1.0", "1.50", "1e0", "10e-1", "-0", "1e400", "12345678901234567890", "1.", "true", "false", "null", `"a"`,
		`"b"`, `""`, `"1"`, `"\u0061"`, `"a\"b"`, `"é"`, `"\n\t\/"`, `"\ud83d\ude00"`, `"a%"`, `"A"`, "0.001", "123.4500", `"x\y"`)
}

// pathArgument is an argument that is a path, mostly.
func (d *jsonDrawer) pathArgument() string {
	if d.chance(25) {
		return d.pick("NULL", "1", "''", "'x'")
	}
	out := d.pick("$", "$", "$", "$", "$", " $", "lax $")
	deep := d.pick("**.a", "**[0]", "**.*")
	for range d.r.IntN(4) {
		if strings.Contains(out, "**") {
			deep = ".b"
		}
		out += d.pick(".a", ".a", ".b", ".b", ".c", "[0]", "[0]", "[1]", "[2]", `."a b"`, `."a\"b"`, ".é", `."\u0061"`, `.""`, ".1",
			"[last]", "[-1]", "[-2]", "[-3]", "[last-1]", ".*", "[*]", deep, "[0 to 1]", "[1 to last]", "[-2 to -1]", "[ 1 ]")
	}
	if d.chance(20) {
		out = d.damaged(out)
	}
	return literal(out)
}

// value is an argument that becomes a value of JSON.
func (d *jsonDrawer) value(deep int) string {
	if deep > 0 && d.chance(4) {
		return d.call(deep - 1)
	}
	return d.pick("NULL", "TRUE", "FALSE", "1", "0", "1.50", "1e0", "1.25e300", "18446744073709551615", "9223372036854775807", "'a'", "'é'",
		"''", `'a"b\\c\n'`, "'[1]'", "123456789012345678901234567890.12345", "'😀'", "'a b'")
}
