package rowlog

import "fmt"

// File takes the events of a transaction that do not fit into memory. It
// is part of the log that has not been committed: events get the positions and
// checksums that they will have. It is used by one goroutine at a time.
type File interface {
	// Append writes complete events after those that are there. It changes them.
	Append(events []byte) error
	// Truncate forgets everything after the first size bytes of events.
	Truncate(size int64)
	// ReadAt fills p with what lies off bytes after the first event.
	ReadAt(p []byte, off int64) error
	// Size is the number of bytes of events.
	Size() int64
	// Discard removes the file, unless it has become part of the log.
	Discard()
}

// spillBytes is how much is collected in memory for one write to the file, if that is more
// than binlog_cache_size.
const spillBytes = 256 << 10

// Spill moves events to the file if there are more than may stay in memory. The last
// rows event of the running statement stays: it grows, and may be the one that gets the flag
// STMT_END. After an error the log is as it was.
func (l *Log) Spill() error {
	limit := l.opts.MemoryBytes
	if l.file != nil {
		limit = max(limit, min(spillBytes, 8*limit))
	}
	if len(l.buf) < limit || l.opts.NewFile == nil {
		return nil
	}
	end := len(l.buf)
	switch {
	case l.stmt.lastRows > 0:
		end = l.stmt.lastRows - l.base
	case l.stmt.mapsEnd > 0:
		return nil // table maps whose rows are still to come
	}
	if end <= 0 {
		return nil
	}
	return l.flush(end)
}

// flush moves the first n bytes of buf to the file.
func (l *Log) flush(n int) error {
	if err := l.openFile(); err != nil {
		return err
	}
	if err := l.file.Append(l.buf[:n]); err != nil {
		l.file.Truncate(int64(l.base))
		return fmt.Errorf("move the events of a transaction to a file: %w", err)
	}
	l.base += n
	l.buf = l.buf[:copy(l.buf, l.buf[n:])]
	return nil
}

func (l *Log) openFile() error {
	if l.file != nil {
		return nil
	}
	f, err := l.opts.NewFile()
	if err != nil {
		return fmt.Errorf("create a file for the events of a transaction: %w", err)
	}
	l.file = f
	return nil
}

// truncate cuts the log off at off, which lies between two events.
func (l *Log) truncate(off int) {
	if off >= l.base {
		l.buf = l.buf[:off-l.base]
		return
	}
	l.file.Truncate(int64(off))
	l.base, l.buf = off, l.buf[:0]
}

// cut is truncate, and brings what lies after keep (if that is not 0) back from the file: it may
// be changed.
func (l *Log) cut(off, keep int) error {
	if keep == 0 || keep >= l.base {
		l.truncate(off)
		return nil
	}
	back := make([]byte, min(off, l.base)-keep)
	if err := l.file.ReadAt(back, int64(keep)); err != nil {
		return fmt.Errorf("read back the events of a transaction: %w", err)
	}
	if off > l.base {
		back = append(back, l.buf[:off-l.base]...)
	}
	l.file.Truncate(int64(keep))
	l.base, l.buf = keep, back
	return nil
}

// Free lets go of everything; the file is removed unless it was taken.
func (l *Log) Free() {
	if l.file != nil {
		l.file.Discard()
	}
	l.file, l.base, l.buf, l.local = nil, 0, nil, nil
}
