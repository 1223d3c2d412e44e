package crashtest

import (
	"fmt"

	"github.com/duramendb/duramen/commit/protocol/twopc"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/txn"
)

// With Config.Positions some transactions are those of a replica: of another server, in a domain that only one client applies, one
// after the other, with sequence numbers of their own. What the position tables of the engines say of such a domain is what the
// log says.

// replicaDomain is the first of those domains.
const replicaDomain = 100

// primaryID is the server that the transactions of replicas come from.
const primaryID = 77

// drawPosition chooses which engine keeps the table in this life.
func (l *lab) drawPosition() {
	if !l.cfg.Positions {
		return
	}
	choices := append([]string{store.PositionAuto, store.PositionAuto}, l.lasting()...)
	if len(l.cfg.Engines) == 0 {
		choices = append(choices, l.lsm.Name())
	}
	l.opts.PositionIn = choices[l.rng.IntN(len(choices))]
}

// replicate makes a transaction that is about to begin one of a replica, or not. It returns its sequence number.
func (w *worker) replicate(o *txn.Options) (seq uint64) {
	if !w.life.lab.cfg.Positions || w.rng.IntN(3) == 0 {
		return 0
	}
	o.Domain, o.ServerID, o.SkipBinlog = replicaDomain+uint32(w.id), primaryID, false
	last, _ := w.life.store.Log().StateClone().Last(o.Domain)
	return last.Seq + 1 + uint64(w.rng.IntN(2))
}

// verifyPositions compares the position tables with the log.
func (lf *life) verifyPositions() error {
	if !lf.lab.cfg.Positions {
		return nil
	}
	newest := map[uint32]twopc.Position{}
	for _, e := range lf.store.Engine().Engines() {
		rows, err := twopc.Positions(e)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if old, ok := newest[row.GTID.Domain]; !ok || old.SubID < row.SubID {
				newest[row.GTID.Domain] = row
			}
		}
	}
	lf.lab.stats.see("replication positions", len(newest))
	reset, err := gtid.ParseState(lf.lab.begun.state)
	if err != nil {
		return err
	}
	for _, g := range lf.store.Log().StateClone().List() {
		if g.Domain < replicaDomain {
			continue
		}
		if last, ok := reset.Last(g.Domain); ok && last == g {
			delete(newest, g.Domain) // nothing was committed since a RESET MASTER said what the log begins with
			continue
		}
		if got := newest[g.Domain].GTID; got != g {
			return fmt.Errorf("the replication position of domain %d is %s, but the log's last transaction there is %s", g.Domain, got, g)
		}
		delete(newest, g.Domain)
	}
	for _, row := range newest {
		if lf.lab.begun.first == 0 { // RESET MASTER takes nothing out of the tables
			return fmt.Errorf("there is a replication position, %s, of what the log does not have", row.GTID)
		}
	}
	return nil
}
