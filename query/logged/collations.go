package logged

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// generalCI is utf8mb4_general_ci.
const generalCI = 45

// Known is a statement with collations that this server has: its own stand for those of a MySQL 8 (charset.OfMySQLID), by number in the session's settings
// and by name in the text, where a character set utf8mb4 without a collation gets the one that it has there. There are some for which there are none. Where a statement means the same whatever
// collations the session had, it has utf8mb4_general_ci instead; where it may not, they stay, and Settings refuses it.
func Known(q *event.Query, about *About) (*event.Query, *About, error) {
	theirs := charset.OnlyMySQL(q.CharsetDatabase) || charset.OnlyMySQL(q.DefaultUTF8MB4) || slices.ContainsFunc(q.Charset[:], charset.OnlyMySQL)
	if about.Tree == nil || !theirs && !strings.Contains(about.Text, "0900_") {
		return q, about, nil
	}
	same := *q
	unknown := false
	for i, id := range same.Charset {
		same.Charset[i] = known(id)
		unknown = unknown || charset.OnlyMySQL(same.Charset[i])
	}
	same.CharsetDatabase = known(same.CharsetDatabase)
	if unknown && !dependsOnCollation(about.Tree) {
		for i, id := range same.Charset {
			if charset.OnlyMySQL(id) {
				same.Charset[i] = generalCI
			}
		}
	}
	var general *charset.Collation // what utf8mb4 means there, if it means another one here
	if charset.OnlyMySQL(q.DefaultUTF8MB4) {
		general, _ = charset.OfMySQLID(q.DefaultUTF8MB4)
	}
	text, err := renamed(about.Text, about.Tree, mode(q), general)
	if err != nil || text == about.Text {
		return &same, about, err
	}
	plain := same
	plain.SQL, plain.Charset[0] = text, generalCI // the text is UTF-8
	other, err := AboutOf(&plain)
	other.Rewritten, other.Renamed = about.Rewritten, true
	return &same, &other, err
}

// OfMySQL is a definition that a MySQL 8 shows, in UTF-8, with the names of collations that this server has. utf8mb4 without a collation means utf8mb4_0900_ai_ci.
func OfMySQL(text, sqlMode string) (string, error) {
	m := dialect.ModeOf(sqlMode)
	open := dialect.OpenComments(text, m)
	st, _, err := source.New(open, m, nil).Statement()
	if err != nil {
		st = nil // whoever gets the text says so
	}
	general, _ := charset.OfMySQLName("utf8mb4_0900_ai_ci")
	other, err := renamed(open, st, m, general)
	if err != nil || other == open {
		return text, err
	}
	return other, nil
}

// known is the number of the collation that stands for one of a MySQL, if there is one.
func known(id uint16) uint16 {
	if c, ok := charset.OfMySQLID(id); ok && charset.OnlyMySQL(id) {
		return c.ID()
	}
	return id
}

// renamed names this server's collations where a text has those of a MySQL 8 behind COLLATE, and general behind each utf8mb4 that has no collation.
// Where that cannot be said in so many words it is an error.
func renamed(text string, st tree.Statement, m dialect.Mode, general *charset.Collation) (string, error) {
	bare, elsewhere := 0, 0
	if general != nil && st != nil {
		bare, elsewhere = bareUTF8MB4(st)
	}
	var b strings.Builder
	done, sets := 0, 0
	edit := func(from, to int, words string) {
		b.WriteString(text[done:from])
		b.WriteString(words)
		done = to
	}
	tokens := dialect.Tokens(text, m, 0)
	// value is the token behind a word, which may have = between.
	value := func(i int) (v dialect.Token) {
		if i++; i < len(tokens) && tokens[i].Is("=") {
			i++
		}
		if i < len(tokens) && tokens[i].Kind != dialect.Punct {
			v = tokens[i]
		}
		return v
	}
	for i, t := range tokens {
		var before dialect.Token
		if i > 0 {
			before = tokens[i-1]
		}
		switch {
		case before.Is("."): // a column of that name
		case t.Is("COLLATE"):
			v := value(i)
			if c, ok := charset.OfMySQLName(v.Text); ok {
				edit(v.Start, v.End, c.Name())
			}
		case bare > 0 && (t.Is("CHARSET") || t.Is("SET") && (before.Is("CHARACTER") || before.Is("CHAR"))):
			if v := value(i); strings.EqualFold(v.Text, "utf8mb4") {
				sets++
				edit(v.End, v.End, " COLLATE "+general.Name())
			}
		}
	}
	if elsewhere > 0 || sets != bare { // some have a collation, and stand where only the grammar tells them from the others
		return "", mysqlerr.NotYet("The character set utf8mb4 without a COLLATE, which means utf8mb4_0900_ai_ci on the primary and another one here, in this statement")
	}
	return b.String() + text[done:], nil
}

