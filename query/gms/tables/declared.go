package tables

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/schema"
)

// defaultEngine is the storage engine of a table that names none.
const defaultEngine = "InnoDB"

// engines are the names of storage engines that a table may ask for, by lower
// case name. All are the LSM engine under MariaDB's names.
var engines = map[string]string{
	"innodb":  "InnoDB",
	"rocksdb": "ROCKSDB",
	"lsm":     "ROCKSDB",
}

// substituted are engines that every MariaDB has and that applications name.
// Their tables get the default engine, with a warning, whatever sql_mode says.
var substituted = map[string]bool{
	"myisam": true, "aria": true, "memory": true, "heap": true, "mrg_myisam": true, "csv": true, "archive": true,
}

// Error numbers of the warnings about engines.
const (
	errUnknownStorageEngine = 1286
	warnUsingOtherHandler   = 1266
)

// engineName finds the engine that a table gets for the name it asks for.
func engineName(ctx *sql.Context, name string) (string, error) {
	if e, ok := engines[strings.ToLower(name)]; ok {
		return e, nil
	}
	if !substituted[strings.ToLower(name)] {
		// As MariaDB does: an error, or the default engine with a warning.
		if sql.LoadSqlMode(ctx).ModeEnabled("NO_ENGINE_SUBSTITUTION") {
			return "", errNoEngine.New(name)
		}
		ctx.Warn(errUnknownStorageEngine, "Unknown storage engine '%s'", name)
	}
	ctx.Warn(warnUsingOtherHandler, "Using storage engine %s for table", defaultEngine)
	return defaultEngine, nil
}

// declarations is what a CREATE or ALTER TABLE says that does not reach the
// storage through the SQL engine.
type declarations struct {
	engine  string
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
		switch {
		case strings.EqualFold(o.Name, "engine"):
			d.engine = strings.Trim(o.Value, "'\"`")
		case ddltext.IsOption(o.Name):
			if d.options == nil {
				d.options = map[string]string{}
			}
			d.options[strings.ToLower(o.Name)] = optionValue(o.Value)
		}
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
		nameColumnChecks(c)
		if t := &c.Type; strings.EqualFold(t.Type, "time") && t.Length != nil {
			if n, err := strconv.Atoi(string(t.Length.Val)); err == nil && n >= 0 && n <= 6 {
				t.Scale, t.Length = t.Length, nil
			}
		}
	}
}
