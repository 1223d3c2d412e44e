package semisync

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/duramendb/duramen/logpos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// lines is a log that tests read.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) has(t *testing.T, want string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Contains(t, l.text.String(), want)
}

// hands is a clock that stands still until a test moves it.
type hands struct {
	mu     sync.Mutex
	now    time.Time
	timers map[chan time.Time]time.Time
}

func (h *hands) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hands) Timer(d time.Duration) (<-chan time.Time, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan time.Time, 1)
	if d <= 0 {
		c <- h.now
		return c, func() {}
	}
	h.timers[c] = h.now.Add(d)
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.timers, c)
	}
}

func (h *hands) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
	for c, at := range h.timers {
		if !h.now.Before(at) {
			c <- h.now
			delete(h.timers, c)
		}
	}
}

// running is how many timers there are.
func (h *hands) running() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.timers)
}

type fixture struct {
	*Primary
	t     *testing.T
	log   lines
	clock *hands
}

func (f *fixture) set(change func(s *Settings)) {
	f.mu.Lock()
	s := f.mu.settings
	f.mu.Unlock()
	change(&s)
	f.Set(s)
}

func start(t *testing.T) *fixture {
	f := &fixture{t: t, clock: &hands{now: time.Unix(1000, 0), timers: map[chan time.Time]time.Time{}}}
	f.Primary = New(Config{FileName: func(n uint64) string { return fmt.Sprintf("binlog.%06d", n) }, Logger: slog.New(slog.NewTextHandler(&f.log, nil))})
	f.Primary.clock = f.clock
	f.Set(Settings{Enabled: true, Timeout: 10 * time.Second, WaitNoReplica: true})
	f.announce()
	return f
}

// announce announces the ends of groups that the tests use.
func (f *fixture) announce() {
	for offset := uint64(50); offset <= 1000; offset += 50 {
		f.Announce(at(offset))
	}
}

func at(offset uint64) logpos.Pos { return logpos.At(1, offset) }

// wait has a group wait, and returns when it does.
func (f *fixture) waits(end logpos.Pos, transactions int) (done chan struct{}) {
	f.t.Helper()
	before := f.clock.running()
	done = make(chan struct{})
	go func() {
		defer close(done)
		f.AfterSync(end, transactions)
	}()
	require.Eventually(f.t, func() bool { return f.clock.running() > before }, 10*time.Second, time.Millisecond)
	return done
}

// serve is a replica that has everything up to a place.
func (f *fixture) serve(id uint32, has uint64) *Replica {
	r := f.Serve(id)
	r.Has(at(has))
	return r
}

// acknowledge has a replica asked for a place, and acknowledge it.
func (f *fixture) acknowledge(r *Replica, offset uint64) {
	f.t.Helper()
	require.True(f.t, r.Asks(at(offset)))
	require.NoError(f.t, r.Acknowledged(1, offset))
}

func (f *fixture) status(want map[string]any) {
	f.t.Helper()
	got := map[string]any{}
	f.Status(func(name string, v any) { got[strings.TrimPrefix(name, "Rpl_semi_sync_master_")] = fmt.Sprint(v) })
	for name, v := range want {
		require.Equal(f.t, fmt.Sprint(v), got[name], name)
	}
}

func stillWaits(t *testing.T, done chan struct{}) {
	t.Helper()
	select {
	case <-done:
		t.Fatal("does not wait any more")
	default:
	}
}

func TestAcknowledged(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	a, b, c := f.waits(at(200), 3), f.waits(at(300), 1), f.waits(at(400), 2)
	f.status(map[string]any{"wait_sessions": 6, "clients": 1, "status": "ON", "yes_tx": 0})
	f.clock.move(time.Second)
	require.True(t, r.Asks(at(200)))
	f.acknowledge(r, 300)
	<-a
	<-b
	stillWaits(t, c)
	require.False(t, r.Asks(at(250)), "acknowledged by a later one")
	f.status(map[string]any{"wait_sessions": 2, "yes_tx": 4, "request_ack": 2, "get_ack": 1})
	require.NoError(t, r.Acknowledged(1, 200), "late, and no news")
	stillWaits(t, c)
	f.acknowledge(r, 400)
	<-c
	f.AfterSync(at(350), 1) // acknowledged before it asks
	f.status(map[string]any{
		"yes_tx": 7, "no_tx": 0, "tx_waits": 6, "tx_wait_time": 6_000_000, "tx_avg_wait_time": 1_000_000, "get_ack": 3,
		"wait_pos_backtraverse": 0, "wait_sessions": 0,
	})
	r.Leave()
	f.status(map[string]any{"clients": 0})
}