// bareUTF8MB4 counts where a statement names utf8mb4 and leaves it to the server which collation that has: where a COLLATE may follow, and elsewhere.
func bareUTF8MB4(st tree.Statement) (followed, elsewhere int) {
	bare := func(set, collation string) int {
		if strings.EqualFold(set, "utf8mb4") && collation == "" {
			return 1
		}
		return 0
	}
	options := func(list []*tree.Option) int {
		set, collation := "", ""
		for _, o := range list {
			if o.Value == nil {
				continue
			}
			switch o.Name {
			case "CHARACTER SET":
				set = o.Value.Text
			case "COLLATE":
				collation = o.Value.Text
			}
		}
		return bare(set, collation)
	}
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.DataType:
			if !n.Binary {
				followed += bare(n.Charset, n.Collate)
			}
		case *tree.CastType:
			if !n.BinaryCollation {
				elsewhere += bare(n.Charset, n.Collation)
			}
		case *tree.ConvertUsing:
			elsewhere += bare(n.Charset, "")
		case *tree.CharOf:
			elsewhere += bare(n.Charset, "")
		case *tree.ConvertCharset:
			followed += bare(n.Charset, n.Collate)
		case *tree.CreateTable:
			followed += options(n.Options)
		case *tree.SetOptions:
			followed += options(n.Options)
		case *tree.CreateDatabase:
			followed += bare(n.Charset, n.Collate)
		case *tree.AlterDatabase:
			followed += bare(n.Charset, n.Collate)
		}
		return true
	})
	return followed, elsewhere
}

// dependsOnCollation tells whether a statement may mean something else with other collations of the session (of literals and of the server). Definitions
// of tables without expressions do not, and neither do statements that only name things.
func dependsOnCollation(st tree.Statement) bool {
	switch n := st.(type) {
	case *tree.CreateDatabase:
		return ofServer(n.DatabaseOptions)
	case *tree.AlterDatabase:
		return ofServer(n.DatabaseOptions)
	case *tree.CreateTable:
		return n.Query != nil || hasExpressions(n)
	case *tree.AlterTable:
		return hasExpressions(n)
	case *tree.CreateIndex, *tree.DropIndex, *tree.Drop, *tree.Truncate, *tree.RenameTables, *tree.Maintain, *tree.Flush,
		*tree.Users, *tree.DropAccounts, *tree.RenameUsers, *tree.CreateRole, *tree.Grant, *tree.GrantRole, *tree.RevokeAll:
		return false
	}
	return true
}

// ofServer tells whether a database gets the server's collation.
func ofServer(o tree.DatabaseOptions) bool {
	named := func(name string) bool { return name != "" && !strings.EqualFold(name, "DEFAULT") }
	return !named(o.Charset) && !named(o.Collate)
}

// hasExpressions tells whether the definition of a table has a CHECK, a generated column, or a default that is computed.
func hasExpressions(st tree.Statement) bool {
	found := false
	tree.Walk(st, func(n tree.Node) bool {
		switch n := n.(type) {
		case *tree.Check:
			found = true
		case *tree.Column:
			found = found || n.Generated != nil || n.Check != nil || computed(n.Default)
		case *tree.AlterColumn:
			found = found || computed(n.Default)
		}
		return !found
	})
	return found
}

// computed tells whether a default is more than a literal or the time.
func computed(e tree.Expr) bool {
	switch e := e.(type) {
	case *tree.Unary: // a sign
		return computed(e.X)
	case *tree.Call:
		switch strings.ToUpper(e.Name.Text) {
		case "NOW", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP":
			return false
		}
	case nil, *tree.NullLit, *tree.BoolLit, *tree.NumberLit, *tree.TextLit, *tree.BytesLit, *tree.TemporalLit:
		return false
	}
	return true
}
