package btree

import "github.com/duramendb/duramen/engine"

var _ engine.Kind = Kind{}

// Kind is this kind of engine, for data directories. Its fields are those of Options.
type Kind struct {
	DeltaBytes, DeltaKeys int
	MapBytes, GrowBytes   int
	NoMerge               bool
}

// Name is the engine's own name: MariaDB has none like it.
func (Kind) Name() string { return name }

// Dir is "btree".
func (Kind) Dir() string { return "btree" }

// Volatile is false.
func (Kind) Volatile() bool { return false }

func (k Kind) options(o engine.Options) Options {
	return Options{
		FS: o.FS, Dir: o.Dir, SyncLog: o.SyncLog, Fatal: o.Fatal, Logger: o.Logger,
		DeltaBytes: k.DeltaBytes, DeltaKeys: k.DeltaKeys, MapBytes: k.MapBytes, GrowBytes: k.GrowBytes, NoMerge: k.NoMerge,
	}
}

// Peek is Peek.
func (k Kind) Peek(o engine.Options, key []byte) (m engine.Mark, there bool, err error) {
	return Peek(k.options(o), key)
}

// Open is Open.
func (k Kind) Open(o engine.Options) (engine.Engine, error) {
	e, err := Open(k.options(o))
	if err != nil {
		return nil, err
	}
	return e, nil
}
