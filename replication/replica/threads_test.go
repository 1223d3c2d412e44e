package replica

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestThreads follows a primary, with failures.
func TestThreads(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, nil)
	must(t)(w.Change(ctx, "", reach))
	w.mu.log = []*primary.Part{group(1), group(2), stretch(3, true, false)}
	w.mu.fail = []error{&primary.Error{Number: 2013, Text: "lost", Retry: true}}
	must(t)(w.Start(ctx, "", Start{}))
	until(t, "the second attempt", func() bool { return w.asked() == " :0, 0-1-2 b.000001:200" })
	if _, err := w.Change(ctx, "", Change{}); numberOf(err) != 1198 {
		t.Error(err)
	}
	if _, err := w.Reset("", false); numberOf(err) != 1198 {
		t.Error(err)
	}
	if notes := must(t)(w.Start(ctx, "", Start{})); len(notes) != 1 || notes[0].Number != 1254 {
		t.Error(notes)
	}
	until(t, "two groups", func() bool { return w.is(t, "").TransactionalGroups == 2 })
	if s := w.is(t, ""); s.IOPhase != Receives || !s.SQLRuns || s.IOError != nil || s.Executed.Pos != 200 || s.GTIDs.String() != "0-1-2" || s.PrimaryID != 7 {
		t.Errorf("%+v", s)
	}
	must(t)(w.Stop(ctx, "", Stop{SQL: true}))
	if s := w.is(t, ""); s.SQLRuns || s.IOPhase != Receives || s.SecondsBehind != nil {
		t.Errorf("%+v", s)
	}
	must(t)(w.Stop(ctx, "", Stop{}))
	if notes := must(t)(w.Stop(ctx, "", Stop{})); len(notes) != 1 || notes[0].Number != 1255 {
		t.Error(notes)
	}
	// Both were stopped: the next start asks for what follows gtid_slave_pos.
	w.mu.slave.Update(gtid.GTID{Domain: 0, Server: 1, Seq: 5})
	must(t)(w.Start(ctx, "", Start{}))
	until(t, "the third attempt", func() bool { return strings.HasSuffix(w.asked(), ", 0-1-5 b.000001:200") })
}

// TestApplierGoesOn restarts a SQL thread beside an IO thread.
func TestApplierGoesOn(t *testing.T) {
	for _, c := range []struct {
		what  string
		log   []*primary.Part
		asked int // how often the primary was asked
	}{
		{"whole groups are given again", []*primary.Part{group(1), group(2), group(3)}, 1},
		{"a group of several parts is received again", []*primary.Part{group(1), stretch(2, true, false), stretch(2, false, true), group(3)}, 2},
	} {
		t.Run(c.what, func(t *testing.T) {
			ctx := context.Background()
			w := newWorld(t, nil)
			must(t)(w.Change(ctx, "", reach))
			w.mu.log, w.mu.failAt = c.log, 2
			must(t)(w.Start(ctx, "", Start{}))
			until(t, "the failure", func() bool { return w.is(t, "").SQLError != nil })
			until(t, "everything received", func() bool { return w.is(t, "").GTIDs.String() == "0-1-3" })
			if s := w.is(t, ""); s.SQLError.Number != 1062 || s.SQLRuns || s.IOPhase != Receives || s.Executed.Pos != 100 {
				t.Fatalf("%+v", s)
			}
			must(t)(w.Start(ctx, "", Start{SQL: true}))
			until(t, "all groups", func() bool { return w.applied() == "0-1-1 0-1-2 0-1-3" })
			until(t, "nothing behind", func() bool { s := w.is(t, ""); return s.SecondsBehind != nil && *s.SecondsBehind == 0 })
			if s := w.is(t, ""); s.SQLError != nil || s.QueueBytes != 0 || s.Executed.Pos != 300 {
				t.Errorf("%+v", s)
			}
			if n := len(strings.Split(w.asked(), ", ")); n != c.asked {
				t.Errorf("asked %d times: %s", n, w.asked())
			}
		})
	}
}

