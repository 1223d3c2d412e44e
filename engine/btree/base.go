package btree

import (
	"sync"
	"sync/atomic"

	bolt "go.etcd.io/bbolt"
)

// base is what the file holds after one of its commits: a read transaction of bbolt, which many readers share, each with a
// cursor of its own (see cursor: bbolt only says which pages there are).
//
// It is kept by whoever has acquired it. When nobody has it any more it is retired: the next checkpoint, or Close, ends the
// transaction. (Not the reader that was last: bbolt would let it wait for a lock that is held during a write.)
type base struct {
	file  *file
	tx    *bolt.Tx
	pages pages
	// rows and state are the buckets, which lie in the pages of the transaction.
	rows, state *bucket
	// refs is how many have it, 0 forever when it was retired.
	refs    atomic.Int64
	cursors sync.Pool
	// unref is release as a value, so that a Get need not make one.
	unref   func()
	retired *retired
	// runs were layers above the base while it was the newest.
	runs []*run
}

// hold keeps a run open as long as the base. The base is the newest, and e.mu is held.
func (b *base) hold(r *run) {
	r.refs.Add(1)
	b.runs = append(b.runs, r)
}

// retired are the bases that nobody has any more, and whose transactions are still open.
type retired struct {
	mu    sync.Mutex
	bases []*base
	// open is how many bases there are, retired or not.
	open int
}

func (r *retired) newBase(f *file) (b *base, err error) {
	err = guard(func() error {
		tx, err := f.begin(false)
		if err != nil {
			return err
		}
		sound := false
		defer func() {
			if !sound {
				_ = f.end(tx) // the error or the panic tells what happened
			}
		}()
		b = &base{file: f, tx: tx, pages: pagesOf(tx), retired: r}
		b.rows, b.state, err = b.pages.buckets(tx)
		sound = err == nil
		return err
	})
	if err != nil {
		return nil, err
	}
	b.refs.Store(1)
	b.unref = b.release
	b.cursors.New = func() any { return &cursor{tree: b.rows} }
	r.mu.Lock()
	r.open++
	r.mu.Unlock()
	return b, nil
}

// acquire is false when it was too late: there is a newer base.
func (b *base) acquire() bool {
	for {
		n := b.refs.Load()
		if n == 0 {
			return false
		}
		if b.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (b *base) release() {
	if b.refs.Add(-1) == 0 {
		b.retired.mu.Lock()
		b.retired.bases = append(b.retired.bases, b)
		b.retired.mu.Unlock()
	}
}

// end ends the transactions of retired bases, and returns how many bases are left.
func (r *retired) end() (open int, err error) {
	r.mu.Lock()
	bases := r.bases
	r.bases = nil
	r.open -= len(bases)
	open = r.open
	r.mu.Unlock()
	for _, b := range bases {
		if rerr := b.file.end(b.tx); rerr != nil && err == nil {
			err = rerr
		}
		for _, r := range b.runs {
			r.release()
		}
	}
	return open, err
}

func (b *base) cursor() *cursor   { return b.cursors.Get().(*cursor) }
func (b *base) putBack(c *cursor) { b.cursors.Put(c) }

// get is valid as long as the base is kept.
func (b *base) get(key []byte) (value []byte, ok bool, err error) {
	c := b.cursor()
	value, ok = c.get(key)
	err = c.err
	b.putBack(c)
	return value, ok, err
}

// stateOf is a value of the state's bucket.
func (b *base) stateOf(key []byte) (value []byte, ok bool, err error) {
	c := cursor{tree: b.state}
	value, ok = c.get(key)
	return value, ok, c.err
}

// putEnds writes down the first and the last key. It tells a part of the tree from the whole one.
func putEnds(tx *bolt.Tx) error {
	c := tx.Bucket(rowsBucket).Cursor()
	first, _ := c.First()
	last, _ := c.Last()
	return tx.Bucket(stateBucket).Put(endsKey, sealed(endsKey, appendString(appendString(nil, first), last)))
}

func (b *base) checkEnds() error {
	ends, ok, err := b.stateOf(endsKey)
	if err != nil {
		return err
	}
	c := cursor{tree: b.rows}
	first, _ := c.first()
	if c.err != nil {
		return c.err
	}
	last, _ := c.last()
	if c.err != nil {
		return c.err
	}
	if !ok || string(ends) != string(appendString(appendString(nil, first), last)) {
		return damaged("the rows are from %x to %x, and should be from and to (with their lengths) %x", first, last, ends)
	}
	return nil
}
