package rowlog

import (
	"fmt"

	"github.com/duramendb/duramen/binlog/event"
)

// AppendXID ends the log with a transaction's XID event.
func (l *Log) AppendXID(id uint64) { l.buf = event.AppendXID(l.buf, l.meta, id) }

// AppendLocal appends the changes of tables that replicas do not have, if there are any.
func (l *Log) AppendLocal() { l.buf = l.LocalRecord(l.buf) }

// LocalRecord appends the record of AppendLocal to dst instead.
func (l *Log) LocalRecord(dst []byte) []byte {
	if len(l.local) == 0 {
		return dst
	}
	return event.AppendPrivate(dst, l.meta, event.PrivateLocal, l.local)
}

// InFile reports whether some of the events are in a file.
func (l *Log) InFile() bool { return l.file != nil }

// MayUseFile reports whether events can be moved to a file.
func (l *Log) MayUseFile() bool { return l.opts.NewFile != nil }

// Events returns all events, after head.
func (l *Log) Events(head []byte) ([]byte, error) {
	switch {
	case l.file == nil && head == nil:
		return l.buf, nil
	case l.file == nil:
		return append(head, l.buf...), nil
	}
	events := make([]byte, len(head)+l.End())
	n := copy(events, head)
	if err := l.file.ReadAt(events[n:n+l.base], 0); err != nil {
		return nil, fmt.Errorf("read back the events of a transaction: %w", err)
	}
	copy(events[n+l.base:], l.buf)
	return events, nil
}

// MoveToFile moves all events to the file. With private they become private records, and head
// goes into the first; otherwise head is returned as what is to precede the file.
func (l *Log) MoveToFile(head []byte, private bool) (before []byte, f File, err error) {
	if err := l.openFile(); err != nil {
		return nil, nil, err
	}
	if len(l.buf) > 0 {
		if err := l.flush(len(l.buf)); err != nil {
			return nil, nil, err
		}
	}
	if private {
		if err := l.wrapLocal(head); err != nil {
			return nil, nil, err
		}
		head = nil
	}
	return head, l.file, nil
}
