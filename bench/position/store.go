package position

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/bench/target"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// follower stands for Duramen as a replica: see the package comment.
type follower struct {
	store  *store.Store
	seq    uint64 // of the last transaction
	failed error  // what Options.Fatal got
}

// primaryID is the server that the transactions come from, in their GTIDs.
const primaryID = 2

// openFollower makes a store with the tables that the primary has, one in each engine.
func openFollower(ctx context.Context, o *Options, dir string, c Contender) (*follower, error) {
	relaxed, keeping := syncBinlog[c.Profile], followers[c.Position]
	f := &follower{}
	opts := store.Options{
		Dir: dir, ServerID: 1, SyncBinlog: &relaxed, Engines: []engine.Kind{lsm.Kind{CacheBytes: o.CacheBytes}, btree.Kind{}},
		CommitProtocol: keeping.protocol,
		Logger:         slog.New(slog.DiscardHandler), Fatal: func(err error) { f.failed = err },
	}
	if keeping.set != "" {
		opts.PositionIn = opts.Engines[indexOf(keeping.set)].Dir()
		if relaxed != 1 {
			opts.FS = withoutRedoSyncs{vfs.Default}
		}
	}
	var err error
	f.store, err = store.Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	for i, set := range sets {
		if err := f.fill(ctx, o, set, kindNames()[i]); err != nil {
			return f, err
		}
	}
	return f, nil
}

// kindNames are the names of the engines by set.
func kindNames() []string { return []string{lsm.Kind{}.Name(), btree.Kind{}.Name()} }

// fill creates a table and inserts its rows.
func (f *follower) fill(ctx context.Context, o *Options, set, engineName string) error {
	number := func(name string) catalog.ColumnDef {
		return catalog.ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: binaryCollation}
	}
	x := f.store.Txns().Begin(txn.Options{})
	def := &catalog.TableDef{
		ID: x.NewTableID(), DB: target.Database, Name: table(set), Engine: engineName,
		Columns: []catalog.ColumnDef{number("id"), number("k"), {
			Name: "c", SQLType: fmt.Sprintf("varbinary(%d)", textBytes), Type: mysql.MYSQL_TYPE_VARCHAR, Meta: textBytes, Collation: binaryCollation,
		}},
		Primary: []catalog.IndexPart{{Column: 0}}, NextIndexID: 1,
	}
	if err := x.ChangeCatalog(catalog.Change{Databases: []catalog.DatabaseDef{{Name: target.Database}}, Tables: []*catalog.TableDef{def}}); err != nil {
		return err
	}
	x.SetDDL(event.Query{Schema: target.Database, SQL: createTable(set, engineName)})
	if _, err := x.Commit(ctx); err != nil {
		return err
	}
	tbl := f.table(set)
	for first := 0; first < o.Rows; first += rowsPerInsert {
		x := f.store.Txns().Begin(txn.Options{})
		x.BeginStatement("INSERT", false)
		for id := first; id < min(first+rowsPerInsert, o.Rows); id++ {
			image, err := row.Encode(nil, tbl.Columns, []any{id, id, text("loaded", id)})
			if err != nil {
				return err
			}
			if err := x.Insert(ctx, tbl, image); err != nil {
				return err
			}
		}
		if _, err := x.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// binaryCollation is that of numbers and bytes.
const binaryCollation = 63

func (f *follower) table(set string) *catalog.Table {
	return f.store.Catalog().Current().Table(target.Database, table(set))
}

// apply makes the transactions, one after the other.
func (f *follower) apply(ctx context.Context, set string, transactions []transaction) (time.Duration, error) {
	tbl := f.table(set)
	started := time.Now()
	for i := range transactions {
		if err := f.applyOne(ctx, tbl, &transactions[i]); err != nil {
			return 0, fmt.Errorf("transaction %d: %w", i+1, err)
		}
	}
	return time.Since(started), f.failed
}

func (f *follower) applyOne(ctx context.Context, tbl *catalog.Table, t *transaction) error {
	f.seq++
	x := f.store.Txns().Begin(txn.Options{ServerID: primaryID})
	defer x.Rollback() // nothing, after Commit
	x.SetSeqNo(f.seq, false)
	x.BeginStatement(t.statement, true)
	key, err := tbl.PrimaryKey(nil, t.after)
	if err != nil {
		return err
	}
	before, found, err := x.Get(ctx, tbl, key, txn.LockExclusive, txn.Wait)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s has no such row", tbl.Def.Name)
	}
	if err := x.Update(ctx, tbl, key, before, t.after); err != nil {
		return err
	}
	x.EndStatement()
	_, err = x.Commit(ctx)
	return err
}

func (f *follower) close() error { return f.store.Close() }