func TestRetries(t *testing.T) {
	refused := &primary.Error{Number: 2003, Text: "error connecting", Retry: true}
	for _, c := range []struct {
		what   string
		err    error
		count  uint64
		number uint16
		asked  int
	}{
		{"until the count is reached", refused, 3, 2003, 3},
		{"not at all", &primary.Error{Number: 1236, Text: "purged"}, 3, 1236, 1},
		{"what has no number", errors.New("odd"), 3, 1593, 1},
		{"connections on which nothing comes", &primary.Error{Number: 2013, Text: "lost", Retry: true}, 3, 2013, 3},
	} {
		t.Run(c.what, func(t *testing.T) {
			var mu sync.Mutex
			asked := 0
			w := newWorld(t, func(cfg *Config) {
				cfg.RetryCount = c.count
				cfg.Receive = func(_ context.Context, r *Receiving) error {
					if c.number == 2013 {
						r.Connected()
					}
					mu.Lock()
					defer mu.Unlock()
					asked++
					return c.err
				}
			})
			ctx := context.Background()
			must(t)(w.Change(ctx, "", reach))
			must(t)(w.Start(ctx, "", Start{IO: true}))
			until(t, "the end", func() bool { return w.is(t, "").IOPhase == NotRunning })
			if s := w.is(t, ""); s.IOError == nil || s.IOError.Number != c.number {
				t.Error(s.IOError)
			}
			mu.Lock()
			defer mu.Unlock()
			if asked != c.asked {
				t.Error(asked)
			}
		})
	}
}

// TestWaitsForRoom has the disk full in the second group: the SQL thread says so, and tries again by itself from there.
func TestWaitsForRoom(t *testing.T) {
	for _, c := range []struct {
		what string
		log  []*primary.Part
		goes bool // on, by itself
	}{
		{"a whole group is given again", []*primary.Part{group(1), group(2), group(3)}, true},
		{"a group of several parts is gone", []*primary.Part{group(1), stretch(2, true, false), stretch(2, false, true), group(3)}, false},
	} {
		t.Run(c.what, func(t *testing.T) {
			ctx := context.Background()
			asleep, awake := make(chan time.Duration, 1), make(chan struct{})
			w := newWorld(t, func(cfg *Config) {
				cfg.sleep = func(ctx context.Context, d time.Duration) error {
					asleep <- d
					select {
					case <-awake:
					case <-ctx.Done():
					}
					return ctx.Err()
				}
			})
			must(t)(w.Change(ctx, "", reach))
			w.mu.log, w.mu.failAt, w.mu.failWith = c.log, 2, fail(1021, "full")
			must(t)(w.Start(ctx, "", Start{}))
			until(t, "the error", func() bool { return w.is(t, "").SQLError != nil })
			s := w.is(t, "")
			if s.SQLError.Number != 1021 {
				t.Error(s.SQLError)
			}
			if c.goes {
				if s.SQLState != "Waiting for someone to free space" || !s.SQLRuns {
					t.Fatalf("%+v", s)
				}
				if d := <-asleep; d != roomRetry {
					t.Error(d)
				}
				close(awake)
			} else {
				until(t, "the end of the thread", func() bool { return !w.is(t, "").SQLRuns })
				must(t)(w.Start(ctx, "", Start{SQL: true}))
			}
			until(t, "all groups", func() bool { return w.applied() == "0-1-1 0-1-2 0-1-3" })
			until(t, "the end of the error", func() bool { return w.is(t, "").SQLError == nil })
		})
	}
}

func TestUntil(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, nil)
	must(t)(w.Change(ctx, "", reach))
	w.mu.log = []*primary.Part{group(1), group(2), group(3), {Kind: primary.UntilReached}}
	for _, c := range []struct {
		how  Start
		want uint16
	}{
		{Start{IO: true, Until: Until{Kind: UntilGTID, List: "0-1-1"}}, 1277},
		{Start{Until: Until{Kind: UntilGTID, List: "x"}}, 1941},
		{Start{Until: Until{Kind: UntilRelay}}, 1277},
	} {
		if _, err := w.Start(ctx, "", c.how); numberOf(err) != c.want {
			t.Errorf("%+v: %v", c.how, err)
		}
	}
	notes := must(t)(w.Start(ctx, "", Start{Until: Until{Kind: UntilPlace, Place: primary.Place{File: "b.000001", Pos: 150}}}))
	if len(notes) != 1 || notes[0].Number != 1278 {
		t.Error(notes)
	}
	until(t, "the SQL thread's end", func() bool { return !w.is(t, "").SQLRuns })
	if s := w.is(t, ""); w.applied() != "0-1-1 0-1-2" || s.SQLError != nil || s.IOPhase != Receives || s.Until.Kind != UntilPlace {
		t.Errorf("%s %+v", w.applied(), s)
	}
	must(t)(w.Stop(ctx, "", Stop{}))
	must(t)(w.Start(ctx, "", Start{Until: Until{Kind: UntilGTID, List: "0-1-3"}}))
	until(t, "both ends", func() bool { s := w.is(t, ""); return !s.SQLRuns && s.IOPhase == NotRunning })
	if w.applied() != "0-1-1 0-1-2 0-1-3" || w.is(t, "").SQLError != nil {
		t.Error(w.applied())
	}
}

