package txn

import (
	"bytes"
	"sync"

	"github.com/duramendb/duramen/txn/lock"
)

// lockedRow is the row that was locked exclusively and read last. As long as the lock is held nobody else changes it, and as long as it is known here the
// transaction has changed nothing since: Update and Delete need not read it again. Its key and its image belong to whoever has read it; they are
// compared by their places in memory as well, which are no other row's before the next one is read.
type lockedRow struct {
	mu    sync.Mutex
	key   []byte
	image []byte
}

// note notes the row that was locked and read.
func (l *lockedRow) note(key, image []byte, mode lock.Mode) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if mode != lock.Exclusive || len(image) == 0 {
		l.image = nil
		return
	}
	l.key, l.image = append(l.key[:0], key...), image
}

// has reports whether before is the newest image of a row that is locked, as note has noted it.
func (l *lockedRow) has(key, before []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.image) > 0 && len(before) == len(l.image) && &before[0] == &l.image[0] && bytes.Equal(key, l.key)
}

// forget is called before anything changes that the transaction has written, or its lock is given back.
func (l *lockedRow) forget() {
	l.mu.Lock()
	l.image = nil
	l.mu.Unlock()
}
