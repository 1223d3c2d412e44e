package gmserr

import (
	"errors"
	"regexp"
	"strings"

	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// worded are errors that go-mysql-server makes without a number, by their texts: the number that MariaDB has for them, and which groups of the pattern are
// in MariaDB's text. Others of its own are refused, see From.
var worded = []struct {
	text   *regexp.Regexp
	number uint16
	args   func(m []string) []any
}{
	{regexp.MustCompile(`^exhausted fetch iterator$`), mysqlerr.SPFetchNoData, none},
	{regexp.MustCompile(`^cursor '[^']*' is already open$`), mysqlerr.SPCursorAlreadyOpen, none},
	{regexp.MustCompile(`^cursor '[^']*' is not open$`), mysqlerr.SPCursorNotOpen, none},
	{regexp.MustCompile(`^incorrect number of FETCH variables$`), mysqlerr.SPWrongNoOfFetchArgs, none},
	{regexp.MustCompile(`^Event '([^']*)' does not exist$`), mysqlerr.EventDoesNotExist, groups},
	{regexp.MustCompile(`^Event '([^']*)' already exists$`), mysqlerr.EventAlreadyExists, groups},
	{regexp.MustCompile(`^Duplicate (CHECK) constraint name '([^']*)'$`), mysqlerr.DupConstraintName, groups},
	{regexp.MustCompile(`^Constraint "([^"]*)" does not exist$`), mysqlerr.CantDropFieldOrKey, func(m []string) []any { return []any{"CONSTRAINT", m[1]} }},
	{regexp.MustCompile(`^No tables used$`), mysqlerr.NoTablesUsed, none},
	{regexp.MustCompile(`^the view (?:[^.]*\.)?(.*) already exists$`), mysqlerr.TableExists, groups},
}

func none([]string) []any { return nil }

func groups(m []string) []any {
	out := make([]any, 0, len(m))
	for _, g := range m[1:] {
		out = append(out, g)
	}
	return out
}

// fromWords is MariaDB's error for a text of go-mysql-server's, nil if it has none.
func fromWords(text string) *mysqlerr.Error {
	for _, w := range worded {
		if m := w.text.FindStringSubmatch(text); m != nil {
			return mysqlerr.New(w.number, w.args(m)...)
		}
	}
	return nil
}

// ownTexts are those of errors that go-mysql-server makes without a kind, which says that they are its own.
var ownTexts = regexp.MustCompile(`^(?:expected insert destination|table doesn't support|could not convert |attempted to evaluate uninitialized|` +
	`invalid GIS data|unsupported signal |length is \d+ but max|duplicate entry: |strconv\.|invalid table spec|default value |Default value expression|` +
	`offset must be a non-negative|ambiguous column or alias|failed to resolve aggregate|illegal non geometric|invalid data type for JSON|` +
	`Illegal argument to regular|Invalid argument to |incompatible conversion|unable to |Invalid constraint expression|Cannot get geometry|` +
	`Recursive Common Table Expression|The target table |Too big |Scale \d|column .* type definition is invalid|delete from with explicit)|` +
	`is (?:not supported yet|an invalid number of bits|not a valid Decimal|not valid for this)|supports? (?:only |a |precision )|not yet supported$`)

// itsOwn reports whether an error is one of go-mysql-server's, and not one of what it calls.
func itsOwn(err error) bool {
	var kind *goerrors.Error
	return errors.As(err, &kind) || ownTexts.MatchString(err.Error())
}

// reasonMost is how much of a text of go-mysql-server's is shown, in bytes.
const reasonMost = 120

// shortened is the text of an error that has no number, as the reason why a statement is refused: without what Go prints of its own values.
func shortened(text string) string {
	for _, mark := range []string{"&{", "%!", "0x"} {
		text, _, _ = strings.Cut(text, mark)
	}
	if len(text) > reasonMost {
		text = strings.ToValidUTF8(text[:reasonMost], "") + " ..."
	}
	return strings.TrimSpace(text)
}
