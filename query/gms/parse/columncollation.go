package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// textual are the types that binary ones are with a collation, collatedTypes those that have a collation, and national the names of two that have a character set of their own.
var (
	textual = map[string]string{"BINARY": "CHAR", "VARBINARY": "VARCHAR", "TINYBLOB": "TINYTEXT", "BLOB": "TEXT", "MEDIUMBLOB": "MEDIUMTEXT", "LONGBLOB": "LONGTEXT"}

	collatedTypes = []string{"CHAR", "VARCHAR", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT", "ENUM", "SET"}
	national      = map[string]string{"NCHAR": "CHAR", "NVARCHAR": "VARCHAR"}
)

// column resolves what a column says. Where it says nothing it has the table's collation, which is named if always is set.
func (r *collating) column(col *tree.Column, c *clauses, always bool) error {
	t := col.Type
	if t == nil {
		return nil
	}
	if err := typeError(col); err != nil {
		return err
	}
	if isAddress(t) {
		return r.address(col)
	}
	if name := textual[t.Name]; name != "" && t.Collate != "" && t.Collate != "DEFAULT" && !strings.EqualFold(t.Collate, "binary") { // it is no binary one then
		text := *t
		text.Name = name
		t = &text
	}
	constant, err := r.keptDefault(col, c)
	if err != nil {
		return err
	}
	later := r.later(col)
	if constant != nil && !later {
		r.replace(col.Default.Place(), tree.String(constant))
	}
	if !later {
		r.words(col)
	}
	if name := national[t.Name]; name != "" && (t.Binary || t.Collate != "" || always) {
		plain := *t
		plain.Name, plain.Charset = name, "utf8mb3"
		t = &plain
	}
	isText := slices.Contains(collatedTypes, t.Name)
	// What is written as bytes is in the column's character set; of texts, what is not in it becomes question marks.
	coded := slices.ContainsFunc(t.Members, func(v *tree.Value) bool { return v.Kind != tree.TextValue || !isASCII(v.Text) })
	said := t.Charset != "" || t.Binary || t.Collate != ""
	t, resized, err := r.plain(t, c)
	if err != nil {
		return err
	}
	if err := r.binaryMembers(t, c); err != nil {
		return err
	}
	switch {
	case !isText && t.Collate == "", isText && !said && !coded && (!always || r.d == nil):
		if resized {
			r.replace(col.Type.Span, tree.String(t))
		}
		return nil
	case !isText && r.d != nil: // it means nothing, but it exists
		if _, err := collationIn(c.result().Set(), false, t.Collate); err != nil && t.Collate != "DEFAULT" {
			return err
		}
		if t.Name == "JSON" {
			return mysqlerr.NotYet("COLLATE of JSON")
		}
	}
	plain := *t
	plain.Charset, plain.Binary, plain.Collate = "", false, ""
	if r.d != nil && isText {
		own, err := ofColumn(t, c.result())
		if err != nil {
			return err
		}
		if said || always {
			if plain.Collate, err = engineName(own); err != nil {
				return err
			}
		}
		if coded {
			if plain.Members, err = members(t.Members, own.Set(), r.d.Client); err != nil {
				return err
			}
		}
	} else if coded {
		plain.Members = nil
		for i := range t.Members { // each another one
			plain.Members = append(plain.Members, &tree.Value{Kind: tree.TextValue, Text: string(rune('a'+i%26)) + strings.Repeat("'", i/26)})
		}
	}
	if later {
		whole := *col
		whole.Type = &plain
		if constant != nil {
			whole.Default = constant
		}
		if r.neverNull(col) {
			whole.Null = tree.NullUnsaid
		}
		r.replace(col.Span, tree.String(&whole))
		return nil
	}
	r.replace(t.Span, tree.String(&plain))
	return nil
}

// later reports whether COLLATE stands behind other attributes of a column.
func (r *collating) later(col *tree.Column) bool {
	if col.Type.Collate == "" {
		return false
	}
	toks := dialect.Tokens(r.sql[col.Type.Start:col.Type.End], r.mode, 0)
	return !slices.ContainsFunc(toks, func(t dialect.Token) bool { return t.Is("COLLATE") })
}

// ofColumn is the collation of a column's type in a table with a collation.
func ofColumn(t *tree.DataType, table *charset.Collation) (*charset.Collation, error) {
	set, coll := table.Set(), table
	if t.Charset != "" {
		var err error
		if set, err = characterSet(t.Charset); err != nil {
			return nil, err
		}
		coll = set.Default()
	}
	if t.Binary {
		coll = set.Bin()
	}
	switch t.Collate {
	case "DEFAULT":
		return set.Default(), nil
	case "":
		return coll, nil
	}
	own, err := collationIn(set, t.Charset != "", t.Collate)
	if err == nil && t.Binary && own != own.Set().Bin() {
		bin := "BINARY"
		if t.Charset != "" {
			bin = "COLLATE " + coll.Name()
		}
		return nil, mysqlerr.New(mysqlerr.ConflictingDeclarations, bin, "COLLATE "+own.Name())
	}
	return own, err
}
