package native

import (
	"context"
	"fmt"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/txn"
)

// overflowOfLiteral is the warning about a number that is written with more digits than a DECIMAL has.
const overflowOfLiteral = "Got overflow when converting '' to DECIMAL. Value truncated"

// write makes the plan of an INSERT, UPDATE or DELETE; error 1235 says that it is the fallback's.
func (b *binding) write(n tree.Statement, text string) (*Statement, error) {
	st := &Statement{session: b.Session, frame: b.frame, info: statement.Statement{Text: text, Kind: statement.Write, WaitSeconds: -1}}
	var err error
	if b.binder.Assigned = bind.Assigned(n); b.binder.Assigned != nil {
		st.assigned = b.assigned()
	}
	switch n := n.(type) {
	case *tree.Update:
		st.kind = status.Update
		st.write, err = b.update(n)
	case *tree.Delete:
		st.kind = status.Delete
		st.write, err = b.delete(n, text)
	case *tree.Insert:
		st.kind = status.Of(n)
		st.insert, err = b.insert(n, text)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range b.frame.Diag.Conditions[b.given:] {
		if c.Level == types.Note || c.Number == mysqlerr.DataOverflow && c.Message == overflowOfLiteral {
			continue
		}
		return nil, bind.Refusal("a constant with a warning") // which may be an error, by when MariaDB computes it
	}
	st.bound = len(b.frame.Diag.Conditions)
	st.temporary, st.views = b.temporary, b.views
	if st.insert != nil {
		st.plan = &plan.Select{Source: st.insert.Source, Items: st.insert.Returning, Used: st.insert.Used}
	} else {
		st.plan = st.write.Select
	}
	st.info.Result = st.plan.Items != nil
	def := st.plan.Source.Table.Def
	if what := st.trigger(b.catalog()); what != "" {
		return nil, bind.Refusal(what)
	}
	if err := st.withKeys(b.catalog()); err != nil {
		return nil, err
	}
	st.info.Tables = []statement.Use{{DB: def.DB, Name: def.Name, Strength: statement.Exclusive}}
	if st.insert != nil && st.insert.Query != nil {
		b.readsFor(st)
	}
	return st, nil
}

func (b *binding) update(n *tree.Update) (*plan.Write, error) {
	b.verb = "UPDATE"
	src, err := b.source(n.Tables, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, privilege.Update) })
	if err != nil {
		return nil, err
	}
	if src.View != nil {
		if n, err = updateOfView(n, src); err != nil {
			return nil, err
		}
	}
	b.lift(n, src)
	return plan.CompileUpdate(b.binder, n, src)
}

func (b *binding) delete(n *tree.Delete, text string) (*plan.Write, error) {
	b.verb = "DELETE"
	src, err := b.source(n.From, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, privilege.Delete) })
	if err != nil {
		return nil, err
	}
	if src.View != nil {
		if n, err = deleteOfView(n, src); err != nil {
			return nil, err
		}
	}
	avoid(src, b.cascaded(b.catalog(), src))
	b.lift(n, src)
	return plan.CompileDelete(b.binder, n, src, text)
}

func (b *binding) insert(n *tree.Insert, text string) (*plan.Insert, error) {
	which := insertNeeds(n.Replace, n.OnDuplicate != nil)
	b.verb = "INSERT"
	src, err := b.table(n.Table, nil, nil, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, which) })
	if err != nil {
		return nil, err
	}
	if err := b.partitioned(src, n.Partitions); err != nil {
		return nil, err
	}
	if n.Priority == tree.Delayed && n.Query == nil && n.OnDuplicate == nil { // others are not delayed
		return nil, b.delayed(src)
	}
	if b.verb = ""; src.View != nil {
		if n, err = b.insertIntoView(n, src); err != nil {
			return nil, err
		}
	}
	from, err := b.sourceOfQuery(n.Query)
	if err != nil {
		return nil, err
	}
	if from == nil {
		b.lift(n, src)
	}
	return plan.CompileInsert(b.binder, n, src, from, text, b.long)
}

