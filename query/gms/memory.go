package gms

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/memory"
)

// Estimates of what a statement's syntax tree and plan take. Lists of short values
// are the most that a text can ask for: measured with 15 MB of IN (1,1,1 ...) and
// VALUES (1),(1),(1) ..., 270 and 490 bytes per element.
const (
	treeBytesPerByte    = 10
	treeBytesPerElement = 400
	// largeTextBytes is the length from which a statement's tree is counted while it runs, and the grammar's tree is not kept beside it.
	largeTextBytes = 64 << 10
)

// TreeBytes estimates what a parsed statement takes.
func TreeBytes(text string) int64 {
	return int64(len(text))*treeBytesPerByte + int64(strings.Count(text, ","))*treeBytesPerElement
}

// setUserVariable is SET @name = value.
func (s *Session) setUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	oldType, old, err := s.base.GetUserVariable(ctx, name)
	if err != nil {
		return err
	}
	n := function.ValueBytes(value) - function.ValueBytes(old)
	if oldType == nil {
		n += int64(len(name)) + memory.EntryBytes
	}
	if err := s.Memory.Keep(n); err != nil {
		return err
	}
	noteVariable(s, name, value)
	return s.base.SetUserVariable(ctx, name, value, typ)
}

// cacheEntries counts the entries of go-mysql-server's caches, which ask for the
// memory limit before each: as a sql.Reporter it never says that there is none left,
// because an error there would stop go-mysql-server's own goroutines half way. The
// refusal reaches the statement at its next row.
type cacheEntries struct{ memory *memory.Session }

var _ sql.Reporter = cacheEntries{}

// MaxMemory implements sql.Reporter; 0 is no limit.
func (c cacheEntries) MaxMemory() uint64 {
	_ = c.memory.Hold(memory.EntryBytes)
	return 0
}

// UsedMemory implements sql.Reporter.
func (c cacheEntries) UsedMemory() uint64 { return 0 }
