package native

import (
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/txn"
)

// Tables are the versions of tables that statements have used. The zero value is ready for use by many at once.
type Tables struct {
	mu   sync.RWMutex
	byID map[uint32]*relation.Table

	related atomic.Pointer[related]
}

// tablesMost bounds how many there are: tables that were dropped are forgotten with all others.
const tablesMost = 4096

func (t *Tables) of(tbl *catalog.Table) *relation.Table {
	t.mu.RLock()
	known := t.byID[tbl.ID()]
	t.mu.RUnlock()
	if known != nil && known.Table == tbl {
		return known
	}
	made := relation.Of(tbl)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil || len(t.byID) >= tablesMost {
		t.byID = map[uint32]*relation.Table{}
	}
	t.byID[tbl.ID()] = made
	return made
}

// source is the table of a FROM clause, on which the user must have a privilege. What is not one table that this server keeps is refused.
func (b *binding) source(from []tree.TableRef, need func(*catalog.TableDef) privilege.Need) (*plan.Source, error) {
	n, ok := from[0].(*tree.Table)
	if len(from) != 1 || !ok || n.Time != nil {
		return nil, bind.Refusal("this FROM clause")
	}
	src, err := b.table(n.Name, n.Alias, n.Hints, need)
	if err != nil {
		return nil, err
	}
	return src, b.partitioned(src, n.Partitions)
}

// table is a table by its name.
func (b *binding) table(
	name *tree.TableName, alias *tree.Ident, hints []*tree.IndexHint, need func(*catalog.TableDef) privilege.Need,
) (*plan.Source, error) {
	db := name.DB.Text
	if db == "" {
		db = b.DB()
	}
	if db == "" || session.VirtualDatabase(db) {
		return nil, bind.Refusal("this table")
	}
	tbl, temporary := b.Temp.Table(db, name.Name.Text)
	if tbl == nil {
		tbl = b.catalog().Table(db, name.Name.Text)
	}
	if tbl == nil && b.verb != "" && b.catalog().Object("view", db, name.Name.Text) != nil {
		if hints != nil {
			return nil, bind.Refusal("hints on a view")
		}
		return b.throughView(db, name.Name.Text, alias, b.verb, need)
	}
	if tbl == nil {
		src, err := b.numbers(db, name.Name.Text, alias, hints, need)
		if src == nil && err == nil {
			err = b.missing(db, name.Name.Text, need)
		}
		return src, err
	}
	if rights := b.Rights(); !rights.Everything() && temporary == nil { // who has made a temporary table may do everything with it
		if err := rights.Check(privilege.Needs{List: []privilege.Need{need(tbl.Def)}}); err != nil {
			return nil, err
		}
	}
	src := &plan.Source{Table: b.Tables.of(tbl), Alias: tbl.Def.Name, CurrentDB: b.DB(), Unchecked: !b.Vars.On("check_constraint_checks")}
	if alias != nil {
		src.Alias = alias.Text
	}
	if temporary != nil {
		b.apart(src, temporary)
	}
	b.named, b.need = append(b.named, src), need
	return src, hinted(src, hints)
}

// apart notes that the rows of a table are not in the store.
func (b *binding) apart(src *plan.Source, rows txn.Rows) {
	if b.temporary == nil {
		b.temporary = map[*plan.Source]txn.Rows{}
	}
	b.temporary[src] = rows
}

// missing is the error about a table that is not there, on which the user must have a privilege.
func (b *binding) missing(db, name string, need func(*catalog.TableDef) privilege.Need) error {
	switch {
	case b.Confined():
		return bind.Refusal("a table that LOCK TABLES does not name, and that is not there")
	case utf8.RuneCountInString(db) > nameMost:
		return mysqlerr.New(mysqlerr.WrongDBName, db)
	case utf8.RuneCountInString(name) > nameMost:
		return mysqlerr.New(mysqlerr.WrongTableName, name)
	}
	if rights := b.Rights(); !rights.Everything() {
		if err := rights.Check(privilege.Needs{List: []privilege.Need{need(&catalog.TableDef{DB: db, Name: name})}}); err != nil {
			return err
		}
	}
	return mysqlerr.New(mysqlerr.NoSuchTable, db, name)
}

// numbers is a table of numbers by its name, like seq_1_to_10; nil if the name is of none.
func (b *binding) numbers(
	db, name string, alias *tree.Ident, hints []*tree.IndexHint, need func(*catalog.TableDef) privilege.Need,
) (*plan.Source, error) {
	if b.catalog().Object("view", db, name) != nil {
		return nil, bind.Refusal("a view")
	}
	table, rows, descending, err := exec.NumbersNamed(db, name)
	switch {
	case err != nil:
		return nil, err
	case table == nil:
		return nil, nil //nolint:nilnil // it is no such name
	}
	if rights := b.Rights(); !rights.Everything() {
		if err := rights.Check(privilege.Needs{List: []privilege.Need{need(table.Def)}}); err != nil {
			return nil, err
		}
	}
	src := &plan.Source{Table: table, Alias: name, CurrentDB: b.DB(), Descending: descending, Counted: true}
	if alias != nil {
		src.Alias = alias.Text
	}
	b.apart(src, rows)
	return src, hinted(src, hints)
}

