package twopc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
)

// ErrContradiction is wrapped by errors about a redo log and a binary log that do not belong together.
var ErrContradiction = errors.New("twopc: redo log and binary log contradict each other")

// The table by which undecided transactions are decided about. One side is what the engine's redo log has of a transaction, after
// the engine has come up: it holds all that was committed up to its mark. The other is the binary log after that mark.

// redoFact is what the redo log has of a transaction.
type redoFact int

const (
	nothing    redoFact = iota // no record
	undecided                  // a prepare record; no commit record that counts
	rolledBack                 // a prepare record and a rollback record
)

// logFact is what the binary log has of it.
type logFact int

const (
	absent  logFact = iota // no such XID
	touches                // it, with changes of this engine's tables, or of definitions
	foreign                // it, without
)

// verdict is what is done.
type verdict int

const (
	ignore verdict = iota
	commitIt
	rollBack
	refuse
)

// resolveRow is a row of the table.
type resolveRow struct {
	redo    redoFact
	log     logFact
	verdict verdict
	cause   string
}

// resolveTable has one row for each redo and log.
var resolveTable = []resolveRow{
	{undecided, touches, commitIt, "a crash after the log was synced and before the commit record was durable"},
	{undecided, foreign, commitIt, "the same, of a transaction that changed only a counter or other keys that the log does not name"},
	{undecided, absent, rollBack, "a crash between prepare and the sync of the log: nobody was told that it had committed"},
	{rolledBack, absent, ignore, "a full disk, or a refused sequence number, after prepare"},
	{rolledBack, touches, refuse, "files of another time: what the log has was never taken back"},
	{rolledBack, foreign, refuse, "files of another time: what the log has was never taken back"},
	{nothing, foreign, ignore, "a transaction of other engines"},
	{nothing, touches, refuse, "a redo log that was lost or replaced: what the log has was prepared before"},
	{nothing, absent, ignore, "nothing at all"},
}

func resolveRowFor(r redoFact, l logFact) *resolveRow {
	for i := range resolveTable {
		if resolveTable[i].redo == r && resolveTable[i].log == l {
			return &resolveTable[i]
		}
	}
	panic(fmt.Sprintf("twopc: no row for redo %d, log %d", r, l))
}

// Resolution says how an engine's undecided transactions are decided about.
type Resolution struct {
	Log    *binlog.Log
	Engine engine.Engine
	// Owns reports whether the engine holds a table; nil means all.
	Owns func(*catalog.TableDef) bool
	// Load reads the definitions that the engine holds.
	Load func() (*catalog.Snapshot, error)
}

// Resolved is what Resolve did.
type Resolved struct {
	Catalog   *catalog.Snapshot // at the end of the log
	State     *gtid.State
	Committed int // undecided ones that the log has
	Dropped   int // and those that it does not have
}

// applyBytes is the size of a batch that is applied.
const applyBytes = 4 << 20

// Resolve brings an engine from its mark to the end of the binary log.
func (p *Protocol) Resolve(ctx context.Context, r Resolution) (_ *Resolved, err error) {
	e, ok := r.Engine.(*Engine)
	if !ok {
		return nil, fmt.Errorf("twopc: %s has no redo log", r.Engine.Name())
	}
	mark := e.Applied()
	state, err := gtid.ParseState(gtid.StateText(mark.GTIDState))
	if err != nil {
		return nil, fmt.Errorf("GTID state in the mark of %s: %w", e.Name(), err)
	}
	from := mark.Position
	from.Segment = max(from.Segment, 1)
	reader, err := r.Log.NewReader(from)
	if err != nil {
		return nil, fmt.Errorf("resolve for %s from %s: %w", e.Name(), from, err)
	}
	v := &resolver{Resolution: r, e: e, to: newRedoer(e.Engine), mark: mark, state: state, scan: scanner{reader: reader}}
	defer func() {
		v.to.discard()
		err = errors.Join(err, reader.Close())
	}()
	if v.result.Catalog, err = r.Load(); err != nil {
		return nil, err
	}
	if err := v.run(ctx); err != nil {
		return nil, fmt.Errorf("resolve for %s: %w", e.Name(), err)
	}
	return &v.result, nil
}

type resolver struct {
	Resolution
	e      *Engine
	to     *redoer
	scan   scanner
	mark   engine.Mark // of what was read
	state  *gtid.State
	begun  uint64 // segment in which the engine's mark was
	result Resolved
}

