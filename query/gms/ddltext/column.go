package ddltext

import (
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/types/charset"
)

var nowFunction = regexp.MustCompile(`(?i)^\(*(?:now|current_timestamp|localtimestamp|localtime)\s*(\((\d*)\))?\)*$`)

// Column is a column's line of SHOW CREATE TABLE, without indentation and comma.
func Column(def *catalog.TableDef, c *catalog.ColumnDef) string { return Style{}.column(def, c) }

func (st Style) column(def *catalog.TableDef, c *catalog.ColumnDef) string {
	b := Name(c.Name) + " " + st.typeText(c.SQLType)
	switch coll, ok := charset.ByID(c.Collation); {
	case IsJSON(c.SQLType) && !st.oldTypes:
		b += " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	case ok && !st.oldTypes && IsCharacter(c.SQLType) && coll.Name() != def.Collation:
		b += " CHARACTER SET " + coll.Set().Name()
		if coll.Name() != "binary" {
			b += " COLLATE " + coll.Name()
		}
	}
	if c.Generated != "" {
		b += " GENERATED ALWAYS AS (" + Expression(c.Generated) + ") " + generatedKind(c)
	}
	switch {
	case c.Generated != "":
	case !c.Nullable:
		b += " NOT NULL"
	case BaseType(c.SQLType) == "timestamp":
		b += " NULL"
	}
	if c.Invisible {
		b += " INVISIBLE"
	}
	if text, ok := Default(c); ok && !c.AutoIncrement && c.Generated == "" {
		b += " DEFAULT " + text
	}
	if c.OnUpdate != "" && !st.noUpdate {
		b += " ON UPDATE " + now(c.OnUpdate)
	}
	if c.AutoIncrement && !st.noCounters {
		b += " AUTO_INCREMENT"
	}
	if c.Comment != "" {
		b += " COMMENT " + Text(c.Comment)
	}
	if clause := ColumnCheck(def, c); clause != "" {
		b += " CHECK (" + clause + ")"
	}
	return b
}

func generatedKind(c *catalog.ColumnDef) string {
	if c.Virtual {
		return "VIRTUAL"
	}
	return "STORED"
}

// ColumnCheck is the condition of the CHECK that belongs to a column, "" without one.
func ColumnCheck(def *catalog.TableDef, c *catalog.ColumnDef) string {
	if IsJSON(c.SQLType) {
		return "json_valid(" + Name(c.Name) + ")"
	}
	for i := range def.Checks {
		if k := &def.Checks[i]; strings.EqualFold(k.Column, c.Name) {
			return Expression(k.Expression)
		}
	}
	return ""
}

// Default is a column's default as an SQL expression, which COLUMNS.COLUMN_DEFAULT shows too; ok is
// false if it has none. A nullable column without one has the default NULL.
func Default(c *catalog.ColumnDef) (text string, ok bool) {
	switch {
	case c.Generated != "":
		return "", false
	case !c.HasDefault:
		return "NULL", c.Nullable
	}
	if c.DefaultText != "" {
		return c.DefaultText, true
	}
	text, literal := c.Default, c.DefaultLiteral
	if m := loneLiteral.FindStringSubmatch(text); m != nil && !literal {
		text, literal = m[1], true
		switch strings.ToUpper(text) {
		case "TRUE":
			text = "1"
		case "FALSE":
			text = "0"
		}
	}
	if nowFunction.MatchString(text) {
		return now(text), true
	}
	bare, quoted := unquoted(text)
	switch {
	case strings.EqualFold(text, "NULL"):
		return "NULL", true
	case bare == "0" && zeroTimes[BaseType(c.SQLType)] != "":
		return Text(withFraction(zeroTimes[BaseType(c.SQLType)], c.SQLType)), true
	case len(c.EnumValues) > 0 && isNumber(bare):
		n, _ := strconv.ParseUint(bare, 10, 64)
		return Text(members(c, n)), true
	case strings.HasPrefix(strings.ToLower(text), "0x") && !isNumeric(c.SQLType):
		if raw, err := hex.DecodeString(text[2:]); err == nil {
			return Text(string(raw)), true
		}
	case quoted && BaseType(c.SQLType) == "time":
		return Text(withFraction(bare, c.SQLType)), true
	case quoted && len(bare) > len("2006-01-02") && (c.Type == mysql.MYSQL_TYPE_DATETIME2 || c.Type == mysql.MYSQL_TYPE_TIMESTAMP2):
		return Text(withFraction(bare, c.SQLType)), true
	case quoted && len(bare) == len("2006-01-02") && (c.Type == mysql.MYSQL_TYPE_DATETIME2 || c.Type == mysql.MYSQL_TYPE_TIMESTAMP2):
		return Text(withFraction(bare+" 00:00:00", c.SQLType)), true
	case quoted && isNumeric(c.SQLType):
		return numberDefault(c, bare), true
	case !quoted && !literal:
		return expressionDefault(text), true
	case !quoted && isNumeric(c.SQLType):
		return numberDefault(c, text), true
	case !quoted && !strings.HasPrefix(text, "b'") && !strings.HasPrefix(strings.ToLower(text), "0x"):
		return Text(text), true
	case quoted:
		return Text((&words{text: text}).next()), true
	}
	return text, true
}

