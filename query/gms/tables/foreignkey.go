package tables

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// parents finds the foreign keys that reference a table. It is computed once
// per catalog version, because every statement that changes rows asks.
type parents struct {
	cat   *catalog.Snapshot
	byRef map[parentName][]sql.ForeignKeyConstraint
}

type parentName struct{ db, table string }

func parentOf(db, table string) parentName {
	return parentName{strings.ToLower(db), strings.ToLower(table)}
}

// references keeps the parents of the catalog version used last.
type references struct{ last atomic.Pointer[parents] }

func (r *references) to(cat *catalog.Snapshot, db, table string) []sql.ForeignKeyConstraint {
	p := r.last.Load()
	if p == nil || p.cat != cat {
		p = &parents{cat: cat, byRef: map[parentName][]sql.ForeignKeyConstraint{}}
		for _, t := range cat.AllTables() {
			for i := range t.Def.ForeignKeys {
				fk := &t.Def.ForeignKeys[i]
				name := parentOf(fk.ParentDB, fk.ParentTable)
				p.byRef[name] = append(p.byRef[name], constraint(cat, t.Def, fk))
			}
		}
		r.last.Store(p)
	}
	found := p.byRef[parentOf(db, table)]
	out := make([]sql.ForeignKeyConstraint, len(found))
	for i, fk := range found { // the engine edits what it gets
		fk.Columns, fk.ParentColumns = slices.Clone(fk.Columns), slices.Clone(fk.ParentColumns)
		out[i] = fk
	}
	return out
}

// constraint is the SQL engine's form of a foreign key. One that was made while
// its parent table did not exist (foreign_key_checks=0, as dumps do) counts as
// resolved as soon as the parent is there: the engine would otherwise change
// the definition in the middle of the first statement that changes rows.
func constraint(cat *catalog.Snapshot, def *catalog.TableDef, fk *catalog.ForeignKeyDef) sql.ForeignKeyConstraint {
	return sql.ForeignKeyConstraint{
		Name: fk.Name, Database: def.DB, Table: def.Name,
		Columns:        slices.Clone(fk.Columns),
		ParentDatabase: fk.ParentDB, ParentTable: fk.ParentTable,
		ParentColumns: slices.Clone(fk.ParentColumns),
		OnUpdate:      sql.ForeignKeyReferentialAction(fk.OnUpdate),
		OnDelete:      sql.ForeignKeyReferentialAction(fk.OnDelete),
		IsResolved:    fk.Resolved || cat.TableLike(fk.ParentDB, fk.ParentTable) != nil,
	}
}

func constraintDef(fk sql.ForeignKeyConstraint) catalog.ForeignKeyDef {
	return catalog.ForeignKeyDef{
		Name: fk.Name, Columns: slices.Clone(fk.Columns),
		ParentDB: fk.ParentDatabase, ParentTable: fk.ParentTable, ParentColumns: slices.Clone(fk.ParentColumns),
		OnUpdate: string(fk.OnUpdate), OnDelete: string(fk.OnDelete), Resolved: fk.IsResolved,
	}
}