func (v *resolver) run(ctx context.Context) error {
	v.begun = v.mark.Position.Segment
	moved := false
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		g, err := v.scan.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := v.checkpoint(); err != nil {
			return err
		}
		if g.gtid != (gtid.GTID{}) {
			v.state.Update(g.gtid)
		}
		v.mark, moved = engine.Mark{Position: g.end, GTIDState: v.state.String()}, true
		if err := v.group(g); err != nil {
			return fmt.Errorf("transaction %s that ends at %s: %w", g.gtid, g.end, err)
		}
		if v.to.size() >= applyBytes {
			if err := v.to.apply(v.mark); err != nil {
				return err
			}
			moved = false
		}
	}
	if err := v.checkpoint(); err != nil {
		return err
	}
	if moved {
		if err := v.to.apply(v.mark); err != nil {
			return err
		}
	}
	for _, txn := range v.e.prepared {
		fact := undecided
		if txn.rolledBack {
			fact = rolledBack
		}
		if resolveRowFor(fact, absent).verdict == rollBack {
			v.result.Dropped++
		}
	}
	v.result.State = v.state
	return nil
}

// checkpoint checks what the log says about the file that recovery has to begin with: the engine cannot need an earlier one.
func (v *resolver) checkpoint() error {
	n, ok := v.Log.SegmentByName(v.scan.checkpoint)
	if v.scan.checkpoint == "" || !ok || n <= max(v.begun, 1) {
		return nil
	}
	return fmt.Errorf("%w: the binary log says that recovery begins with %s, but the engine holds everything up to file number %d only",
		ErrContradiction, v.scan.checkpoint, v.begun)
}

// group decides about a transaction that is in the log.
func (v *resolver) group(g *group) error {
	redo, log := nothing, foreign
	txn := v.e.prepared[g.xid]
	switch {
	case txn != nil && txn.rolledBack:
		redo = rolledBack
	case txn != nil:
		redo = undecided
	}
	if v.touches(g) {
		log = touches
	}
	row := resolveRowFor(redo, log)
	switch row.verdict {
	case refuse:
		return fmt.Errorf("%w: %s", ErrContradiction, row.cause)
	case commitIt:
		delete(v.e.prepared, g.xid)
		v.result.Committed++
		if err := v.to.redo(txn); err != nil {
			return err
		}
	case ignore, rollBack:
	}
	if !g.catalog {
		return nil
	}
	// Later table maps are of the new definitions.
	if err := v.to.apply(v.mark); err != nil {
		return err
	}
	var err error
	v.result.Catalog, err = v.Load()
	return err
}

// touches reports whether a transaction has something for this engine.
func (v *resolver) touches(g *group) bool {
	if g.catalog || v.Owns == nil {
		return g.catalog || len(g.tables) > 0
	}
	for _, id := range g.tables {
		if t := v.result.Catalog.TableByID(uint32(id)); t != nil && v.Owns(t.Def) {
			return true
		}
	}
	return false
}

// redoCommitted applies what the commit records say, up to the last mark that counts.
func (e *Engine) redoCommitted(c *contents) error {
	durable := e.Engine.Durable()
	end := c.mark(durable)
	to := newRedoer(e.Engine)
	defer to.discard()
	for _, r := range c.commits {
		decided := !end.Position.Before(r.mark.Position)
		for _, xid := range r.xids {
			txn := c.prepared[xid]
			switch {
			case !decided:
				continue // the binary log decides
			case durable.Position.Before(r.mark.Position) && txn == nil:
				return damaged{fmt.Errorf("redo log of %s: transaction %d has committed, but is not prepared", e.Name(), xid)}
			case durable.Position.Before(r.mark.Position):
				if err := to.redo(txn); err != nil {
					return fmt.Errorf("redo log of %s: transaction %d: %w", e.Name(), xid, err)
				}
			}
			delete(c.prepared, xid)
		}
		if decided && len(r.xids) > 0 && to.size() >= applyBytes { // the mark of a binlog checkpoint may lie before
			if err := to.apply(r.mark); err != nil {
				return err
			}
		}
	}
	if end == durable {
		return nil
	}
	if err := to.apply(end); err != nil {
		return err
	}
	_, err := e.Engine.Checkpoint()
	return err
}
