package memory

import "github.com/duramendb/duramen/engine"

var _ engine.Kind = Kind{}

// Kind is this kind of engine, for data directories.
type Kind struct{}

// Name is MariaDB's.
func (Kind) Name() string { return name }

// Dir is "memory", which stays empty.
func (Kind) Dir() string { return "memory" }

// Volatile is true.
func (Kind) Volatile() bool { return true }

// Peek finds nothing.
func (Kind) Peek(engine.Options, []byte) (m engine.Mark, there bool, err error) { return m, false, nil }

// Open makes an empty engine.
func (Kind) Open(engine.Options) (engine.Engine, error) {
	e := &Engine{}
	e.now.Store(&version{})
	return e, nil
}
