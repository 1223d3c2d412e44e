package catalog

import "sync/atomic"

// Registry points to the current version of the catalog. Reading is free;
// Publish is called by whoever applies changes in log order (the commit
// pipeline, or recovery), one at a time.
type Registry struct {
	current atomic.Pointer[Snapshot]
	nextID  atomic.Uint32
	coll    Collations
}

// NewRegistry starts with the given version (as loaded from the engine). coll
// may be nil.
func NewRegistry(s *Snapshot, coll Collations) *Registry {
	r := &Registry{coll: coll}
	r.current.Store(s)
	r.raise(s.nextTableID)
	return r
}

// Current is the version in force: the state after the last applied change.
func (r *Registry) Current() *Snapshot { return r.current.Load() }

// Collations is the resolver that Apply needs.
func (r *Registry) Collations() Collations { return r.coll }

// Prepare compiles the version that c leads to, without publishing it.
func (r *Registry) Prepare(c Change) (*Snapshot, error) { return r.Current().Apply(c, r.coll) }

// Publish puts a new version in force.
func (r *Registry) Publish(s *Snapshot) {
	r.raise(s.nextTableID)
	r.current.Store(s)
}

// NewTableID hands out an id that no table has or ever had.
func (r *Registry) NewTableID() uint32 { return r.nextID.Add(1) - 1 }

func (r *Registry) raise(next uint32) {
	for {
		old := r.nextID.Load()
		if old >= next || r.nextID.CompareAndSwap(old, next) {
			return
		}
	}
}
