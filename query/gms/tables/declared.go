package tables

import (
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/schema"
)

// declarations is what a CREATE or ALTER TABLE says that does not reach the
// storage through the SQL engine.
type declarations struct {
	columns schema.Declarations
	// options are the table options that are kept for SHOW CREATE TABLE, by lower-case name.
	options map[string]string
	// defaults are what ALTER COLUMN ... SET DEFAULT gives columns.
	defaults []*sqlparser.DefaultSpec
}

func declared(ast sqlparser.Statement) (d declarations) {
	switch ast := ast.(type) {
	case *sqlparser.DDL:
		d.add(ast)
	case *sqlparser.AlterTable:
		for _, s := range ast.Statements {
			d.add(s)
		}
	}
	return d
}

func (d *declarations) add(ddl *sqlparser.DDL) {
	if ddl.DefaultSpec != nil {
		d.defaults = append(d.defaults, ddl.DefaultSpec)
	}
	spec := ddl.TableSpec
	if spec == nil {
		return
	}
	for _, o := range spec.TableOpts {
		if !ddltext.IsOption(o.Name) {
			continue
		}
		if d.options == nil {
			d.options = map[string]string{}
		}
		d.options[strings.ToLower(o.Name)] = optionValue(o.Value)
	}
	outer := d.columns
	d.columns = func(name string) (schema.Declared, bool) {
		for _, c := range spec.Columns {
			if strings.EqualFold(c.Name.String(), name) {
				return DeclaredType(&c.Type), true
			}
		}
		if outer != nil {
			return outer(name)
		}
		return schema.Declared{}, false
	}
}

// DeclaredType is what a column's type says beyond the SQL engine's type.
func DeclaredType(t *sqlparser.ColumnType) schema.Declared {
	d := schema.Declared{Scale: -1, Unsigned: bool(t.Unsigned || t.Zerofill), Zerofill: bool(t.Zerofill)}
	number := func(v *sqlparser.SQLVal, otherwise int) int {
		if v == nil {
			return otherwise
		}
		n, err := strconv.Atoi(string(v.Val))
		if err != nil || n < 0 {
			return otherwise
		}
		return n
	}
	d.Default = literalText(t.Type, t.Default)
	d.Width, d.Scale = number(t.Length, 0), number(t.Scale, -1)
	if strings.EqualFold(t.Type, "time") {
		d.Digits = number(t.Length, number(t.Scale, 0)) // see Normalize
		if d.Digits > 6 {
			d.Digits = 0
		}
	}
	return d
}

// optionValue is the value of a table option as it is kept, "" for what is the default.
func optionValue(v string) string {
	v = strings.Trim(v, "'\"`")
	if strings.EqualFold(v, "default") || v == "0" {
		return ""
	}
	return strings.ToUpper(v)
}

// Normalize takes out of a parsed statement what the SQL engine refuses though
// the storage can do it: the precision of TIME columns. It is kept where
// declared finds it. ZEROFILL implies UNSIGNED, and a CHECK of a column gets a name that says so. The session calls it for what it has parsed; a second
// call changes nothing.
func Normalize(ast sqlparser.Statement) {
	switch ast := ast.(type) {
	case *sqlparser.DDL:
		normalize(ast)
	case *sqlparser.AlterTable:
		for _, s := range ast.Statements {
			normalize(s)
		}
	}
}

func normalize(ddl *sqlparser.DDL) {
	if ddl.TableSpec == nil {
		return
	}
	for _, c := range ddl.TableSpec.Columns {
		if c.Type.Zerofill {
			c.Type.Unsigned = true
		}
		resolveAddress(&c.Type)
		nameColumnChecks(c)
		if t := &c.Type; strings.EqualFold(t.Type, "time") && t.Length != nil {
			if n, err := strconv.Atoi(string(t.Length.Val)); err == nil && n >= 0 && n <= 6 {
				t.Scale, t.Length = t.Length, nil
			}
		}
	}
}
