package binlog

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/binlog/event"
)

// writer writes to the live segment. What replaces that segment (Log.rotate and others) holds the same locks.
type writer struct {
	*status
	o    Options
	unit int // of writes to the device: see WriteUnit; never changes

	// writeMu serialises everything that writes to the live segment or replaces it.
	writeMu sync.Mutex
	live    struct { // guarded by writeMu; file also by syncMu
		file      *syncHandle
		blocks    blockFile // for direct writes; nil where fdatasync is used
		tail      []byte    // if there are direct writes: what the last block holds before end
		seg       *segment
		end       uint64 // where the next write goes
		allocated uint64 // size of the file: zeros from end to here
	}
	scratch    []byte // guarded by writeMu
	announced  string // guarded by writeMu: segment that was last announced as the start of recovery
	noted      uint64 // guarded by writeMu: segment of the recovery start that announced has taken into account
	checkpoint string // guarded by writeMu: segment that the next write announces so, "" for none

	// syncMu is held by Sync, and while the live file is replaced.
	syncMu sync.Mutex

	method SyncMethod // in use; guarded by status.mu
	flying struct {   // guarded by status.mu
		count   int           // writes issued and not finished
		direct  []*Write      // the direct ones of them, and those that wait for a predecessor, in log order
		handles []*syncHandle // of the live file, not used by a write in flight
		buffers [][]byte      // aligned, free
	}
}

func (w *writer) meta() event.Meta {
	return event.Meta{Timestamp: w.o.now(), ServerID: w.o.ServerID}
}

// closingEvent places the last event of the live segment.
func (w *writer) closingEvent(ev []byte) ([]byte, error) {
	if err := event.Finalize(ev, w.live.end); err != nil {
		return nil, err
	}
	return ev, nil
}

// install makes next the live segment. writeMu and syncMu are held, or the log is not open yet.
func (w *writer) install(next *segment, f vfs.File) {
	w.live.file, w.live.seg = &syncHandle{f: f}, next
	w.live.end = next.headerEnd
	w.live.allocated = next.headerEnd
	if fi, err := f.Stat(); err == nil {
		w.live.allocated = max(w.live.allocated, uint64(fi.Size()))
	}
	w.mu.Lock()
	w.flying.handles = append(w.flying.handles[:0], w.live.file)
	direct := w.method == SyncDirect
	w.mu.Unlock()
	if direct {
		w.startDirect()
	}
}

// startDirect opens the live file for direct writes, or goes back to fdatasync for good.
func (w *writer) startDirect() {
	tail := make([]byte, w.live.end%uint64(w.unit), w.unit)
	_, err := w.live.file.f.ReadAt(tail, int64(blockStart(w.live.end, w.unit)))
	if err == nil {
		w.live.blocks, err = w.dir.openBlocks(w.live.seg.name)
	}
	if err != nil {
		w.o.Logger.Warn("the binary log cannot be written directly; fdatasync is used", "err", err)
		w.live.blocks = nil
		w.setMethod(SyncFdatasync)
		return
	}
	w.live.tail = tail
}

// closeLive writes the last event, and makes the live file a closed binlog
// file. syncMu is held, and no write is in flight.
func (w *writer) closeLive(last []byte) (size uint64, err error) {
	path := w.dir.path(w.live.seg.name)
	f := w.live.file.f
	if err := w.closeExtra(); err != nil {
		return 0, fmt.Errorf("close %s: %w", path, err)
	}
	if _, err := f.WriteAt(last, int64(w.live.end)); err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.SyncData(); err != nil {
		return 0, fmt.Errorf("sync %s: %w", path, err)
	}
	size = w.live.end + uint64(len(last))
	f, err = w.dir.finishFile(f, w.live.seg.name, size)
	if f != nil {
		if cerr := f.Close(); err == nil && cerr != nil {
			err = fmt.Errorf("close %s: %w", path, cerr)
		}
	}
	w.live.file = nil
	return size, err
}

// takeExtra returns what closes the handles of the live file, all but the first. No write is in flight.
func (w *writer) takeExtra() (closeEach []func() error) {
	w.mu.Lock()
	handles := w.flying.handles
	w.flying.handles = nil
	w.mu.Unlock()
	for _, h := range handles {
		if h != w.live.file {
			closeEach = append(closeEach, h.f.Close)
		}
	}
	if w.live.blocks != nil {
		closeEach = append(closeEach, w.live.blocks.Close)
		w.live.blocks = nil
	}
	return closeEach
}

// closeExtra closes all handles of the live file but the first.
func (w *writer) closeExtra() error {
	var errs []error
	for _, closeHandle := range w.takeExtra() {
		errs = append(errs, closeHandle())
	}
	return errors.Join(errs...)
}

// installLarge makes the file of a large transaction the live segment. Nothing is appended to it but what
// closes it.
func (w *writer) installLarge(next *segment, f *LargeFile) {
	f.done = true
	w.live.file, w.live.seg = &syncHandle{f: f.f}, next
	w.live.end, w.live.allocated = f.reserve+f.size, f.written
	w.live.blocks, w.live.tail = nil, nil
	w.mu.Lock()
	w.flying.handles = append(w.flying.handles[:0], w.live.file)
	w.mu.Unlock()
}
