package lock

import (
	"context"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Which modes two owners can have at the same time, whatever came first.
func TestModes(t *testing.T) {
	const want = `
		   D IS IX  S SX  X
		D  +  +  +  +  +  .
		IS +  +  +  +  .  .
		IX +  +  +  .  .  .
		S  +  +  .  +  .  .
		SX +  .  .  .  .  .
		X  .  .  .  .  .  .`
	lines := strings.Split(strings.TrimSpace(want), "\n")
	columns := strings.Fields(lines[0])
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		for i, cell := range f[1:] {
			m := NewManager(Options{})
			var a, b Owner
			held, wanted := modeNamed(t, f[0]), modeNamed(t, columns[i])
			_, err := m.Lock(ctx, &a, Request{Class: Metadata, Key: []byte("t"), Mode: held, Timeout: -1})
			require.NoError(t, err)
			_, err = m.Lock(ctx, &b, Request{Class: Metadata, Key: []byte("t"), Mode: wanted, Timeout: -1})
			if cell == "+" {
				require.NoError(t, err, "%s beside %s", wanted, held)
			} else {
				require.ErrorIs(t, err, ErrNoWait, "%s beside %s", wanted, held)
			}
		}
	}
}

// TestIntentsOfMany strengthens a lock that many have, and lets it go: the others are in the way, or not, as if each were looked at.
func TestIntentsOfMany(t *testing.T) {
	m := NewManager(Options{})
	ask := func(o *Owner, mode Mode) error {
		_, err := m.Lock(ctx, o, Request{Class: Metadata, Key: []byte("t"), Mode: mode, Timeout: -1})
		return err
	}
	var owners [20]Owner
	one, late := &owners[0], &Owner{}
	for round := range 3 {
		for i := range owners {
			require.NoError(t, ask(&owners[i], IntentExclusive))
		}
		require.NoError(t, ask(one, IntentExclusive), "it has it")
		require.ErrorIs(t, ask(one, Exclusive), ErrNoWait)
		for i := range owners[1:] {
			m.Release(&owners[1+i], Metadata)
		}
		for _, mode := range []Mode{Confined, Exclusive} {
			require.NoError(t, ask(one, mode), "round %d", round)
			require.ErrorIs(t, ask(late, IntentExclusive), ErrNoWait)
		}
		m.Release(one, Metadata)
		require.NoError(t, ask(late, IntentExclusive))
		m.Release(late, Metadata)
	}
}

func modeNamed(t *testing.T, name string) Mode {
	for m, n := range modeNames {
		if n == name {
			return Mode(m)
		}
	}
	t.Fatalf("no mode is called %s", name)
	return None
}

// Who has two modes is in the way of everything that either is, and of no more than the next mode says.
func TestModesAddUp(t *testing.T) {
	for a := Describe; a < modes; a++ {
		require.True(t, a.includes(a), "%s", a)
		for b := Describe; b < modes; b++ {
			both := a.with(b)
			require.Equal(t, both, b.with(a))
			require.True(t, both.includes(a) && both.includes(b), "%s with %s is %s", a, b, both)
			for c := Describe; c < modes; c++ {
				require.False(t, c.includes(a) && c.includes(b) && both != c && both.includes(c), "%s with %s is %s, not %s", a, b, both, c)
				require.Equal(t, compatible(a, c), compatible(c, a))
			}
		}
	}
}

