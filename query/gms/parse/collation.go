package parse

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// go-mysql-server's parser takes less than MariaDB has of character sets, and its planner knows other rules. So when a text is parsed, what
// definitions say of them is taken out; when it runs, each is resolved by MariaDB's rules, and the collation that is meant named
// as go-mysql-server knows it.

// Defaults are the collations of what holds a definition.
type Defaults struct {
	// Client is the character set of the text.
	Client *charset.Set
	// Connection is character_set_connection.
	Connection *charset.Set
	Server     *charset.Collation
	// Strict says that a comment that is too long is an error, not cut.
	Strict bool
	// Notes are what is noted while definitions are resolved.
	Notes []*mysqlerr.Error
	// Database is the collation of a database; the empty name is the current one.
	Database func(name string) *charset.Collation
	// Table is that of a table; nil if there is none of that name.
	Table func(db, name string) *charset.Collation
	// Blob reports whether a column of a table is TEXT or BLOB.
	Blob func(db, table, column string) bool
}

// collated is the text of a statement in which collations are named for go-mysql-server, of one that defines something with a character set or a
// collation; changed is false for others. Without d, what is said is taken out. The errors are MariaDB's.
func collated(text *source.Text, d *Defaults) (sql string, changed bool, err error) {
	st, _, err := text.Statement()
	if err != nil {
		return text.SQL, false, nil //nolint:nilerr // the grammar's error is whoever's who reads the text
	}
	r := &collating{sql: text.SQL, mode: text.Mode, d: d}
	switch n := st.(type) {
	case *tree.CreateTable:
		err = r.createTable(n)
	case *tree.AlterTable:
		err = r.alterTable(n)
	case *tree.CreateDatabase:
		c := *n
		if c.Charset == "" && c.Collate == "" && r.d != nil && collation.Lent(r.d.Server.ID()) {
			c.Collate = r.d.Server.Name() // go-mysql-server does not find it by this name
		}
		if c.DatabaseOptions, err = r.database(c.DatabaseOptions, nil); r.said {
			r.replace(n.Span, tree.String(&c))
		} else {
			r.quote(n.Name)
		}
	case *tree.AlterDatabase:
		c := *n
		if c.DatabaseOptions, err = r.database(n.DatabaseOptions, nil); r.said && c.DatabaseOptions != (tree.DatabaseOptions{}) {
			r.replace(n.Span, tree.String(&c))
		} else {
			r.quote(n.Name)
		}
	case *tree.Drop:
		if n.What == "DATABASE" {
			r.quote(n.Names[0].Name)
		}
	}
	if err != nil || len(r.edits) == 0 {
		return text.SQL, false, err
	}
	return r.done(), true, nil
}

type edit struct {
	tree.Span
	with string
}

// collating is the work on one text.
type collating struct {
	sql  string
	mode dialect.Mode
	d    *Defaults // nil: take out
	said bool
	// primary are the columns of a PRIMARY KEY that stands beside them.
	primary []string
	edits   []edit
}

func (r *collating) replace(at tree.Span, with string) { r.edits = append(r.edits, edit{at, with}) }

// quote quotes the name of a database: go-mysql-server's parser takes no keyword of its own there (WORK, BEGIN).
func (r *collating) quote(name tree.Ident) {
	if name.Text != "" && r.sql[name.Start] != '`' {
		r.replace(name.Span, dialect.QuoteName(name.Text))
	}
}

func (r *collating) done() string {
	slices.SortFunc(r.edits, func(a, b edit) int { return int(a.Start - b.Start) })
	var b strings.Builder
	last := int32(0)
	for _, e := range r.edits {
		b.WriteString(r.sql[last:e.Start])
		b.WriteString(e.with)
		last = e.End
	}
	b.WriteString(r.sql[last:])
	return b.String()
}

// characterSet finds a character set by its name.
func characterSet(name string) (*charset.Set, error) {
	if strings.EqualFold(name, "utf8") {
		name = "utf8mb3"
	}
	set, ok := charset.SetByName(name)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, name)
	}
	return set, nil
}

// collationIn finds a collation by its name, in a character set that is said, or in the one around for names that are of several.
func collationIn(set *charset.Set, said bool, name string) (*charset.Collation, error) {
	if rest, old := strings.CutPrefix(strings.ToLower(name), "utf8_"); old {
		name = "utf8mb3_" + rest
	}
	if c, ok := charset.InSet(set, name); ok {
		return c, nil
	}
	c, ok := charset.ByName(name)
	if ok && !said {
		return c, nil
	}
	if utf8mb4, _ := charset.SetByName("utf8mb4"); !ok {
		c, ok = charset.InSet(utf8mb4, name) // uca1400_ai_ci
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownCollation, name)
		}
		return nil, mysqlerr.New(mysqlerr.CollationCharsetMismatch, strings.TrimPrefix(c.Name(), "utf8mb4_"), set.Name())
	}
	return nil, mysqlerr.New(mysqlerr.CollationCharsetMismatch, c.Name(), set.Name())
}

