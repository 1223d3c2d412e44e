package binlog

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// hookFS calls before ahead of every operation that changes the file system, which fails
// if before does.
type hookFS struct {
	vfs.FS
	before func() error
}

func (h hookFS) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := h.before(); err != nil {
		return nil, err
	}
	f, err := h.FS.Create(name, c)
	return hookFile{f, h.before}, err
}

func (h hookFS) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	if err := h.before(); err != nil {
		return nil, err
	}
	f, err := h.FS.OpenReadWrite(name, c, opts...)
	return hookFile{f, h.before}, err
}

func (h hookFS) OpenDir(name string) (vfs.File, error) {
	f, err := h.FS.OpenDir(name)
	return hookFile{f, h.before}, err
}

func (h hookFS) Rename(from, to string) error {
	if err := h.before(); err != nil {
		return err
	}
	return h.FS.Rename(from, to)
}

func (h hookFS) Remove(name string) error {
	if err := h.before(); err != nil {
		return err
	}
	return h.FS.Remove(name)
}

type hookFile struct {
	vfs.File
	before func() error
}

func (f hookFile) Write(p []byte) (int, error) {
	if err := f.before(); err != nil {
		return 0, err
	}
	return f.File.Write(p)
}

// WriteAt writes half of p when it fails: a short write.
func (f hookFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.before(); err != nil {
		n, _ := f.File.WriteAt(p[:len(p)/2], off)
		return n, err
	}
	return f.File.WriteAt(p, off)
}

func (f hookFile) Sync() error {
	if err := f.before(); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f hookFile) SyncData() error {
	if err := f.before(); err != nil {
		return err
	}
	return f.File.SyncData()
}

// crashLife is one life of the log between two crashes.
type crashLife struct {
	rng       *rand.Rand
	acked     atomic.Uint64 // transactions 1 … acked are synced
	attempted atomic.Uint64 // no later one was given to Append
	noSync    bool          // a deliberate breakage: acknowledge without syncing

	mu      sync.Mutex
	base    *vfs.MemFS
	left    int // operations until the crash
	clone   *vfs.MemFS
	lowest  uint64 // acked at the crash
	highest uint64
	flights []*Write // issued and not finished: guarded by mu
}

// before takes the crash image when its time has come. What happens afterwards does not
// count.
func (h *crashLife) before() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left--; h.left == 0 {
		h.lowest, h.highest = h.acked.Load(), h.attempted.Load()
		h.clone = h.crash()
	}
	return nil
}

func (h *crashLife) crash() *vfs.MemFS {
	synced := h.base.CrashClone(vfs.CrashCloneCfg{})
	clone := h.base.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: []int{0, 30, 50, 100}[h.rng.IntN(4)], RNG: h.rng})
	names, err := clone.List(testDir)
	if err != nil {
		return clone
	}
	if h.rng.IntN(2) == 0 {
		names = nil
	}
	// Tear inside blocks: each sector of a file old or new, one of them in part.
	for _, name := range names {
		path := clone.PathJoin(testDir, name)
		now, err1 := h.base.UnsafeGetFileDataBuffer(path)
		old, err2 := synced.UnsafeGetFileDataBuffer(path)
		torn, err3 := clone.UnsafeGetFileDataBuffer(path)
		if err1 != nil || err2 != nil || err3 != nil || len(now) != len(old) || len(torn) != len(now) {
			continue
		}
		for at := 0; at < len(now); at += 512 {
			end := min(at+512, len(now))
			from := old
			if h.rng.IntN(2) == 0 {
				from = now
			}
			if h.rng.IntN(4) == 0 {
				end = at + h.rng.IntN(end-at+1)
			}
			copy(torn[at:end], from[at:end])
		}
	}
	h.landSome(clone)
	// The edits have to be durable in the clone.
	return clone.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: h.rng})
}

