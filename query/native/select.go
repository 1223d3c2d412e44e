package native

import (
	"context"
	"errors"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/exec"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/result/typed"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/txn"
)

// ErrStale says that a table of the statement was altered before it was locked. Nothing was sent: the statement has to be bound again, in the
// transaction that has the lock now, and which the caller ends.
var ErrStale = errors.New("table was altered while the statement was bound")

// runOverTable runs a SELECT that reads a table, in the transaction that it belongs to.
func (st *Statement) runOverTable(ctx context.Context, sink result.Sink, more bool) error {
	s := st.session
	return st.over(ctx, func(ctx context.Context) error {
		out := newOutput(st, sink, st.info.Locking || s.Serializable())
		a := st.attempt(ctx, out)
		err := out.toFile(func() error { return st.inTransaction(ctx, a) })
		if err == nil || st.into != nil && out.count > 0 {
			s.Rest.Selected(out.found())
		}
		if err != nil {
			return err
		}
		if st.returnsCount() {
			return out.sendCount(more)
		}
		return out.finish(s.EndStatus(more))
	})
}

// valueName is the name of the node of VALUE(column).
const valueName = "value"

// valueOfNothing is VALUE(column) of a SELECT, which inserts nothing: NULL.
func (b *binding) valueOfNothing(n *tree.ColumnRef) (*eval.Expr, error) {
	if b.binder.Column == nil {
		return nil, mysqlerr.New(mysqlerr.BadField, n.Name.Text, "SELECT")
	}
	x, err := b.binder.Column(n)
	if err != nil {
		return nil, err
	}
	if _, _, ok := x.Column(); !ok { // the name of another item
		return nil, mysqlerr.New(mysqlerr.BadField, "", "VALUES() function")
	}
	binary, _ := charset.SetByName("binary")
	t := types.StringType(0, binary.Default(), charset.Implicit, false).OrNull()
	t.Kind = types.Char
	return eval.New(valueName, t, func(*eval.Frame) ([]byte, bool) { return nil, true }, x), nil
}

// over runs a statement over a table, within the bounds of time and memory that the session has, if the account may.
func (st *Statement) over(ctx context.Context, run func(context.Context) error) error {
	s := st.session
	ctx, cancel := s.WithStatementTime(ctx)
	defer cancel()
	st.within(ctx)
	s.Warnings.Clear()
	s.Server.Status.Question(st.kind)
	defer s.Memory.End(s.Memory.Begin(s.MemoryLimit()))
	if err := st.may(); err != nil {
		return err
	}
	err := run(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // whatever error came of it
	}
	return err
}

// inTransaction makes the attempts, and ends the transaction if it is the statement's own.
func (st *Statement) inTransaction(ctx context.Context, attempts session.Attempts) error {
	s := st.session
	if err := st.mayChange(); err != nil {
		return err
	}
	if s.WritesTables(&st.info) {
		taken, err := s.BeginChange(ctx, st.info.Text)
		if err != nil {
			return err
		}
		if taken != nil {
			defer taken.Unlock()
		}
	}
	if st.info.WaitSeconds >= 0 {
		tx := s.EnsureTxn()
		tx.SetLockWaitTimeout(session.Seconds(uint64(st.info.WaitSeconds)))
		defer tx.SetLockWaitTimeout(session.Seconds(s.Vars.Value(session.VarLockWait)))
	}
	err := s.Attempt(ctx, s.Clock.Now(), &st.info, attempts)
	s.note(st.frame.Diag)
	if errors.Is(err, ErrStale) {
		return err // the transaction goes on, with the locks that it has waited for
	}
	if err != nil {
		s.EndIdle()
		return err
	}
	return s.EndStatementTransaction(ctx, &st.info)
}

// mayChange asks what forbids the statement, whatever the account may do.
func (st *Statement) mayChange() error {
	s := st.session
	if !st.changes() || !st.ofSession(st.plan.Source) { // a temporary table may be changed always
		if err := s.MayChange(&st.info); err != nil {
			return err
		}
	}
	return st.confine()
}