// loneLiteral matches a literal that was written as an expression: MariaDB keeps no parentheses around it.
var loneLiteral = regexp.MustCompile(`^\(+((?i:NULL|TRUE|FALSE)|-?[0-9]+(?:\.[0-9]+)?|'(?:[^'\\]|\\.|'')*')\)+$`)

// zeroTimes are what the default 0 means to the types of times.
var zeroTimes = map[string]string{
	"datetime": "0000-00-00 00:00:00", "timestamp": "0000-00-00 00:00:00", "date": "0000-00-00", "time": "00:00:00",
}

// withFraction gives a time the fractional digits of its type.
func withFraction(text, sqlType string) string {
	_, rest, _ := strings.Cut(sqlType, "(")
	digits, _ := strconv.Atoi(strings.TrimSuffix(rest, ")"))
	whole, frac, _ := strings.Cut(text, ".")
	if digits == 0 {
		return whole
	}
	return whole + "." + (frac + strings.Repeat("0", digits))[:digits]
}

// PlainDefault is the default as SHOW COLUMNS has it: without quotes, nil for NULL.
func PlainDefault(c *catalog.ColumnDef) any {
	text, ok := Default(c)
	if !ok || text == "NULL" {
		return nil
	}
	switch BaseType(c.SQLType) {
	case "tinytext", "text", "mediumtext", "longtext", "tinyblob", "blob", "mediumblob", "longblob":
		return text // an expression, to MariaDB
	}
	if text[0] == '\'' {
		return (&words{text: text}).next()
	}
	return text
}

// numberDefault writes a number with the decimals of its column.
func numberDefault(c *catalog.ColumnDef, text string) string {
	base := BaseType(c.SQLType)
	switch base {
	case "bit":
		if n, err := strconv.ParseUint(text, 10, 64); err == nil {
			return "b'" + strconv.FormatUint(n, 2) + "'"
		}
		return text
	case "float", "double":
		text = floatText(base, text)
	}
	if width, ok := zerofilled(c.SQLType); ok && isNumber(text) {
		return strings.Repeat("0", max(width-len(text), 0)) + text
	}
	_, scale, ok := Decimals(c.SQLType)
	if !ok || strings.ContainsAny(text, "eExXbB") {
		return text
	}
	whole, frac, _ := strings.Cut(text, ".")
	if len(frac) > scale {
		return text
	}
	if scale == 0 {
		return whole
	}
	return whole + "." + frac + strings.Repeat("0", scale-len(frac))
}

var zerofillOf = regexp.MustCompile(`^(tiny|small|medium|big)?int(?:\((\d+)\))? unsigned zerofill$`)

// zerofilled is the display width of an integer with ZEROFILL.
func zerofilled(sqlType string) (width int, ok bool) {
	m := zerofillOf.FindStringSubmatch(sqlType)
	if m == nil {
		return 0, false
	}
	if width, err := strconv.Atoi(m[2]); err == nil {
		return width, true
	}
	return map[string]int{"tiny": 3, "small": 5, "medium": 8, "": 10, "big": 20}[m[1]], true
}

