package engine

import "io"

// Capabilities are what an engine can do beyond Engine, as it declares them itself; what is nil it cannot do. Who needs
// one asks for it once, when it begins to use the engine. Nobody finds out by a type assertion: an engine inside another
// one, as in package set, would lose what it can do without a word.
type Capabilities struct {
	// Importer takes over the changes of large transactions. Without it they have to fit into memory.
	Importer Importer
	// Loader takes over many new keys at once. Without it they are ingested batch by batch.
	Loader Loader
	// MarkResetter follows RESET MASTER, which is refused without it.
	MarkResetter MarkResetter
	// Exporter gives away the engine's files. Without it, and unless the engine's Kind is Volatile, a server is cloned by its rows only.
	Exporter Exporter
	// Pressed warns of a failing disk. Without it Apply never waits for one.
	Pressed Pressed
	// InMemory engines keep whole tables in memory: who writes to them bounds their size (max_heap_table_size).
	InMemory bool
}

// Writable is what Pressed says, nil without it.
func (c Capabilities) Writable() error {
	if c.Pressed == nil {
		return nil
	}
	return c.Pressed.Writable()
}

// Pressed is an engine whose Apply can be held up for ever by a failing disk.
type Pressed interface {
	// Writable returns the error of the disk when Apply would soon have to wait for it. It is
	// asked before a group is written to the log, and leaves room for what is under way.
	Writable() error
}

// MarkResetter is an engine whose mark can be moved to another log (RESET MASTER).
type MarkResetter interface {
	// ResetMark replaces the mark, wherever it was, and returns when that is durable. The engine
	// holds everything up to the end of the old log, durably, and nothing is
	// applied meanwhile.
	ResetMark(m Mark) error
}

// Importer is an engine that can take over changes of keys which were written
// into files beforehand: the changes of a transaction that is too large for a
// Batch. Preparing needs no lock and disturbs nobody; ApplyImport takes about as long as
// syncing a small file, whatever the size of the import.
type Importer interface {
	// NewImport starts an import; its files lie in dir, on the engine's file system.
	NewImport(dir string) (Import, error)
	// ApplyImport is Apply for an import together with a (small) batch, whose keys lie before those of the import: both,
	// and the mark, become visible together, and durable together. If the batch deletes ranges, which the import must
	// not touch, the import may be visible, and durable, before the batch and the mark. The import must have been finished.
	// Both are consumed.
	ApplyImport(i Import, b Batch, m Mark) error
}

// Loader is an engine that can take over keys which were written into files beforehand, for key spaces that no catalog entry refers
// to yet: what Ingest does batch by batch, for as many keys as there are.
type Loader interface {
	// NewImport is Importer's.
	NewImport(dir string) (Import, error)
	// Load makes the keys of an import visible, without moving the mark, and returns when they are durable, and with them what was ingested before
	// between the first and the last of them. The import must have been finished, and is consumed.
	Load(i Import) error
}

// Exporter is an engine whose files can be copied while it is in use. A set of engines (package set) is none: the files of each engine are its own.
type Exporter interface {
	// Export holds still what a restart of the engine might find at one moment of the call: nothing is flushed, and Apply does not wait. dir is a
	// directory for links, on the engine's file system; it does not exist, and Close of the export leaves none. One export is open at a time.
	Export(dir string) (*Export, error)
}

// Export is the files of an engine. It must be closed, before the engine is.
type Export struct {
	// Mark is a lower bound of the mark that the files hold: a copy of the engine finds this one or a later one, but none after the call.
	Mark Mark
	// Files are all that the engine's directory (Kind.Dir) needs.
	Files []ExportedFile
	// Close lets go of the files.
	Close func() error
}

// ExportedFile is a file of an export.
type ExportedFile struct {
	// Name in the engine's directory; it names no directory.
	Name string
	// Bytes is the file's size.
	Bytes int64
	// Copy writes all of it, Bytes bytes, unless w fails. It does not need more memory than a buffer.
	Copy func(w io.Writer) error
}
