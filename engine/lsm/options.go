package lsm

import (
	"errors"
	"log/slog"
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/duramendb/duramen/logpos"
)

// Options of Open. Dir is required, the zero value of the rest is the default. A data directory gets them from a Kind and
// engine.Options.
type Options struct {
	// FS is the file system; nil means the operating system's.
	FS  vfs.FS
	Dir string
	// CacheBytes is the size of the block cache; 0 means 128 MiB. It fills as blocks are read.
	CacheBytes int64
	// MemTableBytes is the size at which a memtable is flushed; 0 means 16 MiB.
	// Memtables start small and grow to this size. A smaller one is read faster: every read looks there first, in a large one most of what it looks
	// at is in no cache of the processor, and every version of a row that was updated since the last flush is in the way of scans. But its files are
	// merged with those below more often: changes all over four tables of 50,000 rows cost a quarter more of the processor's time, and two thirds more bytes at the device, with
	// 4 MiB than with 16. With 32 they cost no less of the processor's time.
	MemTableBytes uint64
	// OpenFilesMax bounds the number of open table files; 0 means 1000.
	OpenFilesMax int
	// SyncLog makes the log durable up to a position. The engine calls it from a
	// goroutine of its own before anything applied up to that position may become
	// durable here. It must not call the engine. nil: whatever is applied is
	// durable in the log already.
	SyncLog func(logpos.Pos) error
	// Fatal is called when the engine cannot go on (its MANIFEST cannot be
	// written, its directory cannot be synced). It should end the process; if it returns, the goroutine that
	// met the error ends. nil means log and exit with status 1.
	Fatal func(error)
	// NoCompactions leaves files as flushes wrote them, for tests that have to repeat exactly and for whoever only
	// wants to look.
	NoCompactions bool
	// Logger gets what happens in the background, at level debug, and errors. nil: nothing.
	Logger *slog.Logger
}

func (o *Options) ensureDefaults() error {
	if o.Dir == "" {
		return errors.New("lsm: Options.Dir is empty")
	}
	if o.FS == nil {
		o.FS = vfs.Default
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 128 << 20
	}
	if o.MemTableBytes == 0 {
		o.MemTableBytes = 16 << 20
	}
	if o.OpenFilesMax == 0 {
		o.OpenFilesMax = 1000
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

// memTablesMax is how many full memtables, while they are being flushed, stop Apply; from memTablesReserve
// before that on, if they cannot be flushed, Writable warns of it.
const (
	memTablesMax     = 8
	memTablesReserve = 3
)

const (
	// blockBytes is how much a table file reads and decompresses at once, InnoDB's page. Whatever is cached is found the faster, and
	// scanned the faster, the larger blocks are: fewer of them have to be found in the cache. With 4 KiB, Pebble's own default,
	// a cached row took a third longer, and a step backwards half as long again; 32 KiB gain no more than a few percent.
	blockBytes = 16 << 10
	// indexBlockBytes is more than the index of a table file takes. Beyond that Pebble makes an index of two levels, which costs each read
	// one more block to find and to search.
	indexBlockBytes = 256 << 10
)

func (e *Engine) pebbleOptions() *pebble.Options {
	o := &e.opts
	p := &pebble.Options{
		FS:                 &logFirstFS{FS: o.FS, before: e.beforeManifest, beforeTable: e.backoff.wait, dirFailed: o.Fatal, written: &e.counters.writtenBytes},
		CacheSize:          o.CacheBytes,
		DisableWAL:         true,
		FormatMajorVersion: pebble.FormatNewest,
		Logger:             &pebbleLogger{log: o.Logger, fatal: o.Fatal},
		MaxOpenFiles:       o.OpenFilesMax,
		MemTableSize:       o.MemTableBytes,
		// It is room that holds writers up; see there. The number of files in L0 is a matter of read speed only.
		MemTableStopWritesThreshold: 1 << 16,
		L0CompactionThreshold:       3,
		L0StopWritesThreshold:       1000,
		LBaseMaxBytes:               64 << 20,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, 3 },
		BytesPerSync:                128 << 10,
		DisableAutomaticCompactions: o.NoCompactions,
		DisableTableStats:           o.NoCompactions,
	}
	for i := range p.Levels {
		p.Levels[i] = pebble.LevelOptions{
			BlockSize: blockBytes, IndexBlockSize: indexBlockBytes, FilterPolicy: bloom.FilterPolicy(10),
			Compression: func() *sstable.CompressionProfile { return block.FastestCompression },
		}
	}
	// What is not above the lowest level is nearly always there, and Pebble does not ask its filters.
	p.Levels[len(p.Levels)-1].FilterPolicy = pebble.NoFilterPolicy
	p.EventListener = &pebble.EventListener{
		BackgroundError: e.backoff.failed,
		// Whoever reads gets an error, and others go on. Pebble would end the process.
		DataCorruption: func(info pebble.DataCorruptionInfo) {
			o.Logger.Error("a file of the storage engine is damaged", "engine", name, "file", info.Path, "error", info.Details.Error())
		},
		FlushEnd: func(info pebble.FlushInfo) {
			e.backoff.flushEnded(info.Err)
			if info.Err == nil {
				e.counters.flushed(info.TotalDuration)
			}
		},
	}
	return p
}
