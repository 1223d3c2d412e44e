package twopc

import (
	"errors"
	"fmt"

	"github.com/duramendb/duramen/commit/protocol/enginelog"
	"github.com/duramendb/duramen/commit/protocol/redo"
	"github.com/duramendb/duramen/engine"
)

// Kind is a kind of engine with a redo log before it. What Peek finds, and Open brings the engine to, is where it comes
// up from that log: the last mark of a commit record that the binary log was durable for.
type Kind struct {
	engine.Kind
	p     *Protocol
	index int
	// opened is the redo log, if it had to be opened before the engine.
	opened *redo.Log
}

var _ engine.Kind = (*Kind)(nil)

// preparedTxn is a transaction that is in the redo log.
type preparedTxn struct {
	changes    []byte
	catalog    bool
	segment    uint64 // of the redo log
	rolledBack bool
}

// contents is what a redo log holds since it was last begun.
type contents struct {
	prepared map[uint64]*preparedTxn
	commits  []*commitRecord
	log      enginelog.Contents // of the binary log
	there    bool               // the redo log has files
}

// read reads the redo log of an engine whose files are in a directory.
func (k *Kind) read(dir string) (*contents, error) {
	c := &contents{prepared: map[uint64]*preparedTxn{}}
	last, err := redo.Read(k.p.o.FS, RedoDir(dir), c.add)
	if errors.Is(err, redo.ErrCorrupt) || errors.Is(err, errRecord) {
		return nil, damaged{err}
	}
	c.there = last > 0
	return c, err
}

func (c *contents) add(r redo.Record) error {
	if taken, err := c.log.Add(r.Payload); taken || err != nil {
		return err
	}
	f := &fields{b: r.Payload}
	switch kind := f.byte(); kind {
	case recordPrepare:
		xid, txn, err := parsePrepare(f)
		if err != nil {
			return err
		}
		if c.prepared[xid] != nil {
			return fmt.Errorf("%w: transaction %d is prepared twice", errRecord, xid)
		}
		txn.segment = r.Segment
		c.prepared[xid] = txn
		return nil
	case recordCommit:
		commit, err := parseCommit(f)
		c.commits = append(c.commits, commit)
		return err
	case recordRollback:
		if txn := c.prepared[f.number()]; txn != nil {
			txn.rolledBack = true
		}
		return f.err()
	case recordBegin:
		*c = contents{prepared: map[uint64]*preparedTxn{}, log: c.log} // read has the rest
		return nil
	default:
		return fmt.Errorf("%w: kind %d", errRecord, kind)
	}
}

// mark is where the engine comes up, whose own files hold everything up to another mark.
func (c *contents) mark(durable engine.Mark) engine.Mark {
	for _, r := range c.commits {
		if r.durable && durable.Position.Before(r.mark.Position) {
			durable = r.mark
		}
	}
	return durable
}

// damaged is an error that is engine.ErrDamaged as well.
type damaged struct{ error }

func (d damaged) Is(target error) bool { return target == engine.ErrDamaged }
func (d damaged) Unwrap() error        { return d.error }

// Peek is that of the engine, and of its redo log.
func (k *Kind) Peek(o engine.Options, key []byte) (m engine.Mark, there bool, err error) {
	m, there, err = k.Kind.Peek(o, key)
	if err != nil {
		return m, there, err
	}
	c, err := k.read(o.Dir)
	if err == nil && !c.there && !m.Position.IsZero() { // it was there before the engine had anything
		err = damaged{fmt.Errorf("the redo log in %s is gone", RedoDir(o.Dir))}
	}
	if err != nil {
		return m, there, err
	}
	return c.mark(m), there, nil
}

// Open opens the engine and brings it to where Peek said. What is prepared beyond waits for Resolve.
func (k *Kind) Open(o engine.Options) (_ engine.Engine, err error) {
	c, err := k.read(o.Dir)
	if err != nil {
		return nil, err
	}
	inner, err := k.Kind.Open(o)
	if err != nil {
		return nil, err
	}
	e := &Engine{Engine: inner, p: k.p, prepared: c.prepared}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := e.redoCommitted(c); err != nil {
		return nil, err
	}
	if e.redo, k.opened = k.opened, nil; e.redo == nil {
		if e.redo, err = k.openRedo(o.Dir); err != nil {
			return nil, err
		}
	}
	k.p.engines[k.index] = e
	return e, nil
}

// openRedo opens the redo log of an engine whose files are in a directory.
func (k *Kind) openRedo(dir string) (*redo.Log, error) {
	if err := makeDir(k.p.o.FS, RedoDir(dir)); err != nil {
		return nil, err
	}
	return redo.Open(redo.Options{FS: k.p.o.FS, Dir: RedoDir(dir), SegmentBytes: k.p.o.SegmentBytes,
		NoPreallocate: k.p.o.NoPreallocate, Logger: k.p.o.Logger})
}
