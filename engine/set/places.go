package set

import (
	"maps"
	"sync"
	"sync/atomic"
)

// places says which engine holds which table. Everybody who touches a key asks it, and so it is read without a lock.
type places struct {
	mu sync.Mutex // of who writes
	// pages are by the upper bits of a table's id. The map is replaced when it gets another page.
	pages atomic.Pointer[map[uint32]*page]
}

// page has 1 + the index of the engine, by the lower bits of a table's id; 0: unknown.
type page [1 << pageBits]atomic.Int32

const pageBits = 8

// of is the index of the engine that holds a table.
func (p *places) of(table uint32) (index int, ok bool) {
	pages := p.pages.Load()
	if pages == nil {
		return 0, false
	}
	known := (*pages)[table>>pageBits]
	if known == nil {
		return 0, false
	}
	i := known[table&(1<<pageBits-1)].Load()
	return int(i) - 1, i > 0
}

// set notes where a table is. mu is held.
func (p *places) set(table uint32, index int) {
	pages := p.pages.Load()
	if pages == nil {
		pages = &map[uint32]*page{}
	}
	known := (*pages)[table>>pageBits]
	if known == nil {
		more := maps.Clone(*pages)
		known = &page{}
		more[table>>pageBits] = known
		defer p.pages.Store(&more)
	}
	known[table&(1<<pageBits-1)].Store(int32(index) + 1)
}