// TestDelay holds a group back, and shows what is left of it.
func TestDelay(t *testing.T) {
	ctx := context.Background()
	slept := make(chan time.Duration)
	w := newWorld(t, func(cfg *Config) {
		cfg.now = func() time.Time { return time.Unix(1002, 0) }
		cfg.sleep = func(ctx context.Context, d time.Duration) error {
			slept <- d
			<-ctx.Done()
			return ctx.Err()
		}
	})
	ten := uint64(10)
	change := reach
	change.Delay = &ten
	must(t)(w.Change(ctx, "", change))
	w.mu.log = []*primary.Part{group(1000)}
	must(t)(w.Start(ctx, "", Start{}))
	if d := <-slept; d != 8*time.Second {
		t.Error(d)
	}
	s := w.is(t, "")
	if s.RemainingDelay == nil || *s.RemainingDelay != 8*time.Second || s.SQLState != stateDelays || s.SecondsBehind == nil || *s.SecondsBehind != 2 {
		t.Errorf("%+v", s)
	}
}

// TestQueueIsBounded puts more than there is room for.
func TestQueueIsBounded(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, func(cfg *Config) { cfg.QueueBytes = 25 })
	must(t)(w.Change(ctx, "", reach))
	w.mu.log = []*primary.Part{group(1), group(2), group(3), group(4)}
	must(t)(w.Start(ctx, "", Start{IO: true}))
	until(t, "two groups", func() bool { return w.is(t, "").QueueBytes == 20 })
	if got := w.is(t, "").GTIDs.String(); got > "0-1-2" {
		t.Error(got)
	}
	until(t, "two are counted", func() bool {
		s := w.is(t, "")
		return s.QueueGroups == 2 && s.ReceivedGroups == 2 && s.ReceivedBytes == 20
	})
	if s := w.is(t, ""); s.Age == nil || s.SecondsBehind != nil {
		t.Error("without a SQL thread", s.Age, s.SecondsBehind)
	}
	must(t)(w.Start(ctx, "", Start{SQL: true}))
	until(t, "all groups", func() bool { return w.applied() == "0-1-1 0-1-2 0-1-3 0-1-4" })
	until(t, "nothing is left", func() bool {
		s := w.is(t, "")
		return s.ExecutedGroups() == 4 && s.QueueGroups == 0 && s.QueueBytes == 0
	})
	must(t)(w.Stop(ctx, "", Stop{}))
	if s := w.is(t, ""); s.Age != nil || s.ReceivedGroups != 4 {
		t.Error("stopped", s.Age, s.ReceivedGroups)
	}
}

// TestSkipCounter leaves groups out by the events that they have.
func TestSkipCounter(t *testing.T) {
	ctx := context.Background()
	var mu sync.Mutex
	var skipped []bool
	w := newWorld(t, func(cfg *Config) {
		cfg.Apply = func(ctx context.Context, a *Applying) error {
			for {
				p, err := a.Take(ctx)
				if err != nil {
					return err
				}
				mu.Lock()
				skipped = append(skipped, a.Skips(p))
				mu.Unlock()
				a.Executed(p)
			}
		}
	})
	must(t)(w.Change(ctx, "", reach))
	if err := w.SetSkipCounter("", 2); err != nil {
		t.Fatal(err)
	}
	w.mu.log = []*primary.Part{group(1), group(2), group(3)}
	must(t)(w.Start(ctx, "", Start{}))
	until(t, "three groups", func() bool { return w.is(t, "").TransactionalGroups == 3 })
	mu.Lock()
	defer mu.Unlock()
	if len(skipped) != 3 || !skipped[0] || !skipped[1] || skipped[2] {
		t.Error(skipped)
	}
	if err := w.SetSkipCounter("", 1); numberOf(err) != 1198 {
		t.Error(err)
	}
}

