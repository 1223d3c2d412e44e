package gms

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// lockNames takes the metadata locks of everything that a statement names, the databases before what is in them.
//
// A statement that makes, drops or renames something in a database, or changes its definition, locks the database's
// name in shared mode, and one about the database itself in exclusive mode. So nothing comes into a database
// between the look at what is in it and the commit of DROP DATABASE, and CREATE TABLE and ALTER DATABASE
// are in the log in the order in which the one has seen the other's default character set.
func lockNames(ctx context.Context, s *Session, tx *txn.Txn, st *syntax.Statement) error {
	if st.Kind == statement.Definition {
		if err := lockDatabases(ctx, s, tx, st); err != nil {
			return err
		}
	}
	return s.LockForStatement(ctx, tx, &st.Statement)
}

func lockDatabases(ctx context.Context, s *Session, tx *txn.Txn, st *syntax.Statement) error {
	if d, ok := st.AST.(*sqlparser.DBDDL); ok {
		db := d.DBName
		if db == "" {
			db = s.DB() // ALTER DATABASE without a name
		}
		if session.VirtualDatabase(db) {
			return nil
		}
		if err := tx.LockDatabase(ctx, db, txn.Exclusive); err != nil {
			return err
		}
		if d.Action == sqlparser.DropStr || st.Before != nil {
			return s.LockForStatement(ctx, tx, contentOf(tx, db))
		}
		return nil
	}
	objects := st.Objects
	var databases []string
	add := func(db string) {
		if db == "" {
			db = s.DB()
		}
		if db != "" && !session.VirtualDatabase(db) && !slices.ContainsFunc(databases, func(have string) bool { return strings.EqualFold(have, db) }) {
			databases = append(databases, db)
		}
	}
	for _, t := range st.Tables {
		if t.Strength == statement.Exclusive && !st.Temporary {
			add(t.DB)
		}
	}
	for _, o := range objects {
		add(o.DB)
	}
	mode := txn.IntentExclusive
	for _, o := range objects {
		if o.Kind == "trigger" {
			mode = txn.Exclusive // DROP TRIGGER does not name the table, whose DROP takes the trigger with it
		}
	}
	for _, db := range databases {
		if err := tx.LockDatabase(ctx, db, mode); err != nil {
			return err
		}
	}
	for _, o := range objects {
		db := o.DB
		if db == "" {
			db = s.DB()
		}
		if err := tx.LockObject(ctx, o.Kind, db, o.Name, txn.Exclusive); err != nil {
			return err
		}
	}
	return nil
}

// contentOf is a definition of all tables and views of a database, which DROP DATABASE waits for.
func contentOf(tx *txn.Txn, db string) *statement.Statement {
	st := &statement.Statement{Kind: statement.Definition}
	cat := tx.Catalog()
	for _, t := range cat.Tables(db) {
		st.Tables = append(st.Tables, statement.Use{DB: db, Name: t.Def.Name, Strength: statement.Exclusive})
	}
	for _, v := range cat.Objects("view", db) {
		st.Tables = append(st.Tables, statement.Use{DB: db, Name: v.Name, Strength: statement.Exclusive})
	}
	return st
}