// GetDeclaredForeignKeys implements sql.ForeignKeyTable.
func (t *alterable) GetDeclaredForeignKeys(ctx *sql.Context) ([]sql.ForeignKeyConstraint, error) {
	cur, err := t.current(ctx)
	if err != nil {
		return nil, err
	}
	def := cur.v.Def()
	if len(def.ForeignKeys) == 0 {
		return nil, nil
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]sql.ForeignKeyConstraint, len(def.ForeignKeys))
	for i := range def.ForeignKeys {
		out[i] = constraint(cat, def, &def.ForeignKeys[i])
	}
	slices.SortFunc(out, func(a, b sql.ForeignKeyConstraint) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// GetReferencedForeignKeys implements sql.ForeignKeyTable.
func (t *alterable) GetReferencedForeignKeys(ctx *sql.Context) ([]sql.ForeignKeyConstraint, error) {
	if t.temp != nil {
		return nil, nil
	}
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	return t.p.references.to(cat, t.v.Def().DB, t.v.Def().Name), nil
}

// AddForeignKey implements sql.ForeignKeyTable. Names are unique in a database.
func (t *alterable) AddForeignKey(ctx *sql.Context, fk sql.ForeignKeyConstraint) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, other := range cat.Tables(t.v.Def().DB) {
		for _, f := range other.Def.ForeignKeys {
			names[strings.ToLower(f.Name)] = true
		}
	}
	for n := 1; fk.Name == ""; n++ {
		if name := fmt.Sprintf("%s_ibfk_%d", t.v.Def().Name, n); !names[strings.ToLower(name)] {
			fk.Name = name
		}
	}
	// The SQL engine makes such a name of the table's name in small letters.
	if own := t.v.Def().Name; len(fk.Name) > len(own) && strings.EqualFold(fk.Name[:len(own)], own) && strings.HasPrefix(fk.Name[len(own):], "_ibfk_") {
		fk.Name = own + fk.Name[len(own):]
	}
	if names[strings.ToLower(fk.Name)] {
		return sql.ErrForeignKeyDuplicateName.New(fk.Name)
	}
	if err := t.lockParent(ctx, &fk); err != nil {
		return err
	}
	if db := cmp.Or(fk.ParentDatabase, t.v.Def().DB); cat.Table(db, fk.ParentTable) == nil && cat.TableLike(db, fk.ParentTable) != nil {
		return mysqlerr.New(mysqlerr.NoSuchTable, db, fk.ParentTable)
	}
	if err := t.refusePartitions(cat, &fk); err != nil {
		return err
	}
	return t.alter(ctx, func(def *catalog.TableDef) error {
		d := constraintDef(fk)
		if d.ParentDB == "" {
			d.ParentDB = def.DB
		}
		def.ForeignKeys = append(slices.Clone(def.ForeignKeys), d)
		return nil
	})
}

// refusePartitions refuses a foreign key of a table with partitions, and one to such a table.
func (t *alterable) refusePartitions(cat *catalog.Snapshot, fk *sql.ForeignKeyConstraint) error {
	def := t.v.Def()
	if def.Partitioning != nil {
		return mysqlerr.New(mysqlerr.PartitionFeature, "FOREIGN KEY")
	}
	db := fk.ParentDatabase
	if db == "" {
		db = def.DB
	}
	if parent := cat.TableLike(db, fk.ParentTable); parent != nil && parent.Def.Partitioning != nil {
		return mysqlerr.New(mysqlerr.CantCreateTable, def.DB, def.Name, `150 "Foreign key constraint is incorrectly formed"`)
	}
	return nil
}

// lockParent waits for those who change rows of the parent: they do not know that others are about to refer to these. Who comes later knows it.
func (t *alterable) lockParent(ctx *sql.Context, fk *sql.ForeignKeyConstraint) error {
	db := fk.ParentDatabase
	if db == "" {
		db = t.v.Def().DB
	}
	if t.temp != nil || parentOf(db, fk.ParentTable) == parentOf(t.v.Def().DB, t.v.Def().Name) {
		return nil
	}
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	return tx.LockTable(ctx, db, fk.ParentTable, txn.Shared)
}

func foreignKeyAt(def *catalog.TableDef, name string) int {
	return slices.IndexFunc(def.ForeignKeys, func(f catalog.ForeignKeyDef) bool { return strings.EqualFold(f.Name, name) })
}

// DropForeignKey implements sql.ForeignKeyTable.
func (t *alterable) DropForeignKey(ctx *sql.Context, name, _, _ string) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		at := foreignKeyAt(def, name)
		if at < 0 {
			return sql.ErrForeignKeyNotFound.New(name, def.Name)
		}
		def.ForeignKeys = slices.Delete(slices.Clone(def.ForeignKeys), at, at+1)
		return nil
	})
}

// UpdateForeignKey implements sql.ForeignKeyTable.
func (t *alterable) UpdateForeignKey(ctx *sql.Context, name string, fk sql.ForeignKeyConstraint) error {
	return t.alter(ctx, func(def *catalog.TableDef) error {
		at := foreignKeyAt(def, name)
		if at < 0 {
			return sql.ErrForeignKeyNotFound.New(name, def.Name)
		}
		def.ForeignKeys = slices.Clone(def.ForeignKeys)
		def.ForeignKeys[at] = constraintDef(fk)
		return nil
	})
}