// TestAsksAtEnds: a replica is asked once for a group, not for each of its transactions; with AFTER_COMMIT, where each waits by itself, for each.
func TestAsksAtEnds(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	require.False(t, r.Asks(at(199)))
	require.True(t, r.Asks(at(200)))
	require.NoError(t, r.Acknowledged(1, 200))
	f.set(func(s *Settings) { s.Point = AfterCommit })
	require.True(t, r.Asks(at(249)))
	f.set(func(s *Settings) { s.Point = AfterSync })

	// Of very many the latest ones are asked for, and count for the others.
	first := f.waits(at(2000), 1)
	last := uint64(2000)
	for range 5 * announcedMax {
		f.Announce(at(last))
		last++
	}
	require.LessOrEqual(t, len(f.mu.ends), announcedMax)
	f.acknowledge(r, last-1)
	<-first
	require.Empty(t, f.mu.ends)
	f.Announce(at(last))
	f.set(func(s *Settings) { s.Enabled = false })
	f.set(func(s *Settings) { s.Enabled = true })
	require.False(t, r.Asks(at(last)), "nobody waits for what was before")
}

// TestWaitPointChanges: who waits with AFTER_COMMIT is asked for when the wait point becomes AFTER_SYNC, and so is the end with which the status becomes ON.
func TestWaitPointChanges(t *testing.T) {
	f := start(t)
	f.set(func(s *Settings) { s.Point = AfterCommit })
	r := f.serve(2, 100)
	first, last := make(chan struct{}), make(chan struct{})
	go func() { f.AfterCommit(at(233)); close(first) }()
	go func() { f.AfterCommit(at(266)); close(last) }()
	require.Eventually(t, func() bool { return f.clock.running() == 2 }, 10*time.Second, time.Millisecond)
	f.set(func(s *Settings) { s.Point = AfterSync })
	require.False(t, r.Asks(at(232)))
	f.acknowledge(r, 233)
	<-first
	f.acknowledge(r, 266)
	<-last

	f.set(func(s *Settings) { s.Point, s.Timeout = AfterCommit, 0 })
	f.AfterCommit(at(277)) // does not wait, and switches off
	f.status(map[string]any{"status": "OFF"})
	f.set(func(s *Settings) { s.Point = AfterSync })
	require.False(t, r.Asks(at(276)))
	f.acknowledge(r, 277)
	f.status(map[string]any{"status": "ON"})
}

// TestAwaitAcknowledged waits for what was asked for, and no longer.
func TestAwaitAcknowledged(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	r.AwaitAcknowledged(t.Context()) // nothing was asked for
	require.True(t, r.Asks(at(200)))
	require.True(t, r.Asks(at(300)))
	done := make(chan struct{})
	go func() { r.AwaitAcknowledged(t.Context()); close(done) }()
	require.NoError(t, r.Acknowledged(1, 200))
	stillWaits(t, done)
	require.NoError(t, r.Acknowledged(1, 300))
	<-done

	require.True(t, r.Asks(at(400)))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	r.AwaitAcknowledged(ended)
}

func TestWaitsInAnyOrder(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	later, earlier := f.waits(at(300), 1), f.waits(at(200), 1)
	f.status(map[string]any{"wait_pos_backtraverse": 1})
	f.acknowledge(r, 200)
	<-earlier
	stillWaits(t, later)
	f.acknowledge(r, 300)
	<-later
}

func TestTimeOutAndReturn(t *testing.T) {
	f := start(t)
	a := f.waits(at(200), 1)
	f.clock.move(5 * time.Second)
	b := f.waits(at(300), 1)
	f.clock.move(5 * time.Second)
	<-a
	<-b // all go on
	f.status(map[string]any{"status": "OFF", "no_times": 1, "no_tx": 2})
	f.log.has(t, `"Timeout waiting for reply of binlog (file: binlog.000001, pos: 200), semi-sync up to file , position 0."`)
	f.log.has(t, `"Semi-sync replication switched OFF."`)
	f.AfterSync(at(400), 1) // does not wait
	f.status(map[string]any{"no_tx": 3})

	r := f.serve(2, 100)
	require.False(t, r.Asks(at(300)), "nobody waits for it any more")
	f.status(map[string]any{"status": "OFF"})
	f.acknowledge(r, 400)
	f.status(map[string]any{"status": "ON"})
	f.log.has(t, `"Semi-sync replication switched ON with slave (server_id: 2) at (binlog.000001, 400)"`)
	c := f.waits(at(500), 1)
	f.acknowledge(r, 500)
	<-c
}

// TestStartCounts: what a replica has when it connects needs no acknowledgement.
func TestStartCounts(t *testing.T) {
	f := start(t)
	a := f.waits(at(200), 1)
	r := f.serve(2, 150)
	stillWaits(t, a)
	r.Has(at(200)) // skipped
	<-a
	f.status(map[string]any{"yes_tx": 1, "get_ack": 0})
}

