package native

import (
	"cmp"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// nameMost is how many characters a name may have.
const nameMost = 64

// misnamed is the first error of a statement that MariaDB finds while it reads the text, beyond those of the grammar: calls of built-in functions with
// another number of arguments, names of functions that are too long, and variables that are not declared. Of several it is the one that ends first.
func (s Session) misnamed(n tree.Node, text string) error {
	var first error
	end := int32(math.MaxInt32)
	found := func(at int32, err error) {
		if err != nil && at < end {
			first, end = err, at
		}
	}
	tree.Walk(n, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Call:
			found(n.End, s.misnamedCall(n, text))
		case *tree.Aggregate:
			if n.Name == "JSON_ARRAYAGG" && len(n.Args) > 1 {
				found(n.End, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, n.Name))
			}
		case *tree.IntoVariables:
			for _, target := range n.Targets {
				if local, ok := target.(*tree.ColumnRef); ok {
					found(local.End, mysqlerr.New(mysqlerr.SPUndeclaredVar, local.Name.Text))
				}
			}
		}
		return true
	})
	return first
}

func (s Session) misnamedCall(n *tree.Call, text string) error {
	name := n.Name.Text
	switch {
	case n.Package.Text != "":
		return nil
	case utf8.RuneCountInString(n.DB.Text) > nameMost:
		return mysqlerr.New(mysqlerr.WrongDBName, n.DB.Text)
	case n.DB.Text != "" && utf8.RuneCountInString(name) > nameMost:
		return mysqlerr.New(mysqlerr.TooLongIdent, name)
	case n.DB.Text != "":
		return qualified(n)
	}
	if n.Keyword { // it is as it was written
		if name = text[n.Start:min(n.Start+int32(len(name)), n.End)]; !strings.EqualFold(name, n.Name.Text) {
			return nil
		}
	} else if standsApart(name) {
		return nil // the error comes later
	}
	if utf8.RuneCountInString(name) > nameMost {
		return mysqlerr.New(mysqlerr.TooLongIdent, name)
	}
	if s.DB() == "" && !n.Keyword && bind.Nobodys(name) {
		return s.unknown(n)
	}
	var mode types.Mode
	if s.LexMode.Oracle {
		mode = types.Oracle
	}
	return bind.Counts(name, len(n.Args), mode)
}

// qualified is the error about the name of a function behind that of a schema, if that is what MariaDB's grammar reads otherwise, or nobody's.
func qualified(n *tree.Call) error {
	name, args := n.Name.Text, len(n.Args)
	upper := strings.ToUpper(name)
	word := dialect.BuiltIn(name) || dialect.Keyword(name)
	switch own := bind.NativeSchema(n.DB.Text); {
	case upper == "DATE_FORMAT", upper == "DECODE":
		return nil
	case !own && word:
		return mysqlerr.New(mysqlerr.FunctionInexistentNameCollision, n.DB.Text, name)
	case !own:
		return nil
	case upper == "TRIM" && args == 1, upper == "REPLACE" && args == 3, (upper == "SUBSTR" || upper == "SUBSTRING") && (args == 2 || args == 3):
		return nil
	case word, upper == "TRIM_ORACLE", bind.Nobodys(name):
		return mysqlerr.New(mysqlerr.FunctionNotDefined, name)
	}
	return nil
}

// apart is the error about a call of a function that is a built-in one only right before the parenthesis, and is called otherwise; nil for other names.
func (s Session) apart(name string) error {
	switch {
	case !standsApart(name):
		return nil
	case s.DB() == "":
		return mysqlerr.New(mysqlerr.NoDB)
	}
	return mysqlerr.New(mysqlerr.FunctionInexistentNameCollision, s.DB(), name)
}

// unknown is the error about a call of a stored function, of which there are none.
func (s Session) unknown(n *tree.Call) error {
	name := n.Name.Text
	if db := cmp.Or(n.DB.Text, s.DB()); db != "" {
		name = db + "." + name
	}
	return mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION", name)
}

// standsApart reports whether a name is that of a function only right before the parenthesis. Some of these are functions like any other elsewhere.
func standsApart(name string) bool {
	upper := strings.ToUpper(name)
	return upper != "DATE_FORMAT" && upper != "DECODE" && dialect.BuiltIn(name)
}
