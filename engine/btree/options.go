package btree

import (
	"errors"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// Options of Open. Dir is required, the zero value of the rest is the default. A data directory gets them from a Kind and
// engine.Options.
type Options struct {
	// FS is the file system; nil means the operating system's. Any other one is mirrored: see the package comment.
	FS  vfs.FS
	Dir string
	// DeltaBytes and DeltaKeys are the size of the delta, in bytes of memory and in changed keys, at which a
	// checkpoint begins by itself; 0 means 64 MiB and 128 Ki. At twice that size Apply waits for the checkpoint.
	// A checkpoint may need memory for a page of the base per key.
	DeltaBytes, DeltaKeys int
	// MapBytes is the address space that is reserved for the base's file, and so the size beyond which the file cannot
	// grow; 0 means 1 TiB. Where so much cannot be had Open takes less.
	MapBytes int
	// GrowBytes is the unit in which the base's file grows; 0 means 16 MiB, or 32 KiB where the file is mirrored.
	GrowBytes int
	// NoMerge leaves the base's file as it is: what is applied stays in memory, and a checkpoint makes nothing durable, though it
	// says so. It is for whoever opens a directory only to look, on a file system that forgets: the file is opened on the operating
	// system's, which must show the same at Dir, instead of being loaded into memory.
	NoMerge bool
	// partKeys is how many keys of a debt are worked into the base at a time, and how many a checkpoint deletes at once;
	// runBlockBytes is the size of the blocks of a run. 0 means the defaults.
	partKeys, runBlockBytes int
	// SyncLog makes the log durable up to a position. The engine calls it before anything applied up to that position may
	// become durable here. It must not call the engine. nil: whatever is applied is durable in the log already.
	SyncLog func(logpos.Pos) error
	// Fatal is called when the engine cannot go on: the base's file could not be synced. It should end the
	// process; if it returns, every method returns the error from then on. nil means log and exit with status 1.
	Fatal func(error)
	// Logger gets what happens in the background, at level debug, and errors. nil: nothing.
	Logger *slog.Logger
}

const (
	defaultDeltaBytes = 64 << 20
	defaultDeltaKeys  = 128 << 10
	defaultMapBytes   = 1 << 40
	growBytes         = 16 << 20
	defaultPartKeys   = 16 << 10
	defaultBlockBytes = 64 << 10
	growBytesMirrored = 32 << 10
)

func (o *Options) ensureDefaults() error {
	if o.Dir == "" {
		return errors.New("btree: Options.Dir is empty")
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.DeltaBytes == 0 {
		o.DeltaBytes = defaultDeltaBytes
	}
	if o.DeltaKeys == 0 {
		o.DeltaKeys = defaultDeltaKeys
	}
	if o.MapBytes == 0 {
		o.MapBytes = defaultMapBytes
	}
	if o.GrowBytes == 0 {
		o.GrowBytes = growBytes
		if o.FS != vfs.Default {
			o.GrowBytes = growBytesMirrored
		}
	}
	if o.partKeys == 0 {
		o.partKeys = defaultPartKeys
	}
	if o.runBlockBytes == 0 {
		o.runBlockBytes = defaultBlockBytes
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Fatal == nil {
		log := o.Logger
		o.Fatal = func(err error) {
			log.Error("the storage engine cannot go on", "engine", name, "error", err)
			os.Exit(1)
		}
	}
	return nil
}
