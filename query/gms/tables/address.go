package tables

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	gmstypes "github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/charset"
)

// Columns of type UUID, INET4 and INET6 are defined, copied and loaded from files by way of go-mysql-server; only SQL of our own compares
// them (see refuseAlone).

// AddressCollation begins the collation of what the parser takes for a CHAR, and is a UUID, INET4 or INET6 in fact, whose name follows.
const AddressCollation = "duramen_"

// resolveAddress gives a column of the parser the type that is meant.
func resolveAddress(t *sqlparser.ColumnType) {
	name, marked := strings.CutPrefix(t.Collate, AddressCollation)
	if !marked {
		return
	}
	if a, ok := schema.AddressOf(name); ok {
		t.Type, t.Length, t.Collate, t.ResolvedType = name, nil, "", a
	}
}

// IsAddressType reports whether a type is UUID, INET4 or INET6.
func IsAddressType(sqlType string) bool { return relation.IsAddress(sqlType) }

func isAddress(c catalog.ColumnDef) bool { return relation.IsAddress(c.SQLType) }

// RefuseNaming refuses an expression that go-mysql-server is to compute if it names such a column.
func RefuseNaming(def *catalog.TableDef, expression, what string) error {
	if expression == "" || !slices.ContainsFunc(def.Columns, isAddress) {
		return nil
	}
	ast, err := sqlparser.Parse("select " + expression)
	if err != nil {
		return mysqlerr.NotYet(what + " in a table with a column of type UUID, INET4 or INET6").WithCause(err)
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		name, ok := n.(*sqlparser.ColName)
		if !ok {
			return true, nil
		}
		if slices.ContainsFunc(def.Columns, func(c catalog.ColumnDef) bool { return name.Name.EqualString(c.Name) && isAddress(c) }) {
			err = mysqlerr.NotYet(what + " with column " + name.Name.String() + " of type UUID, INET4 or INET6")
		}
		return err == nil, nil
	}, ast)
	return err
}

// refuseVirtual refuses to read VIRTUAL columns that are, or name, such columns.
func refuseVirtual(def *catalog.TableDef) error {
	return refuseGeneratedIf(def, func(c *catalog.ColumnDef) bool { return c.Generated != "" && c.Virtual })
}

// refuseGenerated refuses to compute generated columns that are, or name, such columns.
func refuseGenerated(def *catalog.TableDef) error {
	return refuseGeneratedIf(def, func(c *catalog.ColumnDef) bool { return c.Generated != "" })
}

func refuseGeneratedIf(def *catalog.TableDef, computed func(*catalog.ColumnDef) bool) error {
	for i := range def.Columns {
		c := &def.Columns[i]
		if !computed(c) {
			continue
		}
		if isAddress(*c) {
			return mysqlerr.NotYet("this statement with generated column " + c.Name + " of type " + strings.ToUpper(c.SQLType))
		}
		if err := RefuseNaming(def, c.Generated, "this statement with generated column "+c.Name); err != nil {
			return err
		}
	}
	return nil
}

// refuseComputed refuses to change a table of which rows are checked and completed by expressions over such columns.
func refuseComputed(def *catalog.TableDef) error {
	if err := refuseGenerated(def); err != nil {
		return err
	}
	for i := range def.Checks {
		if err := RefuseNaming(def, def.Checks[i].Expression, "this statement on a table with a CHECK"); err != nil {
			return err
		}
	}
	for i := range def.Columns {
		if c := &def.Columns[i]; !c.DefaultLiteral {
			if err := RefuseNaming(def, c.Default, "this statement on a table with a default"); err != nil {
				return err
			}
		}
	}
	return nil
}

// addressConverter is converter if one of the types is UUID, INET4 or INET6; nil if none is. What cannot be assigned is an error whatever rows there
// are. row counts those that were read.
func addressConverter(old, to *sql.Column, was, is *catalog.ColumnDef, def *catalog.TableDef, row *uint64) (func(*sql.Context, any) (any, error), error) {
	from, fromAddress := old.Type.(*schema.Address)
	into, intoAddress := to.Type.(*schema.Address)
	if !fromAddress && !intoAddress || fromAddress && intoAddress && from.Kind == into.Kind {
		return nil, nil //nolint:nilnil // see above
	}
	source, unknown := relation.TypeOf(was)
	target, alsoUnknown := relation.TypeOf(is)
	if unknown != "" || alsoUnknown != "" {
		return nil, ErrConversion.New("changing column " + old.Name + " from " + old.Type.String() + " to " + to.Type.String())
	}
	utf8, _ := charset.ByName("utf8mb4_general_ci")
	if source.Kind.IsString() && !source.Binary() {
		source.Collation = utf8 // as go-mysql-server has all texts
	}
	column := &assign.Column{Type: target, Database: def.DB, Table: def.Name, Name: to.Name}
	a, err := assign.New(0, column, assign.Source{Type: source})
	switch {
	case err != nil:
		return nil, err
	case a.Mismatch != nil:
		return nil, a.Mismatch
	case fromAddress:
		return addressTo(from, old, to, row), nil
	}
	return func(ctx *sql.Context, v any) (any, error) {
		text, err := unwrapBytes(ctx, old, v)
		if err != nil {
			return nil, err
		}
		diag := &types.Diagnostics{Most: 1, Strict: func(uint16) bool { return true }}
		if source.Class() != types.ClassText { // an ENUM or SET, by its texts
			b, ok := assign.ParseAddress(nil, into.Kind, text)
			if !ok {
				diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%s' for column `%s`.`%s`.`%s` at row %d",
					into, types.CutBytes(string(text)), def.DB, def.Name, to.Name, *row)
				return nil, diag.Failed()
			}
			return string(assign.AppendAddress(nil, into.Kind, b)), nil
		}
		out, ok := a.Assign(&assign.Context{Diag: diag, Row: *row}, types.Value{Text: text})
		if !ok {
			return nil, diag.Failed()
		}
		return string(assign.AppendAddress(nil, into.Kind, out.Text)), nil
	}, nil
}

func unwrapBytes(ctx *sql.Context, col *sql.Column, v any) ([]byte, error) {
	if classOf(col.Type) == classEnum {
		out, err := col.Type.SQL(ctx, nil, v)
		return out.ToBytes(), err
	}
	text, err := unwrapText(ctx, v)
	return []byte(text), err
}

// addressTo makes other values of texts of addresses: binary strings have their bytes.
func addressTo(from *schema.Address, old, to *sql.Column, row *uint64) func(*sql.Context, any) (any, error) {
	into := classOf(to.Type)
	return func(ctx *sql.Context, v any) (any, error) {
		text, err := unwrapText(ctx, v)
		switch {
		case err != nil:
			return nil, err
		case into == classEnum:
			return toEnum(ctx, old, to, text)
		}
		var value any = text
		if into == classBinary {
			value, _ = assign.ParseAddress(nil, from.Kind, []byte(text))
		}
		out, _, err := to.Type.Convert(ctx, value)
		if gmstypes.ErrLengthBeyondLimit.Is(err) {
			err = mysqlerr.New(mysqlerr.DataTooLong, to.Name, *row).WithCause(err)
		}
		return out, err
	}
}