// confine asks whether LOCK TABLES has the tables.
func (st *Statement) confine() error {
	s := st.session
	if !s.Confined() {
		return nil
	}
	var refs []statement.Ref
	for i, src := range st.sources() {
		write := i == 0 && st.info.Tables[0].Strength == statement.Exclusive
		refs = append(refs, statement.Ref{DB: src.Table.Def.DB, Table: src.Table.Def.Name, Alias: src.Alias, Write: write})
	}
	return s.Confine(refs)
}

// attempt is one run of a statement; see session.Attempts.
type attempt struct {
	st  *Statement
	ctx context.Context //nolint:containedctx // of the running statement
	out *output
}

// attempt are the statement's attempts to send its rows to out.
func (st *Statement) attempt(ctx context.Context, out *output) *attempt {
	a := new(attempt)
	if st.running != nil {
		a = &st.running.attempt
	}
	*a = attempt{st, ctx, out}
	return a
}

// Begin implements session.Attempts.
func (a *attempt) Begin() {
	a.out.reset()
	a.st.beginAttempt()
}

// beginAttempt forgets what an earlier attempt has left in the frame.
func (st *Statement) beginAttempt() {
	st.restore()
	st.frame.Diag.Reset(st.bound)
	st.frame.State = nil
}

// Sent implements session.Attempts.
func (a *attempt) Sent() bool { return a.out.started }

// Run implements session.Attempts.
func (a *attempt) Run(tx *txn.Txn) error {
	st := a.st
	if err := st.lock(a.ctx, tx); err != nil {
		return err
	}
	reads := st.how(tx)
	reads.Found = &a.out.all
	if a.alone() && reads.Mode == txn.Snapshot {
		reads.Mode = txn.Alone
	}
	return st.selected(a.out, exec.Select(a.ctx, st.plan, reads, st.frame, a.out.row))
}

// alone reports whether the statement reads once, in a transaction of its own. What it computes reads nothing: nothing is kept of a statement that might.
func (a *attempt) alone() bool {
	p := a.st.plan
	return a.st.running != nil && (p.Access.Row != nil || p.Access.Index < 0 && len(p.Access.Spans) == 1) && !a.st.session.InTransaction()
}

// lock locks the definitions of the statement's tables, which must be those that it was bound to.
func (st *Statement) lock(ctx context.Context, tx *txn.Txn) error {
	if err := st.session.LockForStatement(ctx, tx, &st.info); err != nil {
		return err
	}
	for _, v := range st.views {
		if tx.Catalog().Object(v.Kind, v.DB, v.Name) != v {
			return ErrStale
		}
	}
	for _, src := range st.sources() {
		if st.temporary[src] != nil {
			continue
		}
		if table := src.Table.Table; tx.Catalog().TableByID(table.ID()) != table {
			return ErrStale
		}
	}
	return nil
}

// how is how the statement reads its table.
func (st *Statement) how(tx *txn.Txn) exec.Reads {
	r := exec.Reads{Rows: st.rows(st.plan.Source, tx)}
	use := st.info.Tables[0]
	switch {
	case use.Strength == statement.Exclusive:
		r.Mode = txn.LockExclusive
	case use.Strength == statement.Shared || st.session.Serializable():
		r.Mode = txn.LockShared
	}
	switch use.Wait {
	case statement.NoWait:
		r.Wait = txn.NoWait
	case statement.SkipLocked:
		r.Wait = txn.SkipLocked
	}
	return r
}

// output sends the rows of a result, or keeps them until the statement is final.
type output struct {
	st      *Statement
	sink    result.Sink
	holds   bool
	started bool // something was sent

	items   []item // as they are sent
	columns []result.Column
	values  *result.Values
	decs    []byte
	count   int64
	all     int64 // rows without LIMIT, see exec.Reads.Found
	held    [][]result.Value
	file    *fileOutput // which gets the rows instead
}

func newOutput(st *Statement, sink result.Sink, holds bool) *output {
	if r := st.running; r != nil {
		r.out = output{st: st, sink: sink, holds: holds, columns: r.columns, items: r.items, values: &r.values, decs: r.out.decs}
		r.values.Renew(r.columns)
		return &r.out
	}
	results := st.frame.Env.Results
	if st.file != nil {
		results = nil
	}
	o := &output{st: st, sink: sink, holds: holds, columns: st.described(results)}
	b := eval.Builder{Env: st.frame.Env, Scratch: st.frame}
	for _, item := range st.plan.Items {
		x := item.X
		if item.Shown != nil {
			x = item.Shown
		}
		o.items = append(o.items, newItem(b.ToClient(x, results)))
	}
	o.values = result.NewValues(o.columns)
	return o
}

