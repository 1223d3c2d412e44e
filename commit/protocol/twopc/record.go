package twopc

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// The records of an engine's redo log: a byte that says which, then numbers as uvarints, and strings with their length.
const (
	// recordPrepare: xid, a byte of flags, changes (change.go).
	recordPrepare = 1
	// recordCommit: a byte of flags, the mark, how many xids, the xids in log order. The engine has applied them, and
	// whatever other engines had to apply up to the mark.
	recordCommit = 2
	// recordRollback: xid.
	recordRollback = 3
	// recordBegin: what stands before counts no more, because the engine holds all that was committed.
	recordBegin = 4
)

// flagCatalog, of recordPrepare: the transaction changes the catalog.
const flagCatalog = 1

// flagDurable, of recordCommit: the binary log was durable up to the mark. Without it the log decides.
const flagDurable = 1

// errRecord is wrapped by errors about records that are not as they were written.
var errRecord = errors.New("malformed redo record")

type commitRecord struct {
	mark    engine.Mark
	durable bool
	xids    []uint64
}

func appendCommit(dst []byte, c *commitRecord) []byte {
	flags := byte(0)
	if c.durable {
		flags = flagDurable
	}
	dst = append(dst, recordCommit, flags)
	dst = binary.AppendUvarint(dst, c.mark.Position.Segment)
	dst = binary.AppendUvarint(dst, c.mark.Position.Offset)
	dst = appendText(dst, c.mark.GTIDState)
	dst = binary.AppendUvarint(dst, uint64(len(c.xids)))
	for _, x := range c.xids {
		dst = binary.AppendUvarint(dst, x)
	}
	return dst
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// fields reads what is in a record, one field after the other; bad is set when there is none.
type fields struct {
	b   []byte
	bad bool
}

func (f *fields) byte() byte {
	if len(f.b) == 0 {
		f.bad = true
		return 0
	}
	c := f.b[0]
	f.b = f.b[1:]
	return c
}

func (f *fields) number() uint64 {
	n, used := binary.Uvarint(f.b)
	if used <= 0 {
		f.bad, f.b = true, nil
		return 0
	}
	f.b = f.b[used:]
	return n
}

func (f *fields) bytes() []byte {
	n := f.number()
	if n > uint64(len(f.b)) {
		f.bad, f.b = true, nil
		return nil
	}
	out := f.b[:n:n]
	f.b = f.b[n:]
	return out
}

func (f *fields) err() error {
	if f.bad {
		return errRecord
	}
	return nil
}

func parseCommit(f *fields) (*commitRecord, error) {
	c := &commitRecord{durable: f.byte()&flagDurable != 0}
	segment, offset := f.number(), f.number()
	c.mark = engine.Mark{Position: logpos.At(segment, offset), GTIDState: string(f.bytes())}
	n := f.number()
	if n > uint64(len(f.b)) {
		return nil, fmt.Errorf("%w: %d transactions in %d bytes", errRecord, n, len(f.b))
	}
	for range n {
		c.xids = append(c.xids, f.number())
	}
	return c, f.err()
}