// landSome puts any subset of the sectors of the direct writes in flight onto the disk: the device may
// have any of them done when the power fails.
func (h *crashLife) landSome(clone *vfs.MemFS) {
	for _, w := range h.flights {
		if w.direct == nil || w.buf == nil {
			continue
		}
		file, err := clone.UnsafeGetFileDataBuffer(clone.PathJoin(testDir, w.log.dir.segmentName(w.Start.Segment)))
		if err != nil || len(file) < int(w.off)+len(w.buf) {
			continue
		}
		percent := []int{0, 30, 70, 100}[h.rng.IntN(4)]
		for at := 0; at < len(w.buf); at += 512 {
			if h.rng.IntN(100) < percent {
				copy(file[int(w.off)+at:], w.buf[at:at+512])
			}
		}
	}
}

// inFlight issues a few groups before it finishes them, in any order. Transactions are
// acknowledged in log order.
func (h *crashLife) inFlight(l *Log, next uint64) (uint64, error) {
	var groups [][]byte
	size := int64(0)
	for range 1 + h.rng.IntN(4) {
		groups = append(groups, transaction(next, h.rng.IntN(3000)))
		size += int64(len(groups[len(groups)-1])) + RoomForPadding + RoomPerWrite
		next++
	}
	if err := l.Reserve(size); err != nil {
		return next, err
	}
	type flight struct {
		*Write
		last uint64
		done bool
	}
	first := next - uint64(len(groups))
	pad := h.rng.IntN(4) > 0
	for len(groups) > 0 {
		var flights []*flight
		for n := 0; n < len(groups); n++ {
			h.attempted.Store(first)
			w, err := l.Issue(groups[n], pad)
			if err != nil {
				return next, err
			}
			flights = append(flights, &flight{Write: w, last: first})
			h.mu.Lock()
			h.flights = append(h.flights, w)
			h.mu.Unlock()
			first++
			if w.direct != nil && n+1 < len(groups) {
				end := l.live.end + l.overhead() + uint64(len(groups[n+1]))
				if w.End.Offset%uint64(l.unit) != 0 || roundUp(end, l.unit) > l.live.allocated {
					break // the next one would wait for this one
				}
			}
		}
		groups = groups[len(flights):]
		for _, n := range h.rng.Perm(len(flights)) {
			if !h.noSync || flights[n].direct != nil {
				if err := flights[n].Finish(); err != nil {
					return next, err
				}
			} else {
				flights[n].log.mu.Lock()
				flights[n].log.landedLocked()
				flights[n].log.mu.Unlock()
			}
			flights[n].done = true
			for k := 0; k < len(flights) && flights[k].done; k++ {
				h.acked.Store(flights[k].last)
			}
		}
		h.mu.Lock()
		h.flights = nil
		h.mu.Unlock()
	}
	l.SetVisible(l.End())
	return next, nil
}

// live runs a random workload from transaction first on.
func (h *crashLife) live(l *Log, first uint64, steps int) error {
	next := first
	for range steps {
		switch h.rng.IntN(20) {
		case 0:
			if err := l.Rotate(); err != nil {
				return err
			}
			if !h.noSync {
				h.acked.Store(next - 1) // a rotation makes everything durable
			}
			continue
		case 1:
			if err := l.AwaitClosed(); err != nil {
				return err
			}
			continue
		case 2:
			segments := l.Segments()
			n := segments[h.rng.IntN(len(segments))].Segment
			l.SetRecoveryStart(logpos.Pos{Segment: n})
			if _, err := l.PurgeTo(n); err != nil {
				return err
			}
			continue
		}
		if h.rng.IntN(2) == 0 {
			var err error
			if next, err = h.inFlight(l, next); err != nil {
				return err
			}
			continue
		}
		var groups []byte
		for range 1 + h.rng.IntN(4) {
			if h.rng.IntN(10) == 0 {
				groups = append(groups, ddl(next, "CREATE TABLE t (a INT)")...)
			} else {
				groups = append(groups, transaction(next, h.rng.IntN(3000))...)
			}
			next++
		}
		if err := l.Reserve(int64(len(groups))); err != nil {
			return err
		}
		h.attempted.Store(next - 1)
		if _, _, err := l.Append(groups); err != nil {
			return err
		}
		if h.rng.IntN(4) == 0 {
			continue
		}
		if !h.noSync {
			if err := l.Sync(); err != nil {
				return err
			}
		}
		h.acked.Store(next - 1)
		l.SetVisible(l.End())
	}
	return l.Close()
}