func (o *output) reset() {
	o.count, o.held = 0, nil
	if o.file != nil {
		o.file.reset()
	}
}

// toFile runs a SELECT, with its file if it has one.
func (o *output) toFile(run func() error) error {
	if err := o.openFile(); err != nil {
		return err
	}
	err := run()
	if o.file != nil {
		err = o.file.close(err)
	}
	return err
}

// item is an expression that is shown. Integers and texts, which are most of what is shown, are computed without a value of all classes.
type item struct {
	*eval.Expr
	num              eval.Func[int64]
	text             eval.Func[[]byte]
	unsigned, binary bool
}

func newItem(x *eval.Expr) item {
	it := item{Expr: x, unsigned: x.Type.Unsigned, binary: x.Type.Binary()}
	switch k := x.Type.Kind; {
	case k.Integer():
		it.num = eval.Of[int64](x)
	case k.IsString():
		it.text = eval.Of[[]byte](x)
	}
	return it
}

// shown computes what is shown; see typed.Value for decs.
func (it *item) shown(f *eval.Frame, decs *[]byte) (v result.Value) {
	switch {
	case it.num != nil:
		n, null := it.num(f)
		if null {
			return result.Value{}
		}
		if it.unsigned {
			return result.Unsigned(uint64(n))
		}
		return result.Signed(n)
	case it.text != nil:
		text, null := it.text(f)
		if null {
			return result.Value{}
		}
		if it.binary {
			return result.Bytes(text)
		}
		return result.Text(text)
	}
	v, *decs = typed.Value(it.Type, it.Compute(f), *decs)
	return v
}

// row computes and sends the row that the frame shows.
func (o *output) row() error {
	f := o.st.frame
	if o.st.into != nil {
		return o.setVariables()
	}
	if o.file != nil {
		return o.file.row(o)
	}
	o.decs = o.decs[:0]
	size := int64(0)
	for i := range o.items {
		shown := o.items[i].shown(f, &o.decs)
		size += int64(len(shown.Raw()))
		if err := f.Diag.Failed(); err != nil {
			return err
		}
		o.values.Set(i, shown)
	}
	o.count++
	if o.holds {
		return o.keep()
	}
	if err := o.start(); err != nil {
		return err
	}
	if size <= longRow || f.Charge == nil {
		return o.sink.Row(o.values)
	}
	const growing = 2 // a packet has room for more than it has, or is copied
	err := f.Charge(growing * size)
	if err == nil {
		err = o.sink.Row(o.values)
	}
	_ = f.Charge(-growing * size) // refused or not: a session counts what it refuses until it is released
	return err
}

// longRow is the length in bytes of the texts of a row from which on the packet that has them is counted.
const longRow = 64 << 10

// found is what FOUND_ROWS() says: rows that LIMIT has left out before the first one count.
func (o *output) found() int64 {
	switch p := o.st.plan; {
	case o.st.returnsCount() && p.Source == nil && !p.CountAll:
		return 0
	case o.st.into != nil:
		return o.count // a second row is an error
	}
	return o.all
}

func (o *output) start() error {
	if o.started {
		return nil
	}
	o.started = true
	return o.sink.Columns(o.columns)
}

// heldBytes is what a value takes that is held, beside its bytes.
const heldBytes = 48

func (o *output) keep() error {
	row := make([]result.Value, len(o.items))
	size := int64(0)
	for i := range row {
		row[i] = o.values.Value(i).Clone()
		size += heldBytes + int64(len(row[i].Raw()))
	}
	o.held = append(o.held, row)
	return o.st.session.Memory.Hold(size)
}

// finish sends what was held, and the end.
func (o *output) finish(end result.Status) error {
	if err := o.start(); err != nil {
		return err
	}
	for _, row := range o.held {
		for i, v := range row {
			o.values.Set(i, v)
		}
		if err := o.sink.Row(o.values); err != nil {
			return err
		}
	}
	return o.sink.EndRows(end)
}