// ofSession reports whether a table is a temporary one, which the session may read and change whatever its privileges.
func (st *Statement) ofSession(src *plan.Source) bool {
	rows := st.temporary[src]
	_, numbers := rows.(*exec.Numbers)
	return rows != nil && !numbers
}

// catalog is what the session sees of the catalog.
func (s Session) catalog() *catalog.Snapshot {
	if s.Tx != nil {
		return s.Tx.Catalog()
	}
	return s.Server.Store.Catalog().Current()
}

// hinted notes which indexes the hints forbid: those of IGNORE INDEX, and those that no other hint names. -1 is the primary key. What hints say of
// the order only changes no row.
func hinted(src *plan.Source, hints []*tree.IndexHint) error {
	var used map[int]bool
	ignored := map[int]bool{}
	for _, h := range hints {
		named := ignored
		switch {
		case h.For == tree.ForOrderBy || h.For == tree.ForGroupBy:
			named = map[int]bool{}
		case h.Kind != tree.IgnoreIndex:
			if used == nil {
				used = map[int]bool{}
			}
			named = used
		}
		for _, name := range h.Indexes {
			at := src.Table.IndexByName(name.Text)
			if strings.EqualFold(name.Text, "PRIMARY") && !src.Table.Keyless() {
				at = -1
			} else if at < 0 {
				return mysqlerr.New(mysqlerr.KeyDoesNotExist, name.Text, src.Alias)
			}
			named[at] = true
		}
	}
	for i := -1; used != nil && i < len(src.Table.Indexes); i++ {
		ignored[i] = ignored[i] || !used[i]
	}
	src.Ignored = ignored
	return nil
}

// reads completes what is known of a statement that reads a table: how, and with which privileges.
func (b *binding) reads(st *Statement, n *tree.Select) {
	def := st.plan.Source.Table.Def
	use := statement.Use{DB: def.DB, Name: def.Name}
	if l := n.Lock; l != nil {
		st.info.Locking = true
		use.Strength = statement.Exclusive
		if l.Share {
			use.Strength = statement.Shared
		}
		if w := l.Wait; w != nil {
			switch {
			case w.SkipLocked:
				use.Wait = statement.SkipLocked
			case w.NoWait:
				use.Wait = statement.NoWait
			default:
				st.info.WaitSeconds = int(min(w.Seconds, 1<<30))
			}
		}
	}
	st.info.Tables = []statement.Use{use}
}

// may asks for the privileges of a statement.
func (st *Statement) may() error {
	switch {
	case st.changes():
		return st.mayWrite()
	case st.plan != nil && st.plan.Source != nil:
		return st.mayRead()
	}
	return nil
}

// mayRead asks for the privileges of a statement: one on something of the table, then one on each column that is read.
func (st *Statement) mayRead() error {
	if src := st.plan.Source; src != nil && src.View != nil {
		return st.mayReadThrough(src.View)
	}
	if st.session.everything() {
		return nil
	}
	var needs privilege.Needs
	st.addReads(&needs, st.plan)
	return st.session.Rights().Check(needs)
}

// rows are those of a table of the statement.
func (st *Statement) rows(src *plan.Source, tx *txn.Txn) txn.Rows {
	if rows := st.temporary[src]; rows != nil {
		return rows
	}
	return tx
}

// addReads adds what is needed to read the rows of a plan: nothing if it has no table, or a temporary one.
func (st *Statement) addReads(needs *privilege.Needs, p *plan.Select) {
	if p.Source == nil || st.ofSession(p.Source) {
		return
	}
	def := p.Source.Table.Def
	name := privilege.TableName{DB: def.DB, Name: def.Name}
	needs.List = append(needs.List, needToRead(def))
	if p.Star {
		needs.Reads = append(needs.Reads, privilege.Read{Privilege: privilege.Select, Whole: true, Levels: [][]privilege.TableName{{name}}})
	}
	for at := range def.Columns {
		if p.Used[at] {
			needs.Reads = append(needs.Reads, privilege.Read{
				Privilege: privilege.Select, Column: def.Columns[at].Name, Levels: [][]privilege.TableName{{name}},
			})
		}
	}
}

// needToRead is the privilege to read something of a table.
func needToRead(def *catalog.TableDef) privilege.Need {
	need := privilege.NeedTable(privilege.TableName{DB: def.DB, Name: def.Name}, privilege.Select)
	need.ByColumn = true
	return need
}