// crashRun lives and crashes several times with one seed.
func crashRun(t testing.TB, seed uint64, noSync bool) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	fs := vfs.NewCrashableMem()
	h := &crashLife{rng: rng, base: fs, noSync: noSync}
	var lowest, highest uint64
	for round := range 4 {
		h.base, h.clone, h.left = fs, nil, 1+rng.IntN(250)
		if rng.IntN(3) == 0 {
			h.left = 1 + rng.IntN(25) // most likely while opening
		}
		o := testOptions(hookFS{fs, h.before})
		o.MaxSize = 16 << 10
		o.NoPreallocate = seed%4 == 0
		o.unitForTesting = []int{0, 512}[seed/8%2]
		o.SyncMethod = []SyncMethod{SyncFdatasync, SyncDirect}[seed/4%2]
		o.PrepareInline = true
		o.closeByHand = rng.IntN(2) == 0
		l, rec, err := Open(o)
		if err != nil {
			return fmt.Errorf("round %d: open: %w", round, err)
		}
		t.Cleanup(func() { _ = l.Close() }) // after an error; otherwise it was closed
		list := contentsOf(t, l)
		purged, _ := l.Segments()[0].FirstState.Lookup(0, 1)
		got := purged + uint64(len(list))
		if got < lowest || got > highest {
			return fmt.Errorf("round %d: %d transactions, acknowledged %d, attempted %d", round, got, lowest, highest)
		}
		for i, g := range gtids(purged+1, got) {
			if list[i] != g {
				return fmt.Errorf("round %d: transaction %s is %s", round, g, list[i])
			}
		}
		if seq, _ := rec.State.Lookup(0, 1); seq != got {
			return fmt.Errorf("round %d: state %v, log has %d", round, rec.State, got)
		}
		h.mu.Lock()
		if h.clone != nil { // crashed while opening
			h.lowest, h.highest = got, got
		}
		h.acked.Store(got)
		h.attempted.Store(got)
		h.mu.Unlock()
		if err := h.live(l, got+1, 5+rng.IntN(60)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
		h.mu.Lock()
		if h.clone == nil {
			h.lowest, h.highest = h.acked.Load(), h.attempted.Load()
			h.clone = h.crash()
		}
		lowest, highest, fs = h.lowest, h.highest, h.clone
		h.mu.Unlock()
	}
	return nil
}

// TestCrash loses nothing acknowledged and keeps nothing in part, wherever the crash
// falls. It runs SEEDS seeds (300 by default), beginning with SEED.
func TestCrash(t *testing.T) {
	number := func(name string, otherwise uint64) uint64 {
		text := os.Getenv(name)
		if text == "" {
			return otherwise
		}
		n, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err, name)
		return n
	}
	first, count := number("SEED", 1), number("SEEDS", 300)
	for seed := first; seed < first+count; seed++ {
		if err := crashRun(t, seed, false); err != nil {
			t.Fatalf("%v\n  again: SEED=%d SEEDS=1 go test -tags gms_pure_go -run 'TestCrash$' ./binlog", err, seed)
		}
	}
}

// TestCrashFindsMissingSync shows that TestCrash can fail.
func TestCrashFindsMissingSync(t *testing.T) {
	for seed := uint64(1); seed <= 100; seed++ {
		if err := crashRun(t, seed, true); err != nil {
			t.Logf("seed %d: %v", seed, err)
			return
		}
	}
	t.Fatal("the sync was left out, and no crash noticed")
}
