package alter

import (
	"reflect"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Replicas run the text of a statement that changes definitions, while rows are logged by the
// places of their columns. So a definition that is not what the text means would put values into
// wrong columns on every replica, without an error. It is checked before the statement is logged;
// one that does not agree is refused, and nothing has happened.

var noKey []sql.IndexColumn

func notAsMeant(what string) error {
	return mysqlerr.New(mysqlerr.NotSupportedYet, "this combination of clauses ("+what+"); use several statements")
}

// check compares the definition that came out with the one that the clauses mean.
func (a *alteration) check(got *catalog.TableDef) error {
	if len(got.Columns) != len(a.columns) {
		return notAsMeant("number of columns")
	}
	for i, c := range a.columns {
		if err := a.checkColumn(c, &got.Columns[i]); err != nil {
			return err
		}
	}
	if !slices.EqualFunc(tables.KeyParts(got, got.Primary), a.primary, samePart) {
		return notAsMeant("primary key")
	}
	if err := a.checkExpressions(got); err != nil {
		return err
	}
	if err := checkDefaults(got); err != nil {
		return err
	}
	return a.checkRest(got)
}

func samePart(got, want sql.IndexColumn) bool {
	return strings.EqualFold(got.Name, want.Name) && (got.Length == want.Length || got.Length == 0 || want.Length == 0)
}

func (a *alteration) checkColumn(c *alteredColumn, got *catalog.ColumnDef) error {
	if !strings.EqualFold(c.name, got.Name) {
		return notAsMeant("order of columns, " + got.Name + " in the place of " + c.name)
	}
	if c.clause != nil {
		return sameAsWritten(c.spec(), got)
	}
	was := a.old.Columns[c.from]
	now := *got
	now.Name = was.Name
	// Expressions may name renamed columns; keys make columns NOT NULL.
	was.Generated, now.Generated = "", ""
	if c.def != nil || strings.HasPrefix(was.Default, "(") {
		was.Default, was.HasDefault, was.DefaultLiteral, was.DefaultText = now.Default, now.HasDefault, now.DefaultLiteral, now.DefaultText
		was.DefaultMoment = now.DefaultMoment
	}
	if slices.ContainsFunc(a.primary, func(p sql.IndexColumn) bool { return strings.EqualFold(p.Name, c.name) }) {
		was.Nullable = now.Nullable
	}
	if a.charset != nil {
		was.Collation, was.Meta = now.Collation, now.Meta
		if strings.HasSuffix(was.SQLType, "text") && strings.HasSuffix(now.SQLType, "text") { // a larger one
			was.SQLType = now.SQLType
		}
	}
	if !reflect.DeepEqual(was, now) {
		return notAsMeant("definition of column " + c.name)
	}
	return nil
}

// sameAsWritten compares a column with its definition in the text.
func sameAsWritten(spec *sqlparser.ColumnDefinition, got *catalog.ColumnDef) error {
	typ, err := types.ColumnTypeToType(&spec.Type)
	if err != nil {
		return err
	}
	digits := 0
	if strings.EqualFold(spec.Type.Type, "time") && spec.Type.Scale != nil && len(spec.Type.Scale.Val) == 1 {
		digits = int(spec.Type.Scale.Val[0] - '0')
	}
	name, _, _ := strings.Cut(tables.DeclaredType(&spec.Type).TypeText(schema.TypeText(typ, digits)), " ")
	have, _, _ := strings.Cut(got.SQLType, " ")
	switch {
	case !strings.EqualFold(spec.Name.String(), got.Name):
		return notAsMeant("order of columns, " + got.Name + " in the place of " + spec.Name.String())
	case name != have, bool(spec.Type.Unsigned) && !got.Unsigned:
		return notAsMeant("type of column " + got.Name)
	case bool(spec.Type.NotNull) && got.Nullable:
		return notAsMeant("NOT NULL of column " + got.Name)
	case bool(spec.Type.Autoincrement) != got.AutoIncrement:
		return notAsMeant("AUTO_INCREMENT of column " + got.Name)
	case (spec.Type.GeneratedExpr != nil) != (got.Generated != "") || spec.Type.GeneratedExpr != nil && bool(spec.Type.Stored) == got.Virtual:
		return notAsMeant("expression of column " + got.Name)
	}
	return nil
}

// checkRest compares indexes and constraints. A foreign key brings an index of its own.
func (a *alteration) checkRest(got *catalog.TableDef) error {
	for _, want := range a.indexes {
		at := indexAt(got, want.name)
		if at < 0 {
			return notAsMeant("index " + want.name)
		}
		x := &got.Indexes[at]
		if x.Unique != want.unique || x.Kind != want.kind || !slices.EqualFunc(tables.KeyParts(got, x.Parts), want.parts, samePart) {
			return notAsMeant("index " + want.name)
		}
	}
	foreign := 0
	var sources []string // first columns of new foreign keys
	for _, d := range a.addedConstraints {
		if fk, ok := d.TableSpec.Constraints[0].Details.(*sqlparser.ForeignKeyDefinition); ok {
			foreign++
			sources = append(sources, fk.Source[0].Lowered())
		}
	}
	for i := range got.Indexes {
		x := &got.Indexes[i]
		if !slices.ContainsFunc(a.indexes, func(w *alteredIndex) bool { return strings.EqualFold(w.name, x.Name) }) &&
			!slices.Contains(sources, strings.ToLower(got.Columns[x.Parts[0].Column].Name)) {
			return notAsMeant("index " + x.Name)
		}
	}
	if len(got.ForeignKeys) != len(a.foreign)+foreign {
		return notAsMeant("number of foreign keys")
	}
	for _, name := range a.foreign {
		if !slices.ContainsFunc(got.ForeignKeys, func(f catalog.ForeignKeyDef) bool { return strings.EqualFold(f.Name, name) }) {
			return notAsMeant("foreign key " + name)
		}
	}
	if len(got.Checks) != len(a.checks)+len(a.addedConstraints)-foreign {
		return notAsMeant("number of checks")
	}
	return nil
}

// CheckCreated compares a new table with the column list of its CREATE TABLE.
func CheckCreated(spec *sqlparser.TableSpec, got *catalog.TableDef) error {
	if len(got.Columns) != len(spec.Columns) {
		return notAsMeant("number of columns")
	}
	for i, c := range spec.Columns {
		if err := sameAsWritten(c, &got.Columns[i]); err != nil {
			return err
		}
	}
	return nil
}

// checkGenerated refuses to make a VIRTUAL column of one with values, and the other way round.
func (a *alteration) checkGenerated() error {
	for _, c := range a.columns {
		spec := c.spec()
		if spec == nil || c.from < 0 {
			continue
		}
		if virtual := spec.Type.GeneratedExpr != nil && !bool(spec.Type.Stored); virtual != a.old.Columns[c.from].Virtual {
			return mysqlerr.New(mysqlerr.UnsupportedActionOnGeneratedColumn)
		}
	}
	return nil
}
