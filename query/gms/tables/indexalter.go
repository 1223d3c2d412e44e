package tables

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// CreateIndex implements sql.IndexAlterableTable. The index is complete when
// this returns.
func (t *alterable) CreateIndex(ctx *sql.Context, def sql.IndexDef) error {
	kind := ""
	switch def.Constraint {
	case sql.IndexConstraint_Spatial:
		kind = kindSpatial
	case sql.IndexConstraint_Vector:
		kind = kindVector
	case FulltextConstraint:
		kind = catalog.Fulltext
	}
	return t.addIndex(ctx, def, kind)
}

// CreateIndexForForeignKey implements sql.ForeignKeyTable.
func (t *alterable) CreateIndexForForeignKey(ctx *sql.Context, def sql.IndexDef) error {
	return t.CreateIndex(ctx, def)
}

// noFulltextInTemporary is MariaDB's error about full-text indexes of temporary tables of InnoDB.
const noFulltextInTemporary = 1796

// addIndex adds an index to the definition and builds it.
func (t *alterable) addIndex(ctx *sql.Context, idx sql.IndexDef, kind string) error {
	cur, err := t.current(ctx)
	if err != nil {
		return err
	}
	def := *cur.v.Def()
	name := idx.Name
	if name == "" {
		for _, c := range idx.Columns {
			name += c.Name + "_"
		}
	}
	if slices.ContainsFunc(def.Indexes, func(d catalog.IndexDef) bool { return strings.EqualFold(d.Name, name) }) {
		return sql.ErrDuplicateKey.New(name)
	}
	d := catalog.IndexDef{ID: max(def.NextIndexID, 1), Name: name, Kind: kind, Comment: idx.Comment,
		Unique: idx.Constraint == sql.IndexConstraint_Unique}
	for _, c := range idx.Columns {
		part := catalog.IndexPart{Column: ordinalOf(&def, c.Name)}
		if part.Column < 0 {
			return sql.ErrKeyColumnDoesNotExist.New(c.Name)
		}
		if c.Length > 0 && kind == "" {
			if part.Prefix, err = prefixLength(cur.v.Schema.Schema[part.Column], c.Length); err != nil {
				return err
			}
		}
		if kind == "" {
			part = paddedPart(&def, part)
		}
		d.Parts = append(d.Parts, part)
	}
	d.Hash = hashed(&def, &d)
	if kind == catalog.Fulltext {
		if cur.temp != nil && strings.EqualFold(def.Engine, "InnoDB") {
			return mysqlerr.Newf(noFulltextInTemporary, "Cannot create FULLTEXT index on temporary InnoDB table")
		}
		if err := checkFulltext(&def, d.Parts); err != nil {
			return err
		}
	}
	def.Indexes = append(slices.Clone(def.Indexes), d)
	def.NextIndexID = d.ID + 1
	if cur.temp != nil {
		return cur.temp.redefine(&def)
	}
	if err := lockTable(ctx, def.DB, def.Name, true); err != nil {
		return err
	}
	if kind == "" {
		if err := cur.buildIndex(ctx, &def); err != nil {
			return err
		}
	}
	return change(ctx, catalog.Change{Tables: []*catalog.TableDef{&def}})
}

// buildIndex fills the last index of def with the rows of the table.
func (t *alterable) buildIndex(ctx *sql.Context, def *catalog.TableDef) error {
	tbl, err := Compile(def)
	if err != nil {
		return err
	}
	v, err := newVersion(tbl)
	if err != nil {
		return err
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	w, err := tx.BulkWriter(tbl, false, []int{len(def.Indexes) - 1})
	if err != nil {
		return err
	}
	c, err := tx.Scan(ctx, txn.ScanSpec{Table: t.v.Table, Index: -1, Mode: txn.Latest})
	if err != nil {
		return err
	}
	defer c.Close()
	duplicate := func(err error) error {
		var dup *txn.DuplicateKeyError
		if !errors.As(err, &dup) {
			return err
		}
		r, derr := v.Decode(dup.Existing, v.All, v.ZoneOf(ctx))
		if derr != nil {
			return derr
		}
		return duplicateError(s.Statement(), v, dup.Index, r, r)
	}
	for n := 0; c.Next(); n++ {
		if n&255 == 255 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.Add(c.RowKey(), c.Image()); err != nil {
			return duplicate(err)
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	return duplicate(w.Finish(ctx))
}

// DropIndex implements sql.IndexAlterableTable.
func (t *alterable) DropIndex(ctx *sql.Context, name string) error {
	if strings.EqualFold(name, primaryName) {
		return t.DropPrimaryKey(ctx)
	}
	return t.alter(ctx, func(def *catalog.TableDef) error {
		at := slices.IndexFunc(def.Indexes, func(d catalog.IndexDef) bool { return strings.EqualFold(d.Name, name) })
		if at < 0 {
			return sql.ErrIndexNotFound.New(name)
		}
		old := *def
		def.Indexes = slices.Delete(slices.Clone(def.Indexes), at, at+1)
		return dropSides(ctx, &old, def)
	})
}

// RenameIndex implements sql.IndexAlterableTable.
func (t *alterable) RenameIndex(ctx *sql.Context, from, to string) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		def.Indexes = slices.Clone(def.Indexes)
		at := -1
		for i := range def.Indexes {
			switch {
			case strings.EqualFold(def.Indexes[i].Name, from):
				at = i
			case strings.EqualFold(def.Indexes[i].Name, to):
				return sql.ErrDuplicateKey.New(to)
			}
		}
		if at < 0 {
			return sql.ErrIndexNotFound.New(from)
		}
		def.Indexes[at].Name = to
		return nil
	})
}

