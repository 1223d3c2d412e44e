package txn

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/txn/spill"
)

// place decides how the transaction is handed to the committer: as bytes, or, if
// it is a large one, as a file of events and an import. head is what precedes the events of
// the log.
func (t *Txn) place(r *CommitRequest, head []byte) error {
	l := &t.log
	if l.file != nil {
		t.m.spills.diskUses.Add(1)
	}
	big := t.mu.writes.big
	large := l.newFile != nil && (big != nil || int64(l.end()) > t.m.sizes.threshold.Load())
	switch {
	case !large && l.file == nil && head == nil:
		r.Events = l.buf
		return nil
	case !large && l.file == nil:
		r.Events = append(head, l.buf...)
		return nil
	case !large:
		events := make([]byte, len(head)+l.end())
		n := copy(events, head)
		if err := l.file.ReadAt(events[n:n+l.base], 0); err != nil {
			return fmt.Errorf("read back the events of a transaction: %w", err)
		}
		copy(events[n+l.base:], l.buf)
		r.Events = events
		return nil
	}
	t.m.spills.large.Add(1)
	if err := l.openFile(); err != nil {
		return err
	}
	if len(l.buf) > 0 {
		if err := l.flush(len(l.buf)); err != nil {
			return err
		}
	}
	if r.LocalOnly {
		if err := l.wrapLocal(head); err != nil {
			return err
		}
		head = nil
	}
	r.Events, r.File = head, l.file
	if big == nil {
		return nil
	}
	var err error
	if r.Import, err = t.buildImport(big); err != nil {
		return fmt.Errorf("prepare the changes of a large transaction: %w", err)
	}
	return nil
}

// buildImport writes the newest version of every key into an import.
func (t *Txn) buildImport(big *spill.Set) (engine.Import, error) {
	imp, err := t.m.cfg.Engine.(engine.Importer).NewImport(t.m.space.Dir())
	if err != nil {
		return nil, err
	}
	w := big.Walk()
	for w.First(); w.Valid() && err == nil; w.Next() {
		switch v := w.Version(); v.Kind {
		case spill.Put:
			err = imp.Set(v.Key, v.Value)
		case spill.Delete:
			err = imp.Delete(v.Key)
		case spill.Shadow:
		}
	}
	if err == nil {
		err = w.Err()
	}
	if err == nil {
		err = imp.Finish()
	}
	if err != nil {
		imp.Discard()
		return nil, err
	}
	return imp, nil
}

// localBytes is about the size of the private records of a large transaction under
// sql_log_bin=0.
const localBytes = 256 << 10

// wrapLocal turns the file of events into one of private records, each of which holds
// some of the events and can be replayed by itself: it begins with the table maps that are
// in force.
func (l *eventLog) wrapLocal(head []byte) error {
	to, err := l.newFile()
	if err != nil {
		return fmt.Errorf("create a file for the events of a transaction: %w", err)
	}
	w := localWriter{l: l, to: to, chunk: bytes.Clone(head)}
	if err := l.eachEvent(w.add); err != nil {
		to.Discard()
		return fmt.Errorf("copy the events of a transaction: %w", err)
	}
	if err := w.flush(); err != nil {
		to.Discard()
		return fmt.Errorf("copy the events of a transaction: %w", err)
	}
	l.file.Discard()
	l.file, l.base = to, int(to.Size())
	return nil
}

type localWriter struct {
	l     *eventLog
	to    EventFile
	chunk []byte
	maps  []byte // table maps of the statement
	rows  bool   // rows have followed them
}

func (w *localWriter) add(ev []byte) error {
	t := event.Type(ev[4])
	if len(w.chunk) >= localBytes && t != event.Ignorable { // a private record belongs to the rows before it
		if err := w.flush(); err != nil {
			return err
		}
		if t != event.TableMap {
			w.chunk = append(w.chunk, w.maps...)
		}
	}
	if t == event.TableMap {
		if w.rows {
			w.maps, w.rows = w.maps[:0], false
		}
		w.maps = append(w.maps, ev...)
	} else {
		w.rows = true
	}
	w.chunk = append(w.chunk, ev...)
	return nil
}

func (w *localWriter) flush() error {
	if len(w.chunk) == 0 {
		return nil
	}
	record := event.AppendPrivate(nil, w.l.meta, event.PrivateLocal, w.chunk)
	w.chunk = w.chunk[:0]
	return w.to.Append(record)
}

// eachEvent reads the file event by event. The bytes are valid until f returns.
func (l *eventLog) eachEvent(f func(ev []byte) error) error {
	buf := make([]byte, 0, 1<<20)
	for off, size := int64(0), l.file.Size(); off < size; {
		n := min(int64(cap(buf)), size-off)
		buf = buf[:n]
		if err := l.file.ReadAt(buf, off); err != nil {
			return err
		}
		rest := buf
		for len(rest) >= event.HeaderSize && int(binary.LittleEndian.Uint32(rest[9:])) <= len(rest) {
			var ev []byte
			var err error
			if ev, rest, err = event.Next(rest); err != nil {
				return err
			}
			if err := f(ev); err != nil {
				return err
			}
			off += int64(len(ev))
		}
		if len(rest) == len(buf) { // an event that is larger than the buffer
			if off+n == size {
				return fmt.Errorf("%w: at offset %d of a transaction", event.ErrShort, off)
			}
			buf = make([]byte, 0, 2*cap(buf))
		}
	}
	return nil
}
