package binlog

import (
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// SyncMethod is how writes of the log are made durable (binlog_sync_method).
type SyncMethod int

// Sync methods.
const (
	// SyncAuto measures both at the start and takes the faster one, SyncDirect if they are nearly equal (see probe);
	// SyncFdatasync on a file system that is not the operating system's.
	SyncAuto SyncMethod = iota
	// SyncFdatasync writes through the page cache and calls fdatasync.
	SyncFdatasync
	// SyncDirect writes whole blocks past the page cache (O_DIRECT|O_DSYNC). It needs preallocated
	// segments: without them, and where the file system refuses, it falls
	// back to SyncFdatasync.
	SyncDirect
)

var syncMethodNames = [...]string{"auto", "fdatasync", "direct"}

// String is the value of binlog_sync_method.
func (m SyncMethod) String() string {
	if m >= 0 && int(m) < len(syncMethodNames) {
		return syncMethodNames[m]
	}
	return fmt.Sprintf("SyncMethod(%d)", int(m))
}

// ParseSyncMethod reads a value of binlog_sync_method.
func ParseSyncMethod(s string) (SyncMethod, error) {
	for i, name := range syncMethodNames {
		if s == name {
			return SyncMethod(i), nil
		}
	}
	return 0, fmt.Errorf("binlog_sync_method is %q, not one of %q", s, syncMethodNames)
}

// SyncMethod is the method in use; never SyncAuto.
func (w *writer) SyncMethod() SyncMethod {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.method
}

func (w *writer) setMethod(m SyncMethod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.method = m
}

// WriteUnit is the size in bytes of the blocks that reach the device: a write costs whole ones. For
// direct writes it is what their place and length are multiples of.
func (w *writer) WriteUnit() int { return w.unit }

// chooseMethod settles how this log is synced.
func (w *writer) chooseMethod() {
	o := &w.o
	m := o.SyncMethod
	w.unit = blockSize
	switch {
	case m == SyncDirect && o.NoPreallocate:
		o.Logger.Warn("direct writes of the binary log need preallocated files; fdatasync is used")
		m = SyncFdatasync
	case m == SyncAuto && (o.NoPreallocate || o.FS != vfs.Default):
		m = SyncFdatasync
	case m != SyncFdatasync && o.FS == vfs.Default:
		m, w.unit = o.probe()
	case o.unitForTesting > 0:
		w.unit = o.unitForTesting
	}
	w.setMethod(m)
}
