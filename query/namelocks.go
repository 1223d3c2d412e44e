package query

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/txn"
)

// lockNames takes the metadata locks of everything that a statement names, the databases before what is in them.
//
// A statement that makes, drops or renames something in a database, or changes its definition, locks the database's
// name in shared mode, and one about the database itself in exclusive mode. So nothing comes into a database
// between the look at what is in it and the commit of DROP DATABASE, and CREATE TABLE and ALTER DATABASE
// are in the log in the order in which the one has seen the other's default character set.
func lockNames(ctx context.Context, s *Session, tx *txn.Txn, st *statement) error {
	if st.kind == kindDDL {
		if err := lockDatabases(ctx, s, tx, st); err != nil {
			return err
		}
	}
	return s.lockForStatement(ctx, tx, st)
}

func lockDatabases(ctx context.Context, s *Session, tx *txn.Txn, st *statement) error {
	if d, ok := st.ast.(*sqlparser.DBDDL); ok {
		db := d.DBName
		if db == "" {
			db = s.DB() // ALTER DATABASE without a name
		}
		if virtualDatabase(db) {
			return nil
		}
		if err := tx.LockDatabase(ctx, db, txn.Exclusive); err != nil {
			return err
		}
		if d.Action == sqlparser.DropStr {
			return s.lockForStatement(ctx, tx, contentOf(tx, db))
		}
		return nil
	}
	objects := objectsOf(st.ast)
	var databases []string
	add := func(db string) {
		if db == "" {
			db = s.DB()
		}
		if db != "" && !virtualDatabase(db) && !slices.ContainsFunc(databases, func(have string) bool { return strings.EqualFold(have, db) }) {
			databases = append(databases, db)
		}
	}
	for _, t := range st.tables {
		if t.strength == readExclusive && !st.temporary {
			add(t.db)
		}
	}
	for _, o := range objects {
		add(o.db)
	}
	mode := txn.IntentExclusive
	for _, o := range objects {
		if o.kind == "trigger" {
			mode = txn.Exclusive // DROP TRIGGER does not name the table, whose DROP takes the trigger with it
		}
	}
	for _, db := range databases {
		if err := tx.LockDatabase(ctx, db, mode); err != nil {
			return err
		}
	}
	for _, o := range objects {
		db := o.db
		if db == "" {
			db = s.DB()
		}
		if err := tx.LockObject(ctx, o.kind, db, o.name, txn.Exclusive); err != nil {
			return err
		}
	}
	return nil
}

// contentOf is a definition of all tables and views of a database, which DROP DATABASE waits for.
func contentOf(tx *txn.Txn, db string) *statement {
	st := &statement{kind: kindDDL}
	cat := tx.Catalog()
	for _, t := range cat.Tables(db) {
		st.tables = append(st.tables, tableUse{db: db, name: t.Def.Name, strength: readExclusive})
	}
	for _, v := range cat.Objects("view", db) {
		st.tables = append(st.tables, tableUse{db: db, name: v.Name, strength: readExclusive})
	}
	return st
}

// objectUse is a routine, trigger or event that a definition names.
type objectUse struct{ kind, db, name string }

func objectsOf(ast sqlparser.Statement) []objectUse {
	d, ok := ast.(*sqlparser.DDL)
	if !ok {
		return nil
	}
	var uses []objectUse
	if p := d.ProcedureSpec; p != nil {
		uses = append(uses, objectUse{"procedure", p.ProcName.Qualifier.String(), p.ProcName.Name.Lowered()})
	}
	if t := d.TriggerSpec; t != nil {
		uses = append(uses, objectUse{"trigger", t.TrigName.Qualifier.String(), t.TrigName.Name.Lowered()})
	}
	if e := d.EventSpec; e != nil {
		uses = append(uses, objectUse{"event", e.EventName.Qualifier.String(), e.EventName.Name.Lowered()})
		if !e.RenameName.IsEmpty() {
			uses = append(uses, objectUse{"event", e.RenameName.Qualifier.String(), e.RenameName.Name.Lowered()})
		}
	}
	return uses
}
