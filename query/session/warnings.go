package session

import (
	"math"
	"slices"
	"sync"

	"github.com/duramendb/duramen/query/statement"
)

// Warning is a warning, a note or an error of a statement.
type Warning struct {
	Level   string // "Note", "Warning" or "Error"
	Number  uint16
	Message string
}

// warnings are those of a session's last statement. The engine's goroutines add to them while a statement runs.
type warnings struct {
	mu   sync.Mutex
	list []Warning
	more int // that are not kept: see Warn
}

func (w *warnings) Clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list, w.more = nil, 0
}

// Count is how many there were, those that are not kept included, as far as packets can say it.
func (w *warnings) Count() uint16 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return uint16(min(len(w.list)+w.more, math.MaxUint16))
}

// All are the warnings in their order.
func (w *warnings) All() []Warning {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

// More counts n that are not kept.
func (w *warnings) More(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.more += n
}

// DropFirst forgets the oldest n.
func (w *warnings) DropFirst(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept := min(n, len(w.list))
	w.list = slices.Clone(w.list[kept:])
	w.more -= min(w.more, n-kept)
}

// Warn adds a warning, a note or an error to those of the statement. Beyond max_error_count it is only counted.
func (s *Session) Warn(level string, number uint16, message string) {
	most := max(s.Vars.Uint("max_error_count"), 1)
	s.Warnings.mu.Lock()
	defer s.Warnings.mu.Unlock()
	if uint64(len(s.Warnings.list)) < most {
		s.Warnings.list = append(s.Warnings.list, Warning{level, number, message})
	} else {
		s.Warnings.more++
	}
}

func (s *Session) DBOf(t statement.Use) string {
	if t.DB != "" {
		return t.DB
	}
	return s.DB()
}
