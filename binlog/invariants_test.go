//go:build invariants

package binlog

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

func TestInvariantsOfCursors(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	commit(t, l, transaction(1, 10))
	for name, spoil := range map[string]func(end logpos.Pos){
		"is synced up to":  func(end logpos.Pos) { l.mu.synced = logpos.At(end.Segment, end.Offset+1) },
		"is visible up to": func(end logpos.Pos) { l.mu.visible = logpos.At(end.Segment+1, end.Offset) },
	} {
		l.mu.Lock()
		written, synced, visible := l.mu.written, l.mu.synced, l.mu.visible
		l.checkPositionsLocked()
		spoil(written)
		violation := violated(l.checkPositionsLocked)
		l.mu.synced, l.mu.visible = synced, visible
		l.mu.Unlock()
		require.Contains(t, violation, name)
	}
	require.Contains(t, violated(func() { l.note(nil, logpos.At(1, 4), nil) }), "and a write before that")
	require.NoError(t, l.Close())
}

func TestInvariantsOfReaders(t *testing.T) {
	l, _ := mustOpen(t, testOptions(vfs.NewMem()))
	commit(t, l, transaction(1, 10))
	r, err := l.NewReader(logpos.At(1, 0))
	require.NoError(t, err)
	ev, _, err := r.NextNoWait()
	require.NoError(t, err)
	kept := bytes.Clone(ev)
	_, _, err = r.NextNoWait()
	require.NoError(t, err)
	require.NotEqual(t, kept, ev, "an event is not valid after the next call")
	require.NoError(t, r.Close())
	require.NoError(t, l.Close())
}

// violated is the invariant that f violates.
func violated(f func()) (text string) {
	defer func() {
		if err, ok := recover().(error); ok {
			text = err.Error()
		}
	}()
	f()
	return ""
}