// ShouldBuildIndex implements sql.IndexBuildingTable: CreateIndex has built it.
func (t *alterable) ShouldBuildIndex(*sql.Context, sql.IndexDef) (bool, error) { return false, nil }

// BuildIndex implements sql.IndexBuildingTable. The SQL engine insists on it
// for indexes on virtual columns; their values are in the row images here, so
// the index is there already.
func (t *alterable) BuildIndex(*sql.Context, sql.IndexDef) (sql.RowInserter, error) {
	return builtIndex{}, nil
}

// builtIndex takes the rows of an index that needs none.
type builtIndex struct{}

func (builtIndex) StatementBegin(*sql.Context)              {}
func (builtIndex) DiscardChanges(*sql.Context, error) error { return nil }
func (builtIndex) StatementComplete(*sql.Context) error     { return nil }
func (builtIndex) Insert(*sql.Context, sql.Row) error       { return nil }
func (builtIndex) Close(*sql.Context) error                 { return nil }

// GetChecks implements sql.CheckTable.
func (t *alterable) GetChecks(ctx *sql.Context) ([]sql.CheckDefinition, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	defs := cur.v.Def().Checks
	out := make([]sql.CheckDefinition, 0, len(defs))
	for _, d := range defs {
		if st := s.Statement(); st != nil && d.Column != "" && dropped(st.AST, d.Column) {
			continue // it goes with its column, so it does not keep the column from going
		}
		out = append(out, sql.CheckDefinition{Name: checkName(cur.v.Def(), &d), CheckExpression: d.Expression, Enforced: d.Enforced})
	}
	return out, nil
}

// CreateCheck implements sql.CheckAlterableTable.
func (t *alterable) CreateCheck(ctx *sql.Context, check *sql.CheckDefinition) error {
	expression, err := schema.Readable(check.CheckExpression)
	if err != nil {
		return err
	}
	return t.alter(ctx, func(def *catalog.TableDef) error {
		taken := func(name string) bool {
			return slices.ContainsFunc(def.Checks, func(c catalog.CheckDef) bool { return strings.EqualFold(c.Name, name) })
		}
		name := check.Name
		column, ofColumn := checkedColumn(name)
		if ofColumn {
			name = column
			def.Checks = slices.DeleteFunc(slices.Clone(def.Checks), func(c catalog.CheckDef) bool { return strings.EqualFold(c.Column, column) })
		} else {
			column = ""
		}
		if c, ok := copied(ctx, def, expression); ok && name == "" {
			def.Checks = append(slices.Clone(def.Checks), c)
			return nil
		}
		for n := 1; name == ""; n++ {
			if candidate := fmt.Sprintf("CONSTRAINT_%d", n); !taken(candidate) {
				name = candidate
			}
		}
		if taken(name) && !ofColumn {
			return ErrDuplicateCheck.New(name)
		}
		def.Checks = append(slices.Clone(def.Checks),
			catalog.CheckDef{Name: name, Expression: expression, Enforced: check.Enforced, Column: column})
		return nil
	})
}

// DropCheck implements sql.CheckAlterableTable.
func (t *alterable) DropCheck(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		at := slices.IndexFunc(def.Checks, func(c catalog.CheckDef) bool { return strings.EqualFold(c.Name, name) && c.Column == "" })
		if at < 0 {
			return sql.ErrUnknownConstraint.New(name)
		}
		def.Checks = slices.Delete(slices.Clone(def.Checks), at, at+1)
		return nil
	})
}