// floatText writes a floating point number as MariaDB does: with an exponent only from 1e15 on.
func floatText(base, text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if base == "float" { // with the digits that a FLOAT is certain to have
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
	}
	if a := math.Abs(f); a != 0 && (a < 1e-15 || a >= 1e15) {
		return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(strconv.FormatFloat(f, 'e', -1, 64))
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// expressionDefault writes the expression of a default. A call of a function stands for itself, as does a column,
// everything else in parentheses.
func expressionDefault(text string) string {
	out := Expression(text)
	if bareName.MatchString(out) {
		return out
	}
	if at := strings.IndexByte(out, '('); at > 0 && isWord(out[:at]) && out[:at] != "cast" && out[len(out)-1] == ')' && balanced(out[at+1:len(out)-1]) {
		return out
	}
	return "(" + out + ")"
}

// bareName is one name in backticks.
var bareName = regexp.MustCompile("^`(?:[^`]|``)+`$")

func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// members gives the text of an ENUM's or SET's number.
func members(c *catalog.ColumnDef, n uint64) string {
	if BaseType(c.SQLType) == "enum" {
		if n >= 1 && n <= uint64(len(c.EnumValues)) {
			return c.EnumValues[n-1]
		}
		return ""
	}
	var out []string
	for i, v := range c.EnumValues {
		if n&(1<<i) != 0 {
			out = append(out, v)
		}
	}
	return strings.Join(out, ",")
}

// now is CURRENT_TIMESTAMP with its precision.
func now(text string) string {
	m := nowFunction.FindStringSubmatch(text)
	if m == nil {
		return Expression(text)
	}
	if m[2] == "" || m[2] == "0" {
		return "current_timestamp()"
	}
	return "current_timestamp(" + m[2] + ")"
}

// IsNow reports whether a default is CURRENT_TIMESTAMP.
func IsNow(text string) bool { return nowFunction.MatchString(text) }

// Extra is the column Extra of SHOW COLUMNS and information_schema.COLUMNS.
func Extra(c *catalog.ColumnDef) string {
	var extra []string
	if c.AutoIncrement {
		extra = append(extra, "auto_increment")
	}
	if c.OnUpdate != "" {
		extra = append(extra, "on update "+now(c.OnUpdate))
	}
	if c.Generated != "" {
		extra = append(extra, generatedKind(c)+" GENERATED")
	}
	if c.Invisible {
		extra = append(extra, "INVISIBLE")
	}
	return strings.Join(extra, ", ")
}

// Key is the column Key: PRI, UNI (alone in a unique index) or MUL (first of an index).
func Key(def *catalog.TableDef, i int) string {
	for _, p := range def.Primary {
		if p.Column == i {
			return "PRI"
		}
	}
	key := ""
	if len(def.Primary) == 0 { // MariaDB takes the first unique key that cannot be NULL for one
		for _, idx := range Indexes(def)[:min(1, len(def.Indexes))] {
			whole := idx.Unique && idx.Kind == ""
			member := false
			for _, p := range idx.Parts {
				whole = whole && p.Prefix == 0 && !def.Columns[p.Column].Nullable
				member = member || p.Column == i
			}
			if whole && member {
				return "PRI"
			}
		}
	}
	for _, idx := range def.Indexes {
		if len(idx.Parts) == 0 || idx.Parts[0].Column != i {
			continue
		}
		if idx.Unique && len(idx.Parts) == 1 && idx.Kind == "" {
			return "UNI"
		}
		key = "MUL"
	}
	return key
}

// Collation is a column's collation, "" for what has none.
func Collation(c *catalog.ColumnDef) string {
	switch {
	case IsJSON(c.SQLType):
		return "utf8mb4_bin"
	case IsCharacter(c.SQLType):
		if coll, ok := charset.ByID(c.Collation); ok {
			return coll.Name()
		}
	}
	return ""
}

var decimalsOf = regexp.MustCompile(`^(decimal|float|double)\((\d+),(\d+)\)`)

// Decimals are M and D of DECIMAL(M,D), FLOAT(M,D) and DOUBLE(M,D).
func Decimals(t string) (precision, scale int, ok bool) {
	m := decimalsOf.FindStringSubmatch(t)
	if m == nil {
		return 0, 0, false
	}
	precision, _ = strconv.Atoi(m[2])
	scale, _ = strconv.Atoi(m[3])
	return precision, scale, true
}
