package rowlog

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
)

// localBytes is about the size of the private records of a large transaction under
// sql_log_bin=0.
const localBytes = 256 << 10

// wrapLocal turns the file of events into one of private records, each of which holds
// some of the events and can be replayed by itself: it begins with the table maps that are
// in force.
func (l *Log) wrapLocal(head []byte) error {
	to, err := l.opts.NewFile()
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
	l     *Log
	to    File
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
func (l *Log) eachEvent(f func(ev []byte) error) error {
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
