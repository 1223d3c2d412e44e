package engine

// Capabilities are what an engine can do beyond Engine, as it declares them itself; what is nil it cannot do. Who needs
// one asks for it once, when it begins to use the engine. Nobody finds out by a type assertion: an engine inside another
// one, as in package set, would lose what it can do without a word.
type Capabilities struct {
	// Importer takes over the changes of large transactions. Without it they have to fit into memory.
	Importer Importer
	// MarkResetter follows RESET MASTER, which is refused without it.
	MarkResetter MarkResetter
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
