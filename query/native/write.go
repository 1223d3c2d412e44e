package native

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/txn"
)

// write makes the plan of an INSERT, UPDATE or DELETE; error 1235 says that it is the fallback's.
func (b *binding) write(n tree.Statement, text string) (*Statement, error) {
	st := &Statement{session: b.Session, frame: b.frame, info: statement.Statement{Text: text, Kind: statement.Write, WaitSeconds: -1}}
	if bind.Assigned(n) != nil {
		return nil, bind.Refusal("a user variable that a change sets")
	}
	var err error
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
	if len(b.frame.Diag.Conditions) > 0 {
		return nil, bind.Refusal("a constant with a warning") // which may be an error, by when MariaDB computes it
	}
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
	src, err := b.source(n.Tables, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, privilege.Update) })
	if err != nil {
		return nil, err
	}
	return plan.CompileUpdate(b.binder, n, src)
}

func (b *binding) delete(n *tree.Delete, text string) (*plan.Write, error) {
	src, err := b.source(n.From, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, privilege.Delete) })
	if err != nil {
		return nil, err
	}
	avoid(src, b.cascaded(b.catalog(), src))
	return plan.CompileDelete(b.binder, n, src, text)
}

func (b *binding) insert(n *tree.Insert, text string) (*plan.Insert, error) {
	if err := plan.RefusedInsert(n); err != nil {
		return nil, err
	}
	which := insertNeeds(n.Replace, n.OnDuplicate != nil)
	src, err := b.table(n.Table, nil, nil, func(def *catalog.TableDef) privilege.Need { return needToWrite(def, which) })
	if err != nil {
		return nil, err
	}
	from, err := b.sourceOfQuery(n.Query)
	if err != nil {
		return nil, err
	}
	return plan.CompileInsert(b.binder, n, src, from, text)
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

// needToWrite is the privilege to change something of a table. To delete its rows is a privilege on all of it.
func needToWrite(def *catalog.TableDef, which privilege.Set) privilege.Need {
	need := privilege.NeedTable(privilege.TableName{DB: def.DB, Name: def.Name}, which)
	need.ByColumn = which == privilege.Insert || which == privilege.Update
	return need
}

// mayWrite asks for the privileges of a statement that changes rows: on the table, then those on each column that it assigns or reads.
func (st *Statement) mayWrite() error {
	rights := st.session.Rights()
	if rights.Everything() {
		return nil
	}
	def := st.plan.Source.Table.Def
	which := privilege.Update
	switch {
	case st.insert != nil:
		which = insertNeeds(st.insert.Replace, st.insert.OnDuplicate != nil)
	case st.write.Delete:
		which = privilege.Delete
	}
	needs := privilege.Needs{List: []privilege.Need{needToWrite(def, which)}}
	name := privilege.TableName{DB: def.DB, Name: def.Name}
	read := func(which privilege.Set, column int) {
		needs.Reads = append(needs.Reads, privilege.Read{Privilege: which, Column: def.Columns[column].Name, Levels: [][]privilege.TableName{{name}}})
	}
	reads := func(used map[int]bool) {
		for at := range def.Columns {
			if used[at] {
				read(privilege.Select, at)
			}
		}
	}
	changes, set := &plan.Changes{}, privilege.Update
	switch {
	case st.insert == nil:
		changes = &st.write.Changes
	case st.insert.OnDuplicate != nil:
		changes, set = st.insert.OnDuplicate, privilege.Select // the whole table may be updated
	case which == privilege.Insert:
		for _, at := range st.insert.Columns {
			read(privilege.Insert, at)
		}
	}
	for i := range changes.Sets {
		read(set, changes.Sets[i].Column)
		reads(changes.Sets[i].Reads)
	}
	if st.insert != nil {
		reads(st.insert.Reads)
	}
	reads(st.plan.Used)
	if st.insert != nil && st.insert.Query != nil {
		addReads(&needs, st.insert.Query)
	}
	return rights.Check(needs)
}

// runWrite runs a statement that changes rows, in the transaction that it belongs to.
func (st *Statement) runWrite(ctx context.Context, sink result.Sink, more bool) error {
	s := st.session
	return st.over(ctx, func(ctx context.Context) error {
		w := &writing{st: st, ctx: ctx}
		if st.plan.Items != nil {
			w.out = newOutput(st, sink, true)
		}
		if err := st.inTransaction(ctx, w); err != nil {
			return err
		}
		var ok result.OK
		if st.insert != nil {
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
	if !ok || f.lastInsertID == nil {
		return 0, false
	}
	return f.lastInsertID.id, f.lastInsertID.set
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
	if d.Rows > 1 || query {
		duplicates := d.Deleted + updated
		if query {
			duplicates = d.Deleted + d.Updated
		}
		if w.st.insert.Ignore {
			duplicates = d.Rows - d.Refused - copied
		}
		ok.Info = fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", d.Rows-d.Refused, duplicates, s.Warnings.Count())
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
func (w *writing) Sent() bool { return false }

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
		by := exec.Numbering{Increment: st.session.Vars.Uint("auto_increment_increment"), Offset: st.session.Vars.Uint("auto_increment_offset")}
		w.done, err = exec.Insert(w.ctx, st.insert, st.readsOfQuery(tx), st.frame, by, st.frame.Env.Mode.Strict(), emit)
		return err
	}
	w.counts, err = exec.Write(w.ctx, st.write, tx, st.frame, st.frame.Env.Mode.Strict(), emit)
	return err
}