// clauses gathers CHARACTER SET and COLLATE of a table or a database.
type clauses struct {
	around    *charset.Collation // what DEFAULT is
	set       *charset.Set
	collation *charset.Collation
	standard  bool // COLLATE DEFAULT
}

func (c *clauses) charset(name string, isDefault bool) error {
	set, coll := c.around.Set(), c.around
	if !isDefault {
		var err error
		if set, err = characterSet(name); err != nil {
			return err
		}
		coll = nil
	}
	switch {
	case c.set != nil && c.set != set:
		return mysqlerr.New(mysqlerr.ConflictingDeclarations, "CHARACTER SET "+c.set.Name(), "CHARACTER SET "+set.Name())
	case c.collation != nil && c.collation.Set() != set:
		return mysqlerr.New(mysqlerr.CollationCharsetMismatch, c.collation.Name(), set.Name())
	}
	c.set = set
	if c.collation == nil && coll != nil {
		c.collation = coll
	}
	return nil
}

func (c *clauses) collate(name string, isDefault bool) error {
	if isDefault {
		c.standard = true
		return nil
	}
	set := c.around.Set()
	if c.set != nil {
		set = c.set
	}
	coll, err := collationIn(set, c.set != nil, name)
	if err != nil {
		return err
	}
	if c.collation != nil && c.collation != coll && c.set == nil {
		return mysqlerr.New(mysqlerr.ConflictingDeclarations, "COLLATE "+c.collation.Name(), "COLLATE "+coll.Name())
	}
	c.collation = coll
	return nil
}

// result is what the clauses mean together.
func (c *clauses) result() *charset.Collation {
	switch {
	case c.collation != nil && !c.standard:
		return c.collation
	case c.set != nil:
		return c.set.Default()
	case c.standard:
		return c.around.Set().Default()
	}
	return c.around
}

// both names a collation with its character set.
func both(c *charset.Collation) (string, error) {
	name, err := engineName(c)
	return "CHARACTER SET `" + c.Set().Name() + "` COLLATE `" + name + "`", err
}

// engineName is the name by which go-mysql-server finds a collation. What has no order here is refused.
func engineName(c *charset.Collation) (string, error) {
	if _, err := c.Order(); err != nil {
		return "", mysqlerr.NotYet("collation " + c.Name())
	}
	return collation.EngineName(c)
}

func (r *collating) database(o tree.DatabaseOptions, around *charset.Collation) (tree.DatabaseOptions, error) {
	if o.Charset == "" && o.Collate == "" {
		return o, nil
	}
	r.said = true
	charsetName, collate := o.Charset, o.Collate
	o.Charset, o.Collate = "", ""
	if r.d == nil {
		o.Collate = "utf8mb4_general_ci" // an ALTER DATABASE needs something
		return o, nil
	}
	if around == nil {
		around = r.d.Server
	}
	c := clauses{around: around}
	if charsetName != "" {
		if err := c.charset(charsetName, charsetName == "DEFAULT"); err != nil {
			return o, err
		}
	}
	if collate != "" {
		if err := c.collate(collate, collate == "DEFAULT"); err != nil {
			return o, err
		}
	}
	name, err := engineName(c.result())
	o.Charset, o.Collate = c.result().Set().Name(), name
	return o, err
}

// options gathers the clauses among options; at is where they stand, and alone whether nothing else stands between them.
func (r *collating) options(options []*tree.Option, c *clauses) (at tree.Span, alone bool, err error) {
	others := false
	alone = true
	for _, o := range options {
		if o.Own || o.Name != "CHARACTER SET" && o.Name != "COLLATE" {
			others = at.End > 0
			continue
		}
		if at.End == 0 {
			at.Start = o.Start
		}
		at.End = o.End
		alone = alone && !others
		if r.d == nil {
			continue
		}
		isDefault := o.Value.Kind == tree.WordValue
		if o.Name == "COLLATE" {
			err = c.collate(o.Value.Text, isDefault)
		} else {
			err = c.charset(o.Value.Text, isDefault)
		}
		if err != nil {
			return at, alone, err
		}
	}
	return at, alone, nil
}

// database's collation, by the name that a table's name has.
func (r *collating) databaseOf(n *tree.TableName) *charset.Collation {
	if r.d == nil {
		return nil
	}
	return r.d.Database(n.DB.Text)
}
