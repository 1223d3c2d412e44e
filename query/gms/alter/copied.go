package alter

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/types/charset"
)

// MariaDB counts the rows of a table that an ALTER TABLE copies, and none where it changes the table in place. Which is which depends on the engine; what
// follows is InnoDB's rule in MariaDB 10.11 (ha_innobase::check_if_supported_inplace_alter), and MEMORY's, which copies whatever changes rows or indexes.

// Copying is what decides about copies beside the definitions.
type Copying struct {
	// ForeignChecks says that foreign_key_checks is on: then a new foreign key looks at all rows.
	ForeignChecks bool
	// EngineSaid says that there is an ENGINE clause.
	EngineSaid bool
	// Temporary says that the table is one: all alterations copy it.
	Temporary bool
}

// Copies reports whether MariaDB would copy a table for an ALTER TABLE, whose definition was old and is now.
func Copies(old, now *catalog.TableDef, text string, mode dialect.Mode, ast *sqlparser.AlterTable, c Copying) bool {
	said := wordsOf(text, mode)
	if kept, _ := withoutMoot(old, ast.Statements); len(kept) == 0 && !said.force && !said.order && !c.EngineSaid {
		return false
	}
	if c.Temporary || said.copy && !said.alone || said.order || old.Engine != now.Engine {
		return true
	}
	memory := strings.EqualFold(now.Engine, "MEMORY")
	if memory && (c.EngineSaid || said.force || said.layout || memoryCopies(old, now, ast)) {
		return true
	}
	for _, d := range ast.Statements {
		if d.ConstraintAction != sqlparser.AddStr {
			continue
		}
		if _, ok := d.TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition); ok && c.ForeignChecks {
			return true
		}
	}
	for i := range now.Checks {
		if x := &now.Checks[i]; x.Column == "" && !slices.ContainsFunc(old.Checks, func(o catalog.CheckDef) bool { return o.Name == x.Name }) {
			return true
		}
	}
	if Clustered(old) && !Clustered(now) || hashes(old, now) {
		return true
	}
	was := formerly(old, ast)
	for i := range now.Columns {
		n := &now.Columns[i]
		o := was(n.Name)
		if o == nil && (n.Generated != "" && !n.Virtual || n.HasDefault && !n.DefaultLiteral && varying.MatchString(n.Default)) {
			return true
		}
		if o != nil && !inPlace(o, n, memory) {
			return true
		}
	}
	return false
}

// hashes reports whether a unique index of texts of any length makes InnoDB copy: its digests are a column of their own that is hidden.
func hashes(old, now *catalog.TableDef) bool {
	isHash := func(x catalog.IndexDef) bool { return x.Hash }
	if slices.ContainsFunc(now.Indexes, isHash) {
		return true
	}
	return len(now.Columns) < len(old.Columns) && slices.ContainsFunc(old.Indexes, func(x catalog.IndexDef) bool {
		return x.Hash && slices.ContainsFunc(x.Parts, func(p catalog.IndexPart) bool { return ColumnAt(now, old.Columns[p.Column].Name) < 0 })
	})
}

// varying is a default that is not the same for all rows.
var varying = regexp.MustCompile("(?i)`|\\b(uuid|rand|sys_guid|sysdate|uuid_short)\\(")

// said are the words of an ALTER TABLE that go-mysql-server's tree lacks.
type said struct{ copy, order, force, alone, layout bool }

func wordsOf(text string, mode dialect.Mode) (s said) {
	toks := dialect.Tokens(text, mode, 0)
	depth, clauses := 0, 1
	for i, t := range toks {
		after := func(word string) bool { return i > 0 && toks[i-1].Is(word) }
		switch {
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		case depth > 0:
		case t.Is(","):
			clauses++
		case t.Is("COPY") && (after("ALGORITHM") || after("=") && i > 1 && toks[i-2].Is("ALGORITHM")):
			s.copy = true
		case t.Is("BY") && after("ORDER"):
			s.order = true
		case t.Is("ROW_FORMAT"), t.Is("CHECKSUM"), t.Is("MAX_ROWS"), t.Is("MIN_ROWS"), t.Is("AVG_ROW_LENGTH"):
			s.layout = true
		case t.Is("FORCE"):
			s.force = true
		}
	}
	s.alone = s.copy && clauses == 1 && strings.EqualFold(toks[0].Text, "ALTER")
	return s
}

// formerly finds what a column was by the name that it has now; nil for a new one.
func formerly(old *catalog.TableDef, ast *sqlparser.AlterTable) func(name string) *catalog.ColumnDef {
	from := map[string]string{}
	for _, d := range ast.Statements {
		switch {
		case d.ColumnAction == sqlparser.AddStr:
			from[strings.ToLower(d.TableSpec.Columns[0].Name.String())] = ""
		case d.ColumnAction == sqlparser.RenameStr:
			from[strings.ToLower(d.ToColumn.String())] = d.Column.String()
		case d.TableSpec != nil && len(d.TableSpec.Columns) == 1 && d.ColumnAction != "":
			from[strings.ToLower(d.TableSpec.Columns[0].Name.String())] = d.Column.String()
		}
	}
	return func(name string) *catalog.ColumnDef {
		if was, ok := from[strings.ToLower(name)]; ok {
			name = was
		}
		if at := ColumnAt(old, name); at >= 0 {
			return &old.Columns[at]
		}
		return nil
	}
}

