package own

import (
	"strings"
	"sync"

	"github.com/duramendb/duramen/query/dialect"
)

// Kept are statements by their texts, so that those which sessions send all the time are not parsed each time: what begins and ends transactions, and sets what a
// connection is like. Nothing is kept of statements that may have a secret in them, or that mean something else when names mean something else. The zero value is
// ready for use by many at once.
type Kept struct {
	mu sync.RWMutex
	// young and old are a cache by generations: when young is full it becomes old, so that what nobody has asked for in the meantime is forgotten.
	young, old map[keptKey]dialect.Statement
}

type keptKey struct {
	text string
	mode dialect.Mode
}

const (
	// keptTextMost is how long a text is at most that is kept, in bytes, and keptMost how many there are in a generation: less than a megabyte in all.
	keptTextMost = 128
	keptMost     = 1024
)

// Find is the statement of a text; nil if it is not known. Nobody changes it.
func (k *Kept) Find(text string, mode dialect.Mode) dialect.Statement {
	if !mayKeep(text) {
		return nil
	}
	key := keptKey{text, mode}
	k.mu.RLock()
	st := k.young[key]
	if st != nil {
		k.mu.RUnlock()
		return st
	}
	st = k.old[key]
	k.mu.RUnlock()
	if st != nil {
		k.add(key, st)
	}
	return st
}

// Keep notes the statement that is all of a text; false if it is none of those that are kept.
func (k *Kept) Keep(text string, mode dialect.Mode, st dialect.Statement) bool {
	if !mayKeep(text) || !Lasting(st) {
		return false
	}
	k.add(keptKey{strings.Clone(text), mode}, st) // the text may be a small part of a long one
	return true
}

func (k *Kept) add(key keptKey, st dialect.Statement) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.young) >= keptMost {
		k.old, k.young = k.young, nil
	}
	if k.young == nil {
		k.young = make(map[keptKey]dialect.Statement)
	}
	k.young[key] = st
}

// mayKeep tells by a text alone whether it may be kept, so that few others are looked for: the statements begin with BEGIN, START, SAVEPOINT, SET, COMMIT, ROLLBACK,
// RELEASE or UNLOCK.
func mayKeep(text string) bool {
	if text == "" || len(text) > keptTextMost {
		return false
	}
	const lower = 'a' - 'A'
	switch text[0] | lower {
	case 'b', 's', 'c', 'r', 'u':
		return true
	}
	return false
}

// Lasting reports whether a statement is one of those that are kept by their texts.
func Lasting(st dialect.Statement) bool {
	switch st.(type) {
	case dialect.StartTransaction, dialect.Commit, dialect.Rollback, dialect.Savepoint, dialect.RollbackTo, dialect.ReleaseSavepoint,
		dialect.SetTransaction, dialect.SetNames, dialect.SetCharacterSet, dialect.UnlockTables:
		return true
	}
	return false
}