// TestReset forgets the place, and leaves the rest.
func TestReset(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, nil)
	pos := uint64(90)
	change := reach
	change.LogFile, change.LogPos, change.IgnoreServerIDs, change.Delay = text("b.000001"), &pos, &[]uint32{4}, &pos
	must(t)(w.Change(ctx, "", change))
	notes := must(t)(w.Reset("", false))
	s := w.is(t, "")
	if len(notes) != 1 || notes[0].Number != 4190 || s.Settings.GTID != primary.SlavePos || s.Received != (primary.Place{}) || s.Executed != (primary.Place{}) ||
		s.Settings.Delay != 0 || s.Settings.Host != "h" || len(s.Settings.IgnoreServerIDs) != 1 {
		t.Errorf("%v %+v", notes, s)
	}
}

// TestPlaceIsSaved restarts a connection without GTIDs, which goes on where it was.
func TestPlaceIsSaved(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, nil)
	no := primary.NoGTID
	change := reach
	change.GTID = &no
	must(t)(w.Change(ctx, "", change))
	w.mu.log = []*primary.Part{group(1), group(2)}
	must(t)(w.Start(ctx, "", Start{}))
	until(t, "two groups", func() bool { return w.is(t, "").TransactionalGroups == 2 })
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(ctx, "", Start{}); err == nil {
		t.Error("it was started after its end")
	}
	w.open(t)
	w.StartAtBoot(ctx)
	until(t, "the next attempt", func() bool { return strings.HasSuffix(w.asked(), ",  b.000001:200") })
}

// TestPlaceIsSavedInTime: who goes by file and position, because the primary has no GTIDs or by MASTER_USE_GTID=no, finds what was executed in the file
// though nothing has ended.
func TestPlaceIsSavedInTime(t *testing.T) {
	for _, c := range []struct {
		mode     primary.GTIDMode
		fellBack bool
		saved    bool
	}{{primary.NoGTID, false, true}, {primary.SlavePos, true, true}, {primary.SlavePos, false, false}} {
		ctx := context.Background()
		w := newWorld(t, nil)
		var slept atomic.Int64
		sleep, receive := w.cfg.sleep, w.cfg.Receive
		w.cfg.sleep = func(ctx context.Context, d time.Duration) error {
			slept.Add(1)
			return sleep(ctx, d)
		}
		w.cfg.Receive = func(ctx context.Context, r *Receiving) error {
			if c.fellBack {
				r.WithoutGTIDs()
			}
			return receive(ctx, r)
		}
		w.open(t)
		change := reach
		change.GTID = &c.mode
		must(t)(w.Change(ctx, "", change))
		w.mu.log = []*primary.Part{group(1), group(2)}
		must(t)(w.Start(ctx, "", Start{}))
		until(t, "two groups", func() bool { return w.is(t, "").TransactionalGroups == 2 })
		place := func() primary.Place {
			again, err := New(w.cfg) // as a server that starts after a crash reads it
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = again.Close(ctx) }()
			for _, s := range again.All() {
				return s.Executed
			}
			return primary.Place{}
		}
		if c.saved {
			until(t, "the place of the second group", func() bool { return place() == primary.Place{File: "b.000001", Pos: 200} })
			continue
		}
		if at := place(); at != (primary.Place{}) || slept.Load() > 0 {
			t.Errorf("with GTIDs the place is written while groups are executed: %v, %d pauses", at, slept.Load())
		}
	}
}

// TestCloseIsBounded gives up on a thread that does not end.
func TestCloseIsBounded(t *testing.T) {
	ctx := context.Background()
	end := make(chan struct{})
	w := newWorld(t, func(cfg *Config) {
		cfg.Apply = func(context.Context, *Applying) error {
			<-end
			return nil
		}
	})
	must(t)(w.Change(ctx, "", reach))
	must(t)(w.Start(ctx, "", Start{SQL: true}))
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := w.Stop(over, "", Stop{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := w.Close(over); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(end)
	if err := w.Close(ctx); err != nil {
		t.Error(err)
	}
}