func TestNames(t *testing.T) {
	runAll(t, map[string]string{
		"reads and writes go together":         `a IS t; b IX t; c IX t; a IX t; d X t nowait; d S t nowait; d SX t nowait; d D t`,
		"LOCK TABLES READ waits for a writer":  `a IX t; b S t waits; a release; b got; a IX t nowait; a IS t`,
		"LOCK TABLES WRITE waits for a reader": `a IS t; b SX t waits; c IS t nowait; c D t; a release; b got; c IS t nowait`,
		"a writer passes a request that yields": `a IX t; b S t waits yields; c IX t; d IS t; a release; b blocked; c release; b got;
			d release; c IX t nowait`,
		"a writer that waits as well goes first": `a SX t; b S t waits yields; c IX t waits; a release; c got; b blocked; c release; b got`,
		"a writer does not pass another request": `a IX t; b S t waits; c IX t nowait; d IS t; a release; b got`,
		"readers pass where writers wait":        `a S t; b IX t waits; c S t nowait; c IS t; d D t; a release; b got; c release; d X t nowait`,
		"what goes first passes by":              `a IX t; b S t waits; c IX t nowait; c IX t first; a release; b blocked; c release; b got`,
		"what goes first waits for holders":      `a S t; b X t waits; c IX t waits first; d IS t nowait; a release; c got; b blocked; c release; b got`,
		"a reader becomes a writer at once":      `a IS t; b SX t waits; a IX t; b blocked; a release; b got`,
		"IX and S are SX":                        `a IX t; a S t; b IS t nowait; b D t; a release; b IS t`,

		"LOCK TABLES of two tables and a transaction": `b IS u; a SX t; a SX u waits; b IS t deadlock; b release; a got`,
		"the same, told to LOCK TABLES":               `a SX t; b IS u; b IS t waits; a SX u deadlock; a release; b got`,
		"LOCK TABLES READ and writers":                `b IX u; a S t; a S u waits yields; b IS t; b IX t deadlock; b release; a got`,
		"two LOCK TABLES":                             `c IX t; a S u; a S t waits yields; b S t waits; c SX u deadlock; c release; a got; b got`,
		"no deadlock through one that yields":         `a IX t; b S t waits yields; c S u; c IX t; a IX u waits; c release; a got; a release; b got`,
		"a row lock and a table's":                    `a X 1; b IS u; b X 1 waits; a X u deadlock; a release; b got`,
		"GET_LOCK and a table's":                      `a X name; b IS t; b X name waits; a SX t deadlock; a release; b got`,
		"through who goes first":                      `a IS t; b IX t; c X 1; c S t waits; a X t waits; b X 1 deadlock; b release; a got; a release; c got`,

		"a session is not in its own way":                     `a.tables S t; a IS t; a IX t; b IX t waits; a X t; a release; b blocked; a.tables release; b got`,
		"what one owner has, its session has":                 `a.tables SX t; a IX t; a release; b IX t nowait; a.tables release; b IX t`,
		"who has the lock by its session goes before others":  `a.tables S t; b X t waits; a IX t; a release; a.tables release; b got`,
		"circle through two owners of a session":              `a.tables SX t; b X 1; b IS t waits; a X 1 deadlock; a.tables release; b got`,
		"others of the session wait for others":               `a.tables S t; b S t; a IX t waits; b release; a got`,
		"two that want more than the session has, a deadlock": `a.tables S t; b.tables S t; a IX t waits; b IX t deadlock; b.tables release; a got`,
	})
}

func TestGlobal(t *testing.T) {
	runAll(t, map[string]string{
		"changes go together":                                `a IX everything; b IX everything; a IX everything; a release; c S everything nowait; b release; c S everything`,
		"the read lock waits for changes":                    `a IX everything; b IX everything; c S everything waits; a release; c blocked; b release; c got`,
		"changes wait for the read lock":                     `a S everything; b S everything; c IX everything waits; a release; c blocked; b release; c got; a S everything nowait`,
		"changes wait behind the read lock":                  `a IX everything; b S everything waits; c IX everything waits; a release; b got; c blocked; b release; c got`,
		"commits pass by a read lock that waits":             `a IX everything; b S everything waits; c IX everything first; c release; a release; b got; c IX everything nowait first`,
		"a read lock beside another one goes before changes": `a S everything; b IX everything waits; c S everything first; a release; b blocked; c release; b got`,
		"two waiting read locks, one gives up":               `a IX everything; b S everything waits; c S everything nowait; a release; b got`,
		"the lists are open after a read lock":               `a S everything; b IX everything nowait; a release; b IX everything; c S everything nowait; b release; c S everything`,
		"had from before the read lock, had after":           `a IX everything; b S everything nowait; a IX everything; a release; c S everything`,
		"the own read lock is in nobody's way":               `a.readlock S everything; a IX everything first; b IX everything nowait; a release; a.readlock release; b IX everything`,

		"read lock, change and row lock":       `a X 1; b IX everything; b X 1 waits; c S everything waits; a IX everything deadlock; a release; b got; b release; c got`,
		"a commit does not close that circle":  `a X 1; b IX everything; b X 1 waits; c S everything waits; a IX everything first; a release; b got; b release; c got`,
		"read lock, GET_LOCK and change":       `a.readlock S everything; b X name; a X name waits; b IX everything deadlock; b release; a got; a.readlock release`,
		"read lock, LOCK TABLES and a commit":  `b IX t; a.readlock S everything; a.tables S t waits yields; b IX everything deadlock first; b release; a.tables got`,
		"the same, told to LOCK TABLES":        `b IX t; a.readlock S everything; b IX everything waits first; a.tables S t deadlock yields; a.readlock release; b got`,
		"read lock, definition, transaction":   `a IS t; b IX everything; b X t waits; c S everything waits; a IX everything deadlock; a release; b got; b release; c got`,
		"read lock waits for LOCK TABLES":      `a.tables IX everything; a.tables SX t; b S everything waits; a IX t; a IX everything; a release; b blocked; a.tables release; b got`,
		"circle of the read lock that waits":   `a IX everything; b X 1; a X 1 waits; c X 2; b X 2 waits; c S everything deadlock; c release; b got; b release; a got`,
		"a victim leaves the lists open again": `a IX everything; b X 1; a X 1 waits; b S everything deadlock; b release; a got; c IX everything`,
	})
}

