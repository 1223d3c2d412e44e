package own

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// isSet tells by what follows SET whether it is more than a list of variables.
func isSet(next func() lex.Token) certainty {
	switch next().Word {
	case lex.WStatement, lex.WTransaction, lex.WNames, lex.WCharacter, lex.WCharset, lex.WChar, lex.WPassword, lex.WRole:
		return ours
	case lex.WDefault:
		if next().Word == lex.WRole {
			return ours
		}
	case lex.WGlobal, lex.WSession, lex.WLocal:
		if next().Word == lex.WTransaction {
			return ours
		}
	}
	return others
}

// set is the value of a SET that is no list of variables. With variables, too, NAMES and CHARACTER SET are not ours.
func set(n *tree.Set) (dialect.Statement, error) {
	if len(n.Items) > 1 {
		for _, item := range n.Items {
			switch item.(type) {
			case *tree.SetRole, *tree.SetDefaultRole, *tree.SetPassword:
				return nil, notYet("SET of a role or password among other things")
			}
		}
		return nil, nil
	}
	switch n := n.Items[0].(type) {
	case *tree.SetNames:
		return dialect.SetNames{Charset: charset(n.Charset), Collation: n.Collation}, nil
	case *tree.SetCharset:
		return dialect.SetCharacterSet{Charset: charset(n.Charset)}, nil
	case *tree.SetTransaction:
		return dialect.SetTransaction{
			Scope: dialect.Scope(n.Scope.String()), Isolation: dialect.Isolation(n.Isolation), Access: dialect.Access(n.Access),
		}, nil
	default:
		return setAccount(n)
	}
}

func charset(name string) dialect.Charset { return dialect.Charset{Name: name, Default: name == ""} }

// setStatement is the value of SET STATEMENT, whose assignments and statement stay text.
func (t text) setStatement(n *tree.SetStatement) (dialect.Statement, error) {
	var st dialect.SetStatement
	for _, item := range n.Items {
		v, ok := item.(*tree.SetVariable)
		if !ok {
			return nil, nil
		}
		st.Variables = append(st.Variables, strings.ToLower(v.Name.Text))
	}
	last := n.Items[len(n.Items)-1].Place()
	st.Assignments = t.at(tree.Span{Start: n.Items[0].Place().Start, End: last.End}) + " "
	st.Statement = t.from(n.Statement, n.Span)
	return st, nil
}
