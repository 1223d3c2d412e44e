package query

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Estimates of what a statement's syntax tree and plan take. Lists of short values
// are the most that a text can ask for: measured with 15 MB of IN (1,1,1 ...) and
// VALUES (1),(1),(1) ..., 270 and 490 bytes per element.
const (
	treeBytesPerByte    = 10
	treeBytesPerElement = 400
	// largeTextBytes is the length from which a statement's tree is counted while it runs.
	largeTextBytes = 64 << 10
)

// treeBytes estimates what a parsed statement takes.
func treeBytes(text string) int64 {
	return int64(len(text))*treeBytesPerByte + int64(strings.Count(text, ","))*treeBytesPerElement
}

// holdTree counts the tree of a long statement before it is parsed; release gives it back.
func (s *Session) holdTree(text string) (release func(), err error) {
	if len(text) < largeTextBytes {
		return func() {}, nil
	}
	mark := s.memory.begin(s.memoryLimit())
	if err := s.memory.hold(treeBytes(text)); err != nil {
		s.memory.end(mark)
		return nil, err
	}
	return func() { s.memory.end(mark) }, nil
}

// KeepMemory counts n more bytes that are kept for the session, or fewer if n is
// negative; its error (1041, 1290) refuses them.
func (s *Session) KeepMemory(n int64) error { return s.memory.keep(n) }

// setUserVariable is SET @name = value.
func (s *Session) setUserVariable(ctx *sql.Context, name string, value any, typ sql.Type) error {
	oldType, old, err := s.base.GetUserVariable(ctx, name)
	if err != nil {
		return err
	}
	n := valueBytes(value) - valueBytes(old)
	if oldType == nil {
		n += int64(len(name)) + cacheEntryBytes
	}
	if err := s.memory.keep(n); err != nil {
		return err
	}
	return s.base.SetUserVariable(ctx, name, value, typ)
}
