package twopc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
)

// A replica of MariaDB keeps in a table, mysql.gtid_slave_pos, up to where it has applied its primary's log: a row that changes in every
// transaction that it applies, together with it. With Options.Position the engines have the same: a row for each replication
// domain. It is among the changes that are prepared, applied and redone, and last in log order counts, whichever
// prepared first: who redoes a transaction does so in log order.

// PositionIn says in which engine the row is.
type PositionIn struct {
	// Place of the engine in Kinds; it is one that keeps its files.
	Place int
	// Auto: in one that takes part in the transaction anyhow, as MariaDB does with gtid_pos_auto_engines; Place is for
	// transactions without one.
	Auto bool
}

// Position is a row of the table.
type Position struct {
	// SubID grows from one transaction to the next. Several engines may have a row for a domain; the largest counts.
	SubID uint64
	GTID  gtid.GTID
}

// errPosition is wrapped by errors about rows that are not as they were written.
var errPosition = errors.New("malformed replication position")

func (p Position) encode() []byte {
	b := binary.AppendUvarint(nil, p.SubID)
	b = binary.AppendUvarint(b, uint64(p.GTID.Server))
	return binary.AppendUvarint(b, p.GTID.Seq)
}

func decodePosition(domain, value []byte) (p Position, err error) {
	f := fields{b: value}
	p.SubID = f.number()
	server := f.number()
	p.GTID = gtid.GTID{Server: uint32(server), Seq: f.number()}
	if f.bad || len(f.b) > 0 || len(domain) != 4 || server > 1<<32-1 {
		return p, fmt.Errorf("%w: %x: %x", errPosition, domain, value)
	}
	p.GTID.Domain = binary.BigEndian.Uint32(domain)
	return p, nil
}

// Positions are the rows that an engine has, by domain.
func Positions(e engine.Engine) (rows []Position, err error) {
	it, err := e.NewIter(positionSpan())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		_, _, domain, _ := catalog.ParsePrefix(it.Key())
		p, err := decodePosition(domain, it.Value())
		if err != nil {
			return nil, err
		}
		rows = append(rows, p)
	}
	return rows, it.Error()
}

func positionSpan() (lower, upper []byte) {
	return catalog.IndexSpan(catalog.MetaTable, catalog.MetaPositions)
}

// startPositions is a part of Start: it goes on where the rows end. Rows that nobody keeps up to date any more are removed.
func (p *Protocol) startPositions() error {
	for _, e := range p.engines {
		if e == nil {
			continue
		}
		rows, err := Positions(e)
		if err != nil {
			return fmt.Errorf("replication positions in %s: %w", e.Name(), err)
		}
		if p.o.Position == nil && len(rows) > 0 {
			b := e.NewBatch()
			if err := b.DeleteRange(positionSpan()); err != nil {
				b.Discard()
				return err
			}
			if err := e.Apply(b, e.Applied()); err != nil {
				return err
			}
		}
		for _, row := range rows {
			p.subID.Store(max(p.subID.Load(), row.SubID))
		}
	}
	return nil
}

// position is the row that a transaction changes.
type position struct {
	key, value []byte
	place      int // of the engine
	// foreign: the engine takes part in the transaction because of the row only. alone: the transaction is in one engine otherwise.
	foreign, alone bool
}

// addPosition adds the row to the changes of a transaction that comes from another server.
func (f *flight) addPosition() error {
	p, req := f.p, &f.req
	if p.o.Position == nil || req.LocalOnly || req.Seq == 0 || req.ServerID == p.o.ServerID {
		return nil
	}
	row := Position{SubID: p.subID.Add(1), GTID: gtid.GTID{Domain: req.Domain, Server: req.ServerID, Seq: req.Seq}}
	f.position = &position{key: catalog.PositionKey(req.Domain), value: row.encode(), place: p.o.Position.Place}
	taking := 0
	for i := len(f.parts) - 1; i >= 0; i-- {
		if f.parts[i].changes == nil {
			continue
		}
		taking++
		if p.o.Position.Auto && p.engines[i] != nil {
			f.position.place = i // the first of them
		}
	}
	f.position.foreign = f.parts[f.position.place].changes == nil
	f.position.alone = f.position.foreign && taking == 1
	return f.batch(f.position.place).Set(f.position.key, f.position.value)
}

// countPosition counts a transaction that has committed.
func (f *flight) countPosition() {
	if f.position == nil || !f.position.foreign {
		return
	}
	f.p.foreign.Add(1)
	if f.position.alone {
		f.p.madeMulti.Add(1)
	}
}

// PositionStats count transactions since Start.
type PositionStats struct {
	// Foreign had their row in an engine that did not take part in them otherwise.
	Foreign uint64
	// MadeMulti are those of them that this has made transactions over several engines.
	MadeMulti uint64
}

// PositionStats are the counters.
func (p *Protocol) PositionStats() PositionStats {
	return PositionStats{Foreign: p.foreign.Load(), MadeMulti: p.madeMulti.Load()}
}
