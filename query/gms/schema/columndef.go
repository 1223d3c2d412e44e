package schema

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

// presentTime is CURRENT_TIMESTAMP as a default.
var presentTime = regexp.MustCompile(`^(?i:CURRENT_TIMESTAMP|NOW)(?:\([0-6]?\))?$`)

// ColumnToDef makes the stored definition of a column. old, if not nil, is the
// definition of the column that this one replaces or copies: it supplies what
// the engine's column does not know.
func ColumnToDef(ctx *sql.Context, col *sql.Column, declared Declarations, old *catalog.ColumnDef) (catalog.ColumnDef, error) {
	digits := 0
	if old != nil && old.Type == mysql.MYSQL_TYPE_TIME2 {
		digits = int(old.Meta)
	}
	var said Declared
	known := false
	if declared != nil {
		if said, known = declared(col.Name); known {
			digits = said.Digits
		}
	}
	st, err := StorageOf(col.Type, digits)
	if err != nil {
		return catalog.ColumnDef{}, fmt.Errorf("column %s: %w", col.Name, err)
	}
	def := catalog.ColumnDef{
		Name:          col.Name,
		SQLType:       TypeText(col.Type, digits),
		Nullable:      col.Nullable && !col.PrimaryKey,
		AutoIncrement: col.AutoIncrement,
		Virtual:       col.Virtual,
		Comment:       col.Comment,
		Hidden:        col.HiddenSystem,
		Invisible:     col.Hidden,
		Extra:         col.Extra,
		Type:          st.Type,
		Meta:          st.Meta,
		Unsigned:      st.Unsigned,
		Collation:     st.Collation,
		EnumValues:    st.Values,
	}
	if known {
		def.SQLType = said.TypeText(def.SQLType)
	} else if old != nil {
		if text, same := keptText(col.Type, digits, old); same {
			def.SQLType = text
		}
	}
	def.Unsigned = def.Unsigned || strings.Contains(def.SQLType, " unsigned")
	if def.Default, err = expressionText(ctx, col.Default); err != nil {
		return def, err
	}
	if old != nil && IsJSON(col.Type) && def.Default == "'"+old.Default+"'" {
		def.Default = old.Default // a number, of which the engine has made the text that the column keeps
	}
	if col.Default != nil {
		def.HasDefault, def.DefaultLiteral = true, col.Default.IsLiteral()
		if inner := strings.TrimSuffix(strings.TrimPrefix(def.Default, "("), ")"); presentTime.MatchString(inner) {
			def.Default = inner // see defToColumn
		}
	}
	if err := keepMoment(ctx, &def, old, col); err != nil {
		return def, err
	}
	if err := keepDate(&def, old); err != nil {
		return def, err
	}
	if known && def.HasDefault {
		def.DefaultText = said.Default
	} else if old != nil && def.Default == old.Default && def.Type == old.Type {
		def.DefaultText = old.DefaultText
	}
	if def.OnUpdate, err = expressionText(ctx, col.OnUpdate); err != nil {
		return def, err
	}
	def.Generated, err = expressionText(ctx, col.Generated)
	return def, err
}

// expressionText is the SQL text of a default, without table names: the table
// may be renamed.
func expressionText(ctx *sql.Context, def *sql.ColumnDefaultValue) (string, error) {
	if def == nil || def.Expr == nil {
		return "", nil
	}
	if u, ok := def.Expr.(*sql.UnresolvedColumnDefault); ok {
		return u.ExprString, nil
	}
	plain, _, err := transform.Expr(ctx, def, func(ctx *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		f, ok := e.(*expression.GetField)
		if !ok {
			return e, transform.SameTree, nil
		}
		bare := expression.NewGetField(f.Index(), f.Type(ctx), f.Name(), f.IsNullable(ctx))
		return bare.WithQuotedNames(sql.DefaultMySQLSchemaFormatter, f.IsQuotedIdentifier()), transform.NewTree, nil
	})
	if err != nil {
		return "", fmt.Errorf("schema: default expression: %w", err)
	}
	return Readable(plain.String())
}

// Schema makes the engine's schema of a table. Generated columns and all but
// simple defaults are left as text; the engine parses them where it needs them.
func Schema(def *catalog.TableDef) (sql.PrimaryKeySchema, error) {
	cols := make(sql.Schema, len(def.Columns))
	for i := range def.Columns {
		col, err := defToColumn(def, &def.Columns[i])
		if err != nil {
			return sql.PrimaryKeySchema{}, fmt.Errorf("table %s.%s: %w", def.DB, def.Name, err)
		}
		cols[i] = col
	}
	ordinals := make([]int, len(def.Primary))
	for i, part := range def.Primary {
		cols[part.Column].PrimaryKey = true
		cols[part.Column].Nullable = false
		ordinals[i] = part.Column
	}
	resolveDefaults(def.DB, def.Name, cols)
	return sql.NewPrimaryKeySchema(cols, ordinals...), nil
}

func defToColumn(def *catalog.TableDef, c *catalog.ColumnDef) (*sql.Column, error) {
	typ, err := ParseType(c.SQLType, c.Collation)
	if err != nil {
		return nil, err
	}
	col := &sql.Column{
		Name:           c.Name,
		Type:           typ,
		Nullable:       c.Nullable,
		Source:         def.Name,
		DatabaseSource: def.DB,
		Comment:        c.Comment,
		Extra:          c.Extra,
		Virtual:        c.Virtual,
		AutoIncrement:  c.AutoIncrement,
		Hidden:         c.Invisible,
		HiddenSystem:   c.Hidden,
	}
	if c.DefaultMoment != 0 {
		if col.Default, err = momentOf(c, typ); err != nil {
			return nil, err
		}
	} else if c.HasDefault || c.Default != "" {
		text := c.Default
		if presentTime.MatchString(text) && !types.IsDatetimeType(typ) && !types.IsTimestampType(typ) {
			text = "(" + text + ")" // which only those types may have without parentheses
		}
		col.Default = sql.NewUnresolvedColumnDefaultValue(text)
	}
	if c.OnUpdate != "" {
		col.OnUpdate = sql.NewUnresolvedColumnDefaultValue(c.OnUpdate)
	}
	if c.Generated != "" {
		col.Generated = sql.NewUnresolvedColumnDefaultValue(c.Generated)
	}
	return col, nil
}