func TestFewerReplicasThanNeeded(t *testing.T) {
	f := start(t)
	f.set(func(s *Settings) { s.WaitNoReplica = false })
	f.AfterSync(at(200), 1)
	f.status(map[string]any{"status": "ON", "no_tx": 1})
	r := f.serve(2, 200)
	a := f.waits(at(300), 1)
	r.Leave()
	<-a
	f.status(map[string]any{"status": "ON", "no_tx": 2})

	f.set(func(s *Settings) { s.WaitNoReplica = true })
	f.serve(2, 200).Leave()
	b := f.waits(at(400), 1)
	f.set(func(s *Settings) { s.WaitNoReplica = false }) // counts for who waits
	<-b
}

func TestSeveralReplicas(t *testing.T) {
	f := start(t)
	f.set(func(s *Settings) { s.Replicas = 2 })
	r2, r3, r4 := f.serve(2, 100), f.serve(3, 100), f.serve(4, 100)
	a := f.waits(at(300), 1)
	f.acknowledge(r2, 300)
	stillWaits(t, a)
	f.acknowledge(r3, 200)
	stillWaits(t, a)
	f.acknowledge(r4, 400)
	<-a
	require.False(t, r2.Asks(at(250)))
	b := f.waits(at(400), 1)
	again := f.serve(4, 100) // the same replica by another connection, which has forgotten something
	require.False(t, r4.Asks(at(500)))
	f.acknowledge(r2, 400)
	stillWaits(t, b)
	r4.Leave()
	f.status(map[string]any{"clients": 3})
	f.acknowledge(again, 400)
	<-b
	c := f.waits(at(500), 1)
	f.acknowledge(r2, 500)
	f.set(func(s *Settings) { s.Replicas = 1 })
	<-c
}

func TestWrongAcknowledgements(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	require.Error(t, r.Acknowledged(1, 200), "not asked for anything")
	require.True(t, r.Asks(at(200)))
	require.Error(t, r.Acknowledged(1, 201))
	require.Error(t, r.Acknowledged(2, 4))
	f.status(map[string]any{"get_ack": 0})
	require.NoError(t, r.Acknowledged(1, 200))
}

// TestLongFiles: events have only 32 bits for where they end.
func TestLongFiles(t *testing.T) {
	const gib4 = 1 << 32
	f := start(t)
	r := f.serve(2, 100)
	f.Announce(at(gib4 - 100))
	f.Announce(at(gib4 + 50))
	a, b := f.waits(at(gib4-100), 1), f.waits(at(gib4+50), 1)
	require.True(t, r.Asks(at(gib4-100)))
	require.True(t, r.Asks(at(gib4+50)))
	require.NoError(t, r.Acknowledged(1, gib4-100))
	<-a
	stillWaits(t, b)
	require.NoError(t, r.Acknowledged(1, 50))
	<-b
}

func TestSettingsOfWhoWaits(t *testing.T) {
	f := start(t)
	a := f.waits(at(200), 1)
	f.clock.move(time.Second)
	f.set(func(s *Settings) { s.Timeout = time.Millisecond })
	<-a
	f.status(map[string]any{"status": "OFF"})
	f.set(func(s *Settings) { s.Enabled = false })
	f.AfterSync(at(300), 1)
	f.AfterCommit(at(300))
	f.status(map[string]any{"no_tx": 1, "status": "OFF"})
	f.set(func(s *Settings) { s.Enabled, s.Timeout, s.Point = true, time.Hour, AfterCommit })
	f.AfterSync(at(300), 1) // not the point
	f.status(map[string]any{"status": "ON", "no_tx": 1})
	r := f.serve(2, 100)
	done := make(chan struct{})
	go func() { f.AfterCommit(at(300)); close(done) }()
	f.acknowledge(r, 300)
	<-done
	f.set(func(s *Settings) { s.Point = AfterSync })
	b := f.waits(at(400), 1)
	f.set(func(s *Settings) { s.Enabled = false })
	<-b
	require.False(t, r.Asks(at(500)))
}

func TestReset(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	f.acknowledge(r, 1000)
	a := f.waits(at(2000), 1)
	f.Reset()
	require.False(t, r.Asks(at(1000)), "of the old log")
	<-a
	f.announce()
	b := f.waits(at(500), 1) // 500 of the new log was never acknowledged
	r.Has(at(600))           // of the old log
	stillWaits(t, b)
	again := f.serve(2, 4)
	r.Leave()
	f.acknowledge(again, 500)
	<-b
}

func TestShutdown(t *testing.T) {
	f := start(t)
	r := f.serve(2, 100)
	a, b := f.waits(at(200), 1), f.waits(at(300), 1)
	f.BeginEnd()
	stillWaits(t, a)
	f.acknowledge(r, 200)
	<-a
	stillWaits(t, b)
	r.Leave()
	<-b
	f.log.has(t, "SEMISYNC: Forced shutdown.")
	f.AfterSync(at(400), 1)
	f.status(map[string]any{"yes_tx": 1, "no_tx": 2, "status": "ON"})

	f = start(t)
	f.serve(2, 100)
	c := f.waits(at(200), 1)
	f.End()
	<-c
	f.AfterSync(at(400), 1)
}