// delayed is the error about INSERT DELAYED: of the engines that there are only MEMORY has it in MariaDB.
func (b *binding) delayed(src *plan.Source) error {
	def := src.Table.Def
	switch {
	case b.temporary[src] != nil, strings.EqualFold(def.Engine, "MEMORY"):
		return bind.Refusal("DELAYED")
	case b.Confined():
		return mysqlerr.New(mysqlerr.DelayedInsertTableLocked, def.Name)
	}
	return mysqlerr.New(mysqlerr.DelayedNotSupported, def.Name)
}

// insertNeeds are the privileges on the table of an INSERT.
func insertNeeds(replace, update bool) privilege.Set {
	which := privilege.Insert
	if replace {
		which |= privilege.Delete
	}
	if update {
		which |= privilege.Update
	}
	return which
}

// changes reports whether the statement changes rows.
func (st *Statement) changes() bool { return st.write != nil || st.insert != nil }

// needToWrite is the privilege to change something of a table. To delete its rows is a privilege on all of it, others may be on columns.
func needToWrite(def *catalog.TableDef, which privilege.Set) privilege.Need {
	need := privilege.NeedTable(privilege.TableName{DB: def.DB, Name: def.Name}, which)
	need.ByColumn = which != privilege.Delete
	return need
}

// columnNeeds collects the privileges on columns of a table.
type columnNeeds struct {
	privilege.Needs
	def *catalog.TableDef
}

// add needs each of some privileges on a column.
func (n *columnNeeds) add(which privilege.Set, column int) {
	if n.def.Columns[column].Name == "" {
		return // of a view that does not show it
	}
	levels := [][]privilege.TableName{{{DB: n.def.DB, Name: n.def.Name}}}
	which.Each(func(p privilege.Set) {
		n.Reads = append(n.Reads, privilege.Read{Privilege: p, Column: n.def.Columns[column].Name, Levels: levels})
	})
}

// addAll is add for several columns, in the table's order.
func (n *columnNeeds) addAll(which privilege.Set, columns map[int]bool) {
	for at := range n.def.Columns {
		if columns[at] {
			n.add(which, at)
		}
	}
}

// mayWrite asks for the privileges of a statement that changes rows: on the table, then those on each column that it assigns or reads.
func (st *Statement) mayWrite() error {
	if st.plan.Source.View == nil && st.session.everything() {
		return nil
	}
	rights := st.session.Rights()
	if v := st.plan.Source.View; v != nil {
		if err := rights.BelowView(v.DB, v.Name, st.uses()); err != nil {
			return err
		}
	}
	if rights.Everything() {
		return nil
	}
	if st.ofSession(st.plan.Source) {
		var needs privilege.Needs
		if st.insert != nil && st.insert.Query != nil {
			st.addReads(&needs, st.insert.Query)
		}
		return rights.Check(needs)
	}
	n := columnNeeds{def: needsOf(st.plan.Source)}
	switch {
	case st.insert != nil:
		st.needsOfInsert(&n)
	case st.write.Delete:
		n.Add(needToWrite(n.def, privilege.Delete))
		if err := st.mayReadView(n.def); err != nil {
			return err
		}
	default:
		n.Add(needToWrite(n.def, privilege.Update))
		for i := range st.write.Sets {
			n.add(privilege.Update, st.write.Sets[i].Column)
			n.addAll(privilege.Select, st.write.Sets[i].Reads)
		}
	}
	if st.insert == nil {
		n.addAll(privilege.Select, st.plan.Used)
	} else if st.insert.Query != nil {
		st.addReads(&n.Needs, st.insert.Query)
	}
	return rights.Check(n.Needs)
}

