package commit

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// memLog is a Log without files.
type memLog struct {
	io *hook

	mu struct {
		sync.Mutex
		limit   uint64 // the end cannot pass it
		bytes   []byte // a place is an index of it, plus memStart
		writes  []*memWrite
		synced  logpos.Pos
		visible logpos.Pos
		state   *gtid.State
	}
}

// memStart is where a memLog begins.
const memStart = 256

func newMemLog(io *hook) *memLog {
	l := &memLog{io: io}
	l.mu.limit, l.mu.state = 1<<20, gtid.NewState()
	l.mu.synced, l.mu.visible = logpos.At(1, memStart), logpos.At(1, memStart)
	return l
}

type memWrite struct {
	l    *memLog
	end  logpos.Pos
	done bool
}

func (l *memLog) endLocked() logpos.Pos { return logpos.At(1, memStart).Plus(len(l.mu.bytes)) }

func (l *memLog) End() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endLocked()
}

func (l *memLog) Synced() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.synced
}

func (l *memLog) Visible() logpos.Pos {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.visible
}

func (l *memLog) SetVisible(p logpos.Pos) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.visible = p
}

func (l *memLog) Offer(logpos.Pos) {}

func (l *memLog) StateClone() *gtid.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.mu.state.Clone()
}

func (l *memLog) setLimit(limit uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.limit = limit
}

func (l *memLog) Room() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int64(l.mu.limit) - int64(l.endLocked().Offset)
}

func (l *memLog) Reserve(bytes int64) error {
	if room := l.Room(); bytes > room {
		return fmt.Errorf("%w: %d bytes, room for %d", binlog.ErrNoSpace, bytes, room)
	}
	return nil
}

func (l *memLog) Padding(int, bool) int64 { return 0 }

func (l *memLog) Append(groups []byte) (start, end logpos.Pos, err error) {
	if err := l.io.call("write", "live"); err != nil {
		return start, end, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	start = l.endLocked()
	if err := event.Finalize(groups, start.Offset); err != nil {
		return start, end, err
	}
	infos, err := gtidsIn(groups)
	if err != nil {
		return start, end, err
	}
	for _, info := range infos {
		l.mu.state.Update(info.GTID)
	}
	l.mu.bytes = append(l.mu.bytes, groups...)
	return start, l.endLocked(), nil
}

func (l *memLog) Issue(groups []byte, _ []gtid.GTID, _ bool) (start, end logpos.Pos, w Write, err error) {
	start, end, err = l.Append(groups)
	if err != nil {
		return start, end, nil, err
	}
	issued := &memWrite{l: l, end: end}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.writes = append(l.mu.writes, issued)
	return start, end, issued, nil
}

// Finish moves synced over all writes that are done and have no unfinished one before them.
func (w *memWrite) Finish() error {
	if err := w.l.io.call("sync", "live"); err != nil {
		return err
	}
	mu := &w.l.mu
	mu.Lock()
	defer mu.Unlock()
	w.done = true
	for len(mu.writes) > 0 && mu.writes[0].done {
		w.l.syncedLocked(mu.writes[0].end)
		mu.writes = mu.writes[1:]
	}
	return nil
}

func (l *memLog) Sync() error {
	end := l.End()
	if err := l.io.call("sync", "live"); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.syncedLocked(end)
	return nil
}

func (l *memLog) syncedLocked(end logpos.Pos) {
	if l.mu.synced.Before(end) {
		l.mu.synced = end
	}
}

// Cut removes everything after a place; a held sync goes on when the test lets it.
func (l *memLog) Cut(after logpos.Pos) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mu.bytes = l.mu.bytes[:after.Offset-memStart]
	l.mu.writes = slices.DeleteFunc(l.mu.writes, func(w *memWrite) bool { return after.Before(w.end) })
	if after.Before(l.mu.synced) {
		l.mu.synced = after
	}
	if after.Before(l.mu.visible) {
		l.mu.visible = after
	}
	infos, err := gtidsIn(l.mu.bytes)
	l.mu.state = gtid.NewState()
	for _, info := range infos {
		l.mu.state.Update(info.GTID)
	}
	return err
}

// gtidsIn returns what the GTID events among events hold.
func gtidsIn(events []byte) (infos []event.GTIDInfo, err error) {
	for len(events) > 0 {
		raw, rest, err := event.Next(events)
		if err != nil {
			return nil, err
		}
		e, err := event.Decode(raw)
		if err != nil {
			return nil, err
		}
		if info, ok := e.Body.(*event.GTIDInfo); ok {
			infos = append(infos, *info)
		}
		events = rest
	}
	return infos, nil
}

func (l *memLog) groups(t testing.TB) []event.GTIDInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	infos, err := gtidsIn(l.mu.bytes)
	require.NoError(t, err)
	return infos
}
