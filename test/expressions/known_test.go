package expressions

import (
	"regexp"
	"strings"
)

// knownDifferences are drawn expressions of which MariaDB's answer is known to be another one, and what is different: the type that is announced, or
// the conditions. The values are always compared.
var knownDifferences = []struct {
	question *regexp.Regexp
	types    bool // the announced type may differ
	warnings bool // the conditions may differ
	why      string
}{
	{regexp.MustCompile(`cols\.(tx|js|bl)\b`), true, false, "the length that functions announce for text made of a TEXT"},
	{regexp.MustCompile(`(BASE64|COLLATE).*cols\.zf|cols\.zf COLLATE`), true, false, "the length of ZEROFILL columns as text"},
	{regexp.MustCompile(`THEN cols\.ts END`), true, false, "the flag UNSIGNED of a TIMESTAMP beside nothing"},
	{regexp.MustCompile(`ABS\(cols\.e\)`), true, false, "ABS of an ENUM is a DOUBLE here"},
	{regexp.MustCompile(`SHA2\(`), false, true, "a table of one row is a constant to MariaDB, which computes SHA2 of constants without its warning"},
	{regexp.MustCompile(`cols\.(zf|ti|b8|mi).*cols\.|1e300|cols\.g\b`), false, true, "warnings of conversions: DECIMAL or DOUBLE, 1916 of huge numbers"},
	{regexp.MustCompile(`cols\.ts`), false, true, "digits of a negated TIMESTAMP in warnings"},
	{regexp.MustCompile(`LEAST\(0x|GREATEST\(0x`), false, true, "binary literals that LEAST and GREATEST read as numbers"},
}

// refusedLater are answers that are errors here where MariaDB has none, or another text.
var refusedLater = regexp.MustCompile(`POW\(\.5|JSON_(MERGE|CONTAINS).*(cols\.(tx|vd|vn|da|l1))`)

// known reports whether a difference is one of knownDifferences. The answers are those of Answer.String, with a name before them or not.
func known(question, theirs, ours string) bool {
	if refusedLater.MatchString(question) || knownOfAddresses(question, theirs) {
		return true
	}
	value, kind, conditions := parts(theirs)
	v, k, c := parts(ours)
	if value != v {
		return false
	}
	sameKind, sameConditions := kind == k, conditions == c
	for _, d := range knownDifferences {
		if d.question.MatchString(question) {
			sameKind, sameConditions = sameKind || d.types, sameConditions || d.warnings
		}
	}
	return sameKind && sameConditions
}

// Of columns with addresses, errors that are found in another order, or at the first row that has them; DIV, which MariaDB computes of nothing; and
// texts in the place of JSON, of which MariaDB reads the number that they begin with.
var (
	addressColumn = regexp.MustCompile(`cols\.(uu|i4|i6)`)
	addressLater  = regexp.MustCompile(`\bDIV\b|JSON_|_FORMAT\(|EXPORT_SET|NULLIF|IN \(`)
)

func knownOfAddresses(question, theirs string) bool {
	return addressColumn.MatchString(question) && (addressLater.MatchString(question) || strings.HasPrefix(theirs, "E4078/") || strings.HasPrefix(theirs, "E4079/"))
}

var metadata = regexp.MustCompile(` \d+\(\d+,\d+\)( NN)?( U)?( B)?( Z)?( BLOB)? cs\d+`)

// parts divides an answer into its value, the announced type and the conditions.
func parts(answer string) (value, kind, conditions string) {
	at := metadata.FindStringIndex(answer)
	if at == nil {
		return answer, "", ""
	}
	return answer[:at[0]], answer[at[0]:at[1]], strings.TrimPrefix(answer[at[1]:], " ")
}