// mayReadView asks for the privilege to read what the conditions of a DELETE through a view name. Of an UPDATE MariaDB does not ask for it.
func (st *Statement) mayReadView(def *catalog.TableDef) error {
	v := st.plan.Source.View
	if v == nil {
		return nil
	}
	rights := st.session.Rights()
	if err := rights.Check(privilege.Needs{List: []privilege.Need{needToWrite(def, privilege.Delete)}}); err != nil {
		return err
	}
	for at := range def.Columns {
		if name := def.Columns[at].Name; name != "" && st.plan.Used[at] {
			if err := rights.MayReadColumn(v.DB, v.Name, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// uses are the privileges on the table of the statement.
func (st *Statement) uses() privilege.Set {
	switch {
	case st.insert != nil:
		return insertNeeds(st.insert.Replace, st.insert.OnDuplicate != nil)
	case st.write.Delete:
		return privilege.Delete
	}
	return privilege.Update
}

// needsOfInsert are those on the table of an INSERT. As in MariaDB each column that is named, and each that VALUES reads, needs all that the
// statement does to the table, SELECT for RETURNING among it; a column that ON DUPLICATE KEY UPDATE assigns needs SELECT, too.
func (st *Statement) needsOfInsert(n *columnNeeds) {
	p := st.insert
	n.Add(needToWrite(n.def, insertNeeds(p.Replace, p.OnDuplicate != nil)))
	n.addAll(privilege.Select, st.plan.Used) // of RETURNING
	given := privilege.Insert
	if p.OnDuplicate != nil {
		given |= privilege.Update
	}
	if p.Returning != nil {
		given |= privilege.Select
	}
	if p.All && (len(p.Columns) > 0 || p.Query != nil) {
		whole := privilege.Read{Privilege: privilege.Insert, Whole: true, Levels: [][]privilege.TableName{{{DB: n.def.DB, Name: n.def.Name}}}}
		n.Needs.Reads = append(n.Needs.Reads, whole)
	} else {
		for _, at := range p.Columns {
			n.add(given, at)
		}
	}
	n.addAll(given, p.Reads)
	if p.OnDuplicate == nil {
		return
	}
	for i := range p.OnDuplicate.Sets {
		n.addAll(privilege.Select, p.OnDuplicate.Sets[i].Reads)
		n.add(privilege.Select|privilege.Update, p.OnDuplicate.Sets[i].Column)
	}
}

// runWrite runs a statement that changes rows, in the transaction that it belongs to.
func (st *Statement) runWrite(ctx context.Context, sink result.Sink, more bool) error {
	s := st.session
	return st.over(ctx, func(ctx context.Context) error {
		w := &writing{st: st, ctx: ctx}
		if st.load != nil {
			st.insert.Each = func(do func([]plan.Cell) error) error { return st.each(ctx, sink, do) }
		}
		if st.plan.Items != nil {
			w.out = newOutput(st, sink, true)
		}
		if err := st.inTransaction(ctx, w); err != nil {
			return err
		}
		var ok result.OK
		if st.load != nil {
			ok = w.loaded()
		} else if st.insert != nil {
			ok = w.inserted()
		} else {
			ok = w.changed()
		}
		if w.out != nil {
			s.Rest.Returned()
			return w.out.finish(s.EndStatus(more))
		}
		s.Rest.Changed(ok.AffectedRows)
		return s.SendOK(sink, ok, more)
	})
}

// changed is what the client is told of an UPDATE or DELETE.
func (w *writing) changed() result.OK {
	s := w.st.session
	ok := result.OK{AffectedRows: w.counts.Changed}
	s.gone(w.counts.Gone)
	if w.st.write.Delete {
		s.Rest.Counted(w.st.plan.Source.Table.ID(), -int64(w.counts.Changed))
		return ok
	}
	if !w.counts.Nothing {
		ok.Info = fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: %d", w.counts.Matched, w.counts.Changed, s.Warnings.Count())
		if s.Info.Capabilities&mysql.CLIENT_FOUND_ROWS != 0 {
			ok.AffectedRows = w.counts.Matched
		}
	}
	ok.InsertID, _ = w.st.lastInsertID()
	return ok
}

// gone counts the rows that cascades have deleted, by their tables.
func (s Session) gone(rows map[uint32]int64) {
	for table, n := range rows {
		s.Rest.Counted(table, -n)
	}
}

// lastInsertID is what LAST_INSERT_ID(value) was given last in the statement.
func (st *Statement) lastInsertID() (id uint64, set bool) {
	f, ok := st.frame.Session.(functions)
	if !ok {
		return 0, false
	}
	return f.now.lastInsertID.id, f.now.lastInsertID.set
}

// inserted is what the client is told of an INSERT or REPLACE. LAST_INSERT_ID() is the first value that was made, and stays if none was.
func (w *writing) inserted() result.OK {
	s, d := w.st.session, &w.done
	updated := d.Updated
	if s.Info.Capabilities&mysql.CLIENT_FOUND_ROWS != 0 {
		updated = d.Found
	}
	query := w.st.insert.Query != nil
	copied := d.New + d.Updated + d.Same
	ok := result.OK{AffectedRows: copied + d.Deleted + updated, InsertID: d.Generated}
	set, isSet := w.st.lastInsertID()
	if d.Generated != 0 {
		s.Rest.SetLastInsertID(d.Generated)
	} else if isSet {
		ok.InsertID = set
	} else if query && d.New > 0 || !query && copied > 0 {
		ok.InsertID = d.Last
	}
	if query { // what FOUND_ROWS() says of it: none are found where no table is read
		found := d.Rows
		if w.st.insert.Query.Source == nil {
			found = 0
		}
		s.Rest.Found(int64(found))
	}
	if d.Rows > 1 || query {
		duplicates := d.Deleted + updated
		if query {
			duplicates = d.Deleted + d.Updated
		}
		if w.st.insert.Ignore {
			duplicates = d.Rows - d.Refused - copied
		}
		ok.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", d.Rows-d.Refused, duplicates, int(s.Warnings.Count())-w.st.cut())
	}
	s.Rest.Counted(w.st.plan.Source.Table.ID(), int64(d.New)-int64(d.Deleted))
	s.gone(d.Gone)
	return ok
}

// writing is one run of a statement that changes rows; see session.Attempts.
type writing struct {
	st     *Statement
	ctx    context.Context //nolint:containedctx // of the running statement
	counts exec.Counts     // of an UPDATE or DELETE
	done   exec.Inserted   // of an INSERT
	out    *output         // of RETURNING, else nil
}

// Begin implements session.Attempts.
func (w *writing) Begin() {
	if w.out != nil {
		w.out.reset()
	}
	w.st.beginAttempt()
}

// Sent implements session.Attempts.
func (w *writing) Sent() bool { return w.st.load != nil && w.st.load.opened }

// Run implements session.Attempts.
func (w *writing) Run(tx *txn.Txn) (err error) {
	st := w.st
	if err := st.lock(w.ctx, tx); err != nil {
		return err
	}
	if st.trigger(tx.Catalog()) != "" {
		return ErrStale
	}
	if err := st.lockKeys(w.ctx, tx); err != nil {
		return err
	}
	var emit func() error
	if w.out != nil {
		emit = w.out.row
	}
	if st.insert != nil {
		by := exec.Numbering{
			Increment: st.session.Vars.Uint("auto_increment_increment"), Offset: st.session.Vars.Uint("auto_increment_offset"),
			First: func() uint64 { return st.session.InsertID.Take(st.session.Vars) },
		}
		w.done, err = exec.Insert(w.ctx, st.insert, st.rows(st.plan.Source, tx), st.readsOfQuery(tx), st.frame, by, st.frame.Env.Mode.Strict(), emit)
		return err
	}
	w.counts, err = exec.Write(w.ctx, st.write, st.rows(st.plan.Source, tx), st.frame, st.frame.Env.Mode.Strict(), emit)
	return err
}

// cut is how many warnings say that LIMIT ROWS EXAMINED has left rows out: MariaDB adds that one after it has counted them.
func (st *Statement) cut() (n int) {
	for _, c := range st.frame.Diag.Conditions {
		if c.Number == mysqlerr.QueryResultIncomplete {
			n++
		}
	}
	return n
}
