package session

import (
	"math"
	"slices"
	"strings"
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
	mu    sync.Mutex
	list  []Warning
	more  int  // that are not kept: see Warn
	older bool // they are an earlier statement's: see Keep
}

func (w *warnings) Clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.clear()
}

func (w *warnings) clear() { w.list, w.more, w.older = nil, 0, false }

// Keep begins a statement that names no table. As in MariaDB what there is stays, as an earlier statement's, until this one has a warning.
func (w *warnings) Keep() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.older = true
}

// Adopt makes what there is, of whichever statement, the present one's: that of the CALL whose statements have left it.
func (w *warnings) Adopt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.older = false
}

// own begins what the statement itself has. The caller holds mu.
func (w *warnings) own() {
	if w.older {
		w.clear()
	}
}

// Own is how many of them are the statement's own.
func (w *warnings) Own() uint16 {
	w.mu.Lock()
	older := w.older
	w.mu.Unlock()
	if older {
		return 0
	}
	return w.Count()
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
	if n > 0 {
		w.own()
	}
	w.more += n
}

// DropOlder forgets an earlier statement's.
func (w *warnings) DropOlder() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.own()
}

// Warn adds a warning, a note or an error to those of the statement. Beyond max_error_count it is only counted, a note with
// sql_notes=OFF not even that.
func (s *Session) Warn(level string, number uint16, message string) {
	if level == "Note" && !s.Vars.On("sql_notes") {
		return
	}
	most := s.Vars.Uint("max_error_count")
	s.Warnings.mu.Lock()
	defer s.Warnings.mu.Unlock()
	s.Warnings.own()
	if uint64(len(s.Warnings.list)) < most {
		s.Warnings.list = append(s.Warnings.list, Warning{level, number, message})
	} else {
		s.Warnings.more++
	}
}

// Join adds a name to those that the statement's last warning ends with, 'a,b', if that is of the same number; false if it is not.
func (w *warnings) Join(number uint16, name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.older || len(w.list) == 0 {
		return false
	}
	last := &w.list[len(w.list)-1]
	if last.Number != number || !strings.HasSuffix(last.Message, "'") {
		return false
	}
	last.Message = strings.TrimSuffix(last.Message, "'") + "," + name + "'"
	return true
}

func (s *Session) DBOf(t statement.Use) string {
	if t.DB != "" {
		return t.DB
	}
	return s.DB()
}
