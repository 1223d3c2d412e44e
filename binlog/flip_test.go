package binlog

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// What recovery makes of damage: every byte of a closed segment and of a live one is changed in turn, in several
// ways, and both are cut at every length. Damage must be found and located, must not be replayed as if
// it was good, and must not be taken for a torn tail when later groups follow.

// changes are what happens to a byte. All of them change it.
var changes = map[string]func(b byte) byte{
	"bit 0": func(b byte) byte { return b ^ 1 },
	"bit 7": func(b byte) byte { return b ^ 0x80 },
	"all":   func(b byte) byte { return ^b },
	"plus":  func(b byte) byte { return b + 1 },
}

// some reports whether a case is run: all of them with DURAMEN_TEST_SCALE=full.
func some(n int) bool { return os.Getenv("DURAMEN_TEST_SCALE") == "full" || n%7 == 0 }

// writes are the spans of the writes of a segment, and where its header ends.
type writes struct {
	header uint64
	spans  []span
	end    uint64 // of the data; of a closed segment, of the file
}

// eventAt is where the event, or the write, begins that a byte belongs to.
func (w writes) spanOf(at uint64) int {
	for i, s := range w.spans {
		if at < s.end {
			return i
		}
	}
	return len(w.spans)
}

// fivePerSegment is a log of a closed segment and a live one, crashed, with five transactions each; every
// write was synced before the next.
func fivePerSegment(t *testing.T) (im *image, closed, live writes) {
	im = crashed(t, func(l *Log) {
		record := func(w *writes, from uint64) {
			w.header = l.End().Offset
			for n := from; n < from+5; n++ {
				w.spans = append(w.spans, committed(t, l, transaction(n, 40)))
			}
			w.end = l.End().Offset
		}
		record(&closed, 1)
		rotate(t, l)
		record(&live, 6)
	})
	closed.end = uint64(len(readFile(t, im.fs, testOptionsName(1))))
	// Zeros up to a size that is quickly read.
	im.b = readFile(t, im.fs, testOptionsName(2))[:live.end+300]
	writeFile(t, im.fs, testOptionsName(2), im.b)
	return im, closed, live
}

// verdictOf scans the log, with one file replaced.
func verdictOf(t *testing.T, im *image, name string, b []byte) (*Plan, *vfs.MemFS) {
	t.Helper()
	fs := im.fs.CrashClone(vfs.CrashCloneCfg{})
	writeFile(t, fs, name, b)
	o := im.o
	o.FS, o.MaxSize = fs, 8<<10
	plan, err := Scan(o, ScanSpec{})
	require.NoError(t, err)
	return plan, fs
}

// wantLocated expects damage in the file, at the start of the event that holds byte at, or, as recovery knows the
// place of the next event from the one before, at that byte's event at the latest.
func wantLocated(t *testing.T, plan *Plan, name string, from, at uint64, what string) {
	t.Helper()
	var ce *CorruptError
	require.True(t, errors.As(plan.Damage, &ce), "%s: %v", what, plan.Damage)
	require.Contains(t, ce.File, name, what)
	require.GreaterOrEqual(t, ce.Offset, from, what)
	require.LessOrEqual(t, ce.Offset, at, what)
	require.NotEmpty(t, ce.Row, what)
}

// startOfEvent is the offset of the event that holds byte at.
func startOfEvent(t *testing.T, b []byte, at uint64) uint64 {
	t.Helper()
	s := &scanner{f: bytes.NewReader(b), off: 4, limit: uint64(len(b)), chunk: 4096}
	for {
		_, start, err := s.next()
		require.NoError(t, err)
		if at < s.off {
			return start
		}
	}
}

func TestFlipEveryByteOfClosedSegment(t *testing.T) {
	im, closed, _ := fivePerSegment(t)
	name := testOptionsName(1)
	good := readFile(t, im.fs, name)
	n := 0
	for at := range uint64(len(good)) {
		for how, change := range changes {
			if n++; !some(n) {
				continue
			}
			b := bytes.Clone(good)
			b[at] = change(b[at])
			what := fmt.Sprintf("byte %d, %s", at, how)
			plan, _ := verdictOf(t, im, name, b)
			switch {
			case at < 4:
				wantLocated(t, plan, name, 0, 0, what)
			case at == flagsOffset && b[at] == good[at]|1:
				wantLocated(t, plan, name, flagsOffset, flagsOffset, what) // in use
			default:
				start := startOfEvent(t, good, at)
				wantLocated(t, plan, name, start, start, what)
			}
			if plan.End.Segment != 0 {
				k := closed.spanOf(at)
				require.LessOrEqual(t, plan.End.Offset, closed.end, what)
				if k < len(closed.spans) && at >= closed.header {
					require.LessOrEqual(t, plan.End.Offset, closed.spans[k].end, "%s: nothing after the damage counts as good", what)
				}
			}
		}
	}
	t.Logf("%d bytes, %d cases", len(good), n)
}

