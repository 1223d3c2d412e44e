package tables

import (
	"fmt"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/relation"
	"github.com/duramendb/duramen/txn"
)

// Provider finds databases in the catalog version that the session's
// transaction sees. It is safe for concurrent use.
type Provider struct {
	engines    *engines.List
	versions   versions
	references references
	counts     rowCounts
}

var _ sql.CollatedDatabaseProvider = (*Provider)(nil)

// NewProvider makes the provider of a server with these storage engines.
func NewProvider(all *engines.List) *Provider { return &Provider{engines: all} }

// txnOf is the transaction of the statement that a context belongs to.
func txnOf(ctx *sql.Context) (*txn.Txn, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return nil, err
	}
	return s.Txn(ctx)
}

// catalogOf is the catalog version that the statement sees.
func catalogOf(ctx *sql.Context) (*catalog.Snapshot, error) {
	tx, err := txnOf(ctx)
	if err != nil {
		return nil, err
	}
	return tx.Catalog(), nil
}

// CatalogOf is the catalog version that the statement of a context sees.
func CatalogOf(ctx *sql.Context) (*catalog.Snapshot, error) { return catalogOf(ctx) }

// change adds a change of the catalog to the session's transaction.
func change(ctx *sql.Context, c catalog.Change) error {
	tx, err := txnOf(ctx)
	if err != nil {
		return err
	}
	for _, def := range c.Tables {
		if err := checkAlone(def); err != nil {
			return err
		}
	}
	return tx.ChangeCatalog(c)
}

// Database implements sql.DatabaseProvider. The SQL engine asks with small letters, too; that a statement names the database as it is called is seen before.
func (p *Provider) Database(ctx *sql.Context, name string) (sql.Database, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	def := cat.DatabaseLike(name)
	if def == nil {
		return nil, sql.ErrDatabaseNotFound.New(name)
	}
	return &Database{p: p, def: def}, nil
}

// HasDatabase implements sql.DatabaseProvider.
func (p *Provider) HasDatabase(ctx *sql.Context, name string) bool {
	cat, err := catalogOf(ctx)
	return err == nil && cat.DatabaseLike(name) != nil
}

// AllDatabases implements sql.DatabaseProvider.
func (p *Provider) AllDatabases(ctx *sql.Context) []sql.Database {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil
	}
	defs := cat.Databases()
	dbs := make([]sql.Database, len(defs))
	for i, def := range defs {
		dbs[i] = &Database{p: p, def: def}
	}
	return dbs
}

// CreateDatabase implements sql.MutableDatabaseProvider.
func (p *Provider) CreateDatabase(ctx *sql.Context, name string) error {
	coll := sql.CollationID(collation.Default)
	if v, err := ctx.GetSessionVariable(ctx, "collation_server"); err == nil {
		if s, ok := v.(string); ok {
			coll = relation.CollationOf(s)
		}
	}
	return p.CreateCollatedDatabase(ctx, name, coll)
}

// CreateCollatedDatabase implements sql.CollatedDatabaseProvider.
func (p *Provider) CreateCollatedDatabase(ctx *sql.Context, name string, coll sql.CollationID) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if other := cat.DatabaseLike(name); other != nil && other.Name != name {
		return existing(name, other.Name)
	} else if other != nil {
		return sql.ErrDatabaseExists.New(name)
	}
	if coll == sql.Collation_Unspecified {
		coll = sql.CollationID(collation.Default)
	}
	return change(ctx, catalog.Change{Databases: []catalog.DatabaseDef{{Name: name, Collation: coll.Name()}}})
}

// DropDatabase implements sql.MutableDatabaseProvider. Everything in the
// database goes with it.
func (p *Provider) DropDatabase(ctx *sql.Context, name string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	def := cat.DatabaseLike(name)
	if def == nil {
		return sql.ErrDatabaseNotFound.New(name)
	}
	c := catalog.Change{DropDatabases: []string{def.Name}}
	for _, t := range cat.Tables(def.Name) {
		if err := lockTable(ctx, t.Def.DB, t.Def.Name, true); err != nil {
			return err
		}
		if err := checkNotReferenced(ctx, cat, t, def.Name); err != nil {
			return err
		}
		c.DropTables = append(c.DropTables, t.ID())
		p.forget(t.ID())
	}
	for _, kind := range objectKinds {
		for _, o := range cat.Objects(kind, def.Name) {
			c.DropObjects = append(c.DropObjects, catalog.ObjectKey{Kind: kind, DB: o.DB, Name: o.Name})
		}
	}
	return change(ctx, c)
}

// forget drops what is kept about a table that is gone.
func (p *Provider) forget(table uint32) {
	p.versions.forget(table)
	p.counts.byID.Delete(table)
}

// checkNotReferenced refuses to drop a table that tables of other databases
// reference, as MariaDB does while foreign_key_checks is on.
func checkNotReferenced(ctx *sql.Context, cat *catalog.Snapshot, t *catalog.Table, except string) error {
	if !foreignKeyChecks(ctx) {
		return nil
	}
	for _, other := range cat.AllTables() {
		if strings.EqualFold(other.Def.DB, except) {
			continue
		}
		for _, fk := range other.Def.ForeignKeys {
			if strings.EqualFold(fk.ParentDB, t.Def.DB) && strings.EqualFold(fk.ParentTable, t.Def.Name) {
				return sql.ErrForeignKeyDropTable.New(t.Def.Name, fk.Name)
			}
		}
	}
	return nil
}

func foreignKeyChecks(ctx *sql.Context) bool {
	v, err := ctx.GetSessionVariable(ctx, "foreign_key_checks")
	if err != nil {
		return true
	}
	on, err := sql.ConvertToBool(ctx, v)
	return err != nil || on
}

// lockMode is the strength of a metadata lock.
func lockMode(exclusive bool) txn.LockMode {
	if exclusive {
		return txn.Exclusive
	}
	return txn.IntentShared
}

// lockTable takes the table's metadata lock for the rest of the transaction.
func lockTable(ctx *sql.Context, db, name string, exclusive bool) error {
	s, err := sessionOf(ctx)
	if err != nil {
		return err
	}
	tx, err := s.Txn(ctx)
	if err != nil {
		return err
	}
	if err := tx.LockTable(ctx, db, name, lockMode(exclusive)); err != nil {
		return fmt.Errorf("metadata lock on %s.%s: %w", db, name, err)
	}
	return nil
}
