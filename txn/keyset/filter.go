package keyset

// Filter is a set of 64-bit hashes that may answer yes for a hash that was
// never added (once in thousands of times), and never no for one that was. It takes about two and a
// half bytes for each: this is what large transactions remember of their keys in memory.
//
// It is a chain of blocked Bloom filters, each of twice the capacity of the one
// before: a look-up touches one cache line of each.
type Filter struct {
	parts []filterPart
	count int
}

type filterPart struct {
	lines []filterLine
	room  int // hashes that may still be added
}

type filterLine [8]uint64

const (
	filterFirst   = 1 << 10 // capacity of the first part
	filterLargest = 1 << 22
	filterBits    = 20 // per hash
	filterProbes  = 8
)

// place spreads a hash over the lines of a part, and over the bits of a line.
func (p *filterPart) place(hash uint64) (line *filterLine, bits uint64) {
	mixed := (hash ^ hash>>32) * 0x9e3779b97f4a7c15
	return &p.lines[(mixed>>32)*uint64(len(p.lines))>>32], hash * 0xc2b2ae3d27d4eb4f
}

func (p *filterPart) has(hash uint64) bool {
	line, bits := p.place(hash)
	// One bit in each word of the line.
	for i := range filterProbes {
		if line[i]>>(bits>>58)&1 == 0 {
			return false
		}
		bits = bits<<6 | bits>>58
	}
	return true
}

// Has reports whether hash may have been added.
func (f *Filter) Has(hash uint64) bool {
	for i := len(f.parts) - 1; i >= 0; i-- {
		if f.parts[i].has(hash) {
			return true
		}
	}
	return false
}

// Add adds a hash. One that is added again takes memory again, unless it was added not long ago.
func (f *Filter) Add(hash uint64) {
	n := len(f.parts)
	if n > 0 && f.parts[n-1].has(hash) {
		return
	}
	if n == 0 || f.parts[n-1].room == 0 {
		room := min(filterFirst<<n, filterLargest)
		f.parts = append(f.parts, filterPart{lines: make([]filterLine, room*filterBits/512), room: room})
		n++
	}
	p := &f.parts[n-1]
	line, bits := p.place(hash)
	for i := range filterProbes {
		line[i] |= 1 << (bits >> 58)
		bits = bits<<6 | bits>>58
	}
	p.room--
	f.count++
}