// A wait for the global lock ends by its timeout and with its context, and lets go who waits behind it.
func TestGlobalWaitEnds(t *testing.T) {
	m := NewManager(Options{})
	var a, b, c Owner
	everything := func(mode Mode, timeout time.Duration) Request {
		return Request{Class: Global, Key: []byte("everything"), Mode: mode, Timeout: timeout}
	}
	_, err := m.Lock(ctx, &a, everything(IntentExclusive, -1))
	require.NoError(t, err)
	_, err = m.Lock(ctx, &b, everything(Shared, time.Millisecond))
	require.ErrorIs(t, err, ErrWaitTimeout)
	killed, kill := context.WithCancel(ctx)
	cause := make(chan error)
	go func() { _, err := m.Lock(killed, &b, everything(Shared, time.Hour)); cause <- err }()
	require.Eventually(t, func() bool { return m.Stats().Waits == 2 }, 30*time.Second, time.Millisecond)
	got := make(chan error)
	go func() { _, err := m.Lock(ctx, &c, everything(IntentExclusive, time.Hour)); got <- err }()
	require.Eventually(t, func() bool { return m.Stats().Waits == 3 }, 30*time.Second, time.Millisecond)
	require.Len(t, m.Waits(), 2)
	kill()
	require.ErrorIs(t, <-cause, context.Canceled)
	require.NoError(t, <-got)
	m.Release(&a, Global)
	m.Release(&c, Global)
	require.Zero(t, m.Count())
}

// While one has the read lock nobody changes anything, and every wait ends by the lock or by a deadlock.
func TestGlobalUnderLoad(t *testing.T) {
	m := NewManager(Options{})
	var changing, frozen atomic.Int64
	var wg sync.WaitGroup
	for w := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rnd := rand.New(rand.NewPCG(uint64(w), 2))
			for range 2000 {
				o := Owner{Thread: uint32(w)}
				mode, counter, others := IntentExclusive, &changing, &frozen
				if rnd.IntN(50) == 0 {
					mode, counter, others = Shared, &frozen, &changing
				}
				if _, err := m.Lock(ctx, &o, Request{Class: Global, Key: []byte("everything"), Mode: mode, Timeout: time.Minute, First: rnd.IntN(4) == 0}); err != nil {
					t.Errorf("lock: %v", err)
					return
				}
				counter.Add(1)
				runtime.Gosched()
				if others.Load() != 0 {
					t.Errorf("%s beside the other mode", mode)
				}
				counter.Add(-1)
				m.Release(&o, Global)
			}
		}()
	}
	wg.Wait()
	require.Zero(t, m.Stats().Timeouts)
	require.Zero(t, m.Stats().Deadlocks)
	require.Zero(t, m.Count())
}
