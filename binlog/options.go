package binlog

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// DefaultMaxSize is the size of a segment unless told otherwise.
const DefaultMaxSize int64 = 128 << 20

// minMaxSize leaves room for a header and a few events. MariaDB's minimum for max_binlog_size.
const minMaxSize int64 = 4096

// Options configure a Log. FS, Dir and ServerID have to be set.
type Options struct {
	FS       vfs.FS
	Dir      string
	Basename string // "" means "binlog"
	ServerID uint32
	// ServerVersion stands in every format description; replicas judge the
	// server's abilities by it.
	ServerVersion string
	// MaxSize is max_binlog_size in bytes; 0 means DefaultMaxSize. A segment gets
	// larger only if one group needs it.
	MaxSize int64
	// NoPreallocate lets segments grow by appending instead of zero-filling them
	// ahead of need (binlog_preallocate=OFF).
	NoPreallocate bool
	// SyncMethod is binlog_sync_method.
	SyncMethod SyncMethod
	// PrepareRate limits the background zero-filling, in bytes per second. 0
	// means 64 MiB; it is not limited while a writer waits for it.
	PrepareRate int64
	// PrepareInline makes the next segment only when it is needed, in the
	// goroutine that needs it: crash tests repeat exactly with it.
	PrepareInline bool
	// Fatal is called when the log has failed in the background, where no caller gets the error: the process has to end. It may be
	// nil, and need not return.
	Fatal  func(error)
	Logger *slog.Logger // nil means slog.Default()

	unitForTesting int
	// closeByHand lets what closer does after a rotation wait for a call of AwaitClosed, or Close.
	closeByHand   bool
	nowForTesting func() time.Time
}

// EnsureDefaults fills in what is not set.
func (o *Options) EnsureDefaults() {
	if o.Basename == "" {
		o.Basename = "binlog"
	}
	if o.ServerVersion == "" {
		o.ServerVersion = "10.11.0-MariaDB-duramen"
	}
	if o.MaxSize == 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.PrepareRate == 0 {
		o.PrepareRate = 64 << 20
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.nowForTesting == nil {
		o.nowForTesting = time.Now
	}
}

// Validate reports options that cannot work.
func (o *Options) Validate() error {
	switch {
	case o.FS == nil:
		return errors.New("binlog: Options.FS is not set")
	case o.ServerID == 0:
		return errors.New("binlog: server id 0 cannot write a log")
	case strings.ContainsAny(o.Basename, "/\\\n\r"):
		return fmt.Errorf("binlog: basename %q is not a file name", o.Basename)
	case o.SyncMethod < SyncAuto || o.SyncMethod > SyncDirect:
		return fmt.Errorf("binlog: unknown sync method %d", o.SyncMethod)
	case o.MaxSize < minMaxSize:
		return fmt.Errorf("binlog: segment size %d is less than %d", o.MaxSize, minMaxSize)
	}
	return nil
}

func (o *Options) now() uint32 { return uint32(o.nowForTesting().Unix()) }