func TestFlipEveryByteOfLiveTail(t *testing.T) {
	im, _, live := fivePerSegment(t)
	name := testOptionsName(2)
	good := im.b
	n, tornCases := 0, 0
	for at := range live.end {
		for how, change := range changes {
			if n++; !some(n) {
				continue
			}
			b := bytes.Clone(good)
			b[at] = change(b[at])
			what := fmt.Sprintf("byte %d, %s", at, how)
			plan, fs := verdictOf(t, im, name, b)
			last := live.spans[len(live.spans)-1]
			switch {
			case at == flagsOffset && b[at] == good[at]&^1: // no longer in use, but without an end
				wantLocated(t, plan, name, live.end, live.end, what)
			case at < 4:
				wantLocated(t, plan, name, 0, 0, what)
			case at < last.mark: // later writes follow
				start := startOfEvent(t, good, at)
				wantLocated(t, plan, name, start, start, what)
				before := tree(t, fs, testDir)
				_, err := plan.Open()
				require.ErrorIs(t, err, ErrCorrupt)
				require.Equal(t, before, tree(t, fs, testDir), "%s: a refusal changes nothing", what)
			default: // nothing after it says that it was durable
				require.NoError(t, plan.Damage, what)
				require.Positive(t, plan.TornBytes, what)
				require.EqualValues(t, 9, plan.State.MaxSeq(0), what)
				tornCases++
				// An engine that has the transaction reveals it: store.TestRecoveryRows.
				require.True(t, plan.End.Before(logpos.At(2, last.end)), what)
			}
		}
	}
	// The zeros after the end.
	for at := live.end; at < uint64(len(good)); at++ {
		b := bytes.Clone(good)
		b[at] = 0x5a
		plan, _ := verdictOf(t, im, name, b)
		require.NoError(t, plan.Damage)
		require.EqualValues(t, 10, plan.State.MaxSeq(0), "byte %d", at)
		require.Positive(t, plan.TornBytes, "byte %d", at)
	}
	require.Positive(t, tornCases)
	t.Logf("%d bytes, %d cases", live.end, n)
}

func TestEveryLengthOfClosedSegment(t *testing.T) {
	im, _, _ := fivePerSegment(t)
	name := testOptionsName(1)
	good := readFile(t, im.fs, name)
	for length := range len(good) {
		plan, _ := verdictOf(t, im, name, good[:length])
		wantLocated(t, plan, name, 0, uint64(length), fmt.Sprintf("%d bytes", length))
	}
	for _, more := range []int{1, 19, 23, 4096} {
		for _, fill := range []byte{0, 0xff} {
			plan, _ := verdictOf(t, im, name, append(bytes.Clone(good), bytes.Repeat([]byte{fill}, more)...))
			wantLocated(t, plan, name, uint64(len(good)), uint64(len(good)), fmt.Sprintf("%d more", more))
		}
	}
}

// TestEveryLengthOfLiveSegment: where a file ends is no evidence of what was durable, since a file system may take
// back a size; so a live file that was cut short counts as torn, up to its header. What is left is good, and what
// an engine holds beyond it is refused by the store.
func TestEveryLengthOfLiveSegment(t *testing.T) {
	im, _, live := fivePerSegment(t)
	name := testOptionsName(2)
	for length := range live.end {
		plan, _ := verdictOf(t, im, name, im.b[:length])
		if length < live.header {
			wantLocated(t, plan, name, 0, length, fmt.Sprintf("%d bytes", length))
			continue
		}
		require.NoError(t, plan.Damage, "%d bytes", length)
		complete := uint64(5)
		for _, s := range live.spans {
			if s.end <= length {
				complete++
			}
		}
		require.Equal(t, complete, plan.State.MaxSeq(0), "%d bytes", length)
		require.LessOrEqual(t, plan.End.Offset, length)
	}
}

// TestFlipsAreNeverReplayed reads what recovery accepts: it is a prefix of what was written.
func TestFlipsAreNeverReplayed(t *testing.T) {
	im, closed, live := fivePerSegment(t)
	n := 0
	for name, w := range map[string]writes{testOptionsName(1): closed, testOptionsName(2): live} {
		good := readFile(t, im.fs, name)
		for at := w.header; at < w.end; at++ {
			if n++; !some(n * 5) {
				continue
			}
			b := bytes.Clone(good)
			b[at] ^= 0x24
			plan, _ := verdictOf(t, im, name, b)
			if plan.Damage != nil {
				continue
			}
			l, err := plan.Open()
			require.NoError(t, err)
			require.Equal(t, gtids(1, 9), contentsOf(t, l), "%s, byte %d", name, at)
			require.NoError(t, l.Close())
		}
	}
}
