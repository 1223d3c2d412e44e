package tables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/transform"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/fault"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// expressionSession is a session that gives expressions MariaDB's meaning in the place of the SQL engine's.
type expressionSession interface {
	Meaning(ctx *sql.Context, e sql.Expression) (sql.Expression, error)
}

// generator makes a function that computes the generated columns of rows of a definition anew:
// an ALTER TABLE that changes a column changes what is generated from it.
func generator(ctx *sql.Context, def *catalog.TableDef) (func(*sql.Context, sql.Row) error, error) {
	none := func(*sql.Context, sql.Row) error { return nil }
	some := false
	for i := range def.Columns {
		some = some || def.Columns[i].Generated != ""
	}
	if !some {
		return none, nil
	}
	if err := refuseGenerated(def); err != nil {
		return nil, err
	}
	if own, err := ownGenerator(ctx, def); own != nil || err != nil {
		return own, err
	}
	for i := range def.Columns { // go-mysql-server's functions of JSON quote texts and sort members
		c := &def.Columns[i]
		if text := strings.ToLower(c.Generated); strings.Contains(text, "json_") {
			return nil, mysqlerr.NotYet("an ALTER TABLE that computes column " + c.Name + ", which functions of JSON make, anew; INSERT ... SELECT the rows into a table that has the columns")
		}
	}
	pks, err := schema.Schema(def)
	if err != nil {
		return nil, err
	}
	cols, err := resolved(ctx, def, pks.Schema)
	if err != nil {
		return nil, err
	}
	return func(ctx *sql.Context, r sql.Row) error {
		for i, c := range cols {
			if c.Generated == nil {
				continue
			}
			v, err := c.Generated.Eval(ctx, r)
			if err != nil {
				return err
			}
			if v != nil {
				var inRange sql.ConvertInRange
				if v, inRange, err = c.Type.Convert(ctx, v); err != nil {
					return err
				}
				if inRange != sql.InRange {
					return sql.ErrValueOutOfRange.New(v, c.Type)
				}
			}
			r[i] = v
		}
		return nil
	}, nil
}

// ownGenerator is a generator by SQL of our own; nil for expressions that it does not understand.
func ownGenerator(ctx *sql.Context, def *catalog.TableDef) (func(*sql.Context, sql.Row) error, error) {
	s, err := sessionOf(ctx)
	if err != nil || s.Statement().Generate == nil {
		return nil, err
	}
	tbl, err := Compile(def)
	if err != nil {
		return nil, err
	}
	g, err := s.Statement().Generate(ctx, tbl)
	if g == nil || err != nil {
		return nil, err
	}
	v, err := newVersion(tbl)
	if err != nil {
		return nil, err
	}
	e := editor{Table: &Table{alterable: alterable{v: v}}, zone: relation.SessionZone(ctx)}
	return func(ctx *sql.Context, r sql.Row) error {
		for i := range def.Columns {
			if def.Columns[i].Generated != "" {
				r[i] = nil
			}
		}
		image, err := e.imageOf(ctx, nil, r)
		if err != nil {
			return err
		}
		if image, err = g.Complete(image); err != nil {
			return err
		}
		made, err := v.Decode(image, v.All, e.zone)
		if err != nil {
			return err
		}
		for i := range def.Columns {
			if def.Columns[i].Generated != "" {
				r[i] = made[i]
			}
		}
		return nil
	}, nil
}

// BindExpressions makes expressions of the texts of a schema. What go-mysql-server cannot resolve, it throws.
func BindExpressions(ctx *sql.Context, db, table string, sch sql.Schema) (_ sql.Schema, err error) {
	defer fault.Catch(&err)
	b := planbuilder.NewBuilderForColumnDefaultResolution(ctx, sql.EngineOverrides{})
	return b.ResolveSchemaDefaults(db, table, sch), nil
}

// resolved gives the expressions of a schema the places of the columns that they name.
func resolved(ctx *sql.Context, def *catalog.TableDef, sch sql.Schema) (out sql.Schema, err error) {
	if out, err = BindExpressions(ctx, def.DB, def.Name, sch.Copy()); err != nil {
		return nil, fmt.Errorf("expressions of table %s: %w", def.Name, err)
	}
	for _, c := range out {
		if c.Generated == nil {
			continue
		}
		e, _, err := transform.Expr(ctx, c.Generated, func(_ *sql.Context, e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
			f, ok := e.(*expression.GetField)
			if !ok {
				return e, transform.SameTree, nil
			}
			at := out.IndexOfColName(f.Name())
			if at < 0 {
				return nil, transform.SameTree, sql.ErrColumnNotFound.New(f.Name())
			}
			return f.WithIndex(at), transform.NewTree, nil
		})
		if s, own := ctx.Session.(expressionSession); own && err == nil {
			e, err = s.Meaning(ctx, e)
		}
		if err != nil {
			return nil, err
		}
		gen, ok := e.(*sql.ColumnDefaultValue)
		if !ok {
			return nil, fmt.Errorf("column %s: %T is no expression of a column", c.Name, e)
		}
		c.Generated = gen
	}
	return out, nil
}