// inPlace reports whether a column becomes another one without its values being written anew.
func inPlace(old, now *catalog.ColumnDef, memory bool) bool {
	if old.Generated != now.Generated && !(old.Virtual && now.Virtual) || old.Virtual != now.Virtual || now.AutoIncrement && !old.AutoIncrement {
		return false
	}
	if old.Virtual && now.Virtual {
		return true
	}
	if old.SQLType != now.SQLType && (isAddress(old) || isAddress(now)) {
		return false
	}
	was, is := ddltext.BaseType(old.SQLType), ddltext.BaseType(now.SQLType)
	if memory && old.Nullable != now.Nullable || was != is || old.Type != now.Type || old.Unsigned != now.Unsigned {
		return false
	}
	switch was {
	case "enum", "set":
		return old.Collation == now.Collation && len(old.EnumValues) <= len(now.EnumValues) && slices.Equal(old.EnumValues, now.EnumValues[:len(old.EnumValues)]) &&
			old.Meta == now.Meta
	case "varchar", "varbinary", "char", "binary", "tinytext", "text", "mediumtext", "longtext":
		if memory {
			return old.Collation == now.Collation && old.SQLType == now.SQLType
		}
		return textInPlace(old, now, was)
	case "float", "double", "year", "tinyint", "smallint", "mediumint", "int", "bigint":
		return true // but for how they are shown
	}
	return old.Meta == now.Meta
}

func isAddress(c *catalog.ColumnDef) bool {
	return c.SQLType == "uuid" || c.SQLType == "inet4" || c.SQLType == "inet6"
}

// textInPlace is inPlace for texts: InnoDB takes longer VARCHARs, other collations of a character set, and utf8mb4 for utf8mb3 as they are.
func textInPlace(old, now *catalog.ColumnDef, base string) bool {
	from, _ := charset.ByID(old.Collation)
	to, _ := charset.ByID(now.Collation)
	if from == nil || to == nil {
		return false
	}
	same := from.Set() == to.Set()
	if !same && !(from.Set().Name() == "utf8mb3" && to.Set().Name() == "utf8mb4") {
		return false
	}
	if base == "varchar" || base == "varbinary" { // whose lengths take one byte up to 127 whatever the longest value is
		before, after := int(old.Meta), int(now.Meta)
		return after/to.Set().MaxLen() >= before/from.Set().MaxLen() && (before <= 127 || before > 255 || after <= 255)
	}
	return old.SQLType == now.SQLType
}

// memoryCopies reports whether an alteration that InnoDB makes in place is a copy of a table of MEMORY.
func memoryCopies(old, now *catalog.TableDef, ast *sqlparser.AlterTable) bool {
	for _, d := range ast.Statements {
		switch {
		case d.ColumnAction == sqlparser.AddStr || d.ColumnAction == sqlparser.DropStr, d.AlterCollationSpec != nil:
			return true
		case d.IndexSpec != nil && !strings.EqualFold(d.IndexSpec.Action, sqlparser.RenameStr):
			return true
		case d.TableSpec != nil && slices.ContainsFunc(d.TableSpec.TableOpts, func(o *sqlparser.TableOption) bool {
			return !strings.EqualFold(o.Name, "comment") && !strings.HasPrefix(strings.ToLower(o.Name), "stats_")
		}):
			return true
		case d.AutoIncSpec != nil:
			return true
		}
	}
	if len(old.Columns) != len(now.Columns) {
		return true
	}
	was := formerly(old, ast)
	for i := range now.Columns {
		if o := was(now.Columns[i].Name); o == nil || o != &old.Columns[i] {
			return true
		}
	}
	return false
}

// OnlyRenames reports whether an ALTER TABLE gives the table another name and does nothing else.
func OnlyRenames(ast *sqlparser.AlterTable) bool {
	return len(ast.Statements) == 1 && ast.Statements[0].Action == sqlparser.RenameStr && len(ast.Statements[0].ToTables) > 0
}

// Ordered reports whether an ALTER TABLE asks for an order of the rows.
func Ordered(text string, mode dialect.Mode) bool { return wordsOf(text, mode).order }

// Clustered reports whether InnoDB would keep the rows of a table in the order of a key.
func Clustered(def *catalog.TableDef) bool {
	return len(def.Primary) > 0 || slices.ContainsFunc(def.Indexes, func(x catalog.IndexDef) bool {
		return x.Unique && !x.Hash && !slices.ContainsFunc(x.Parts, func(p catalog.IndexPart) bool { return p.Prefix > 0 || def.Columns[p.Column].Nullable })
	})
}
