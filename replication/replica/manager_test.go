package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/test/peer"
)

// world is a manager over a primary and a log that are slices.
type world struct {
	*Manager
	cfg Config

	mu struct {
		sync.Mutex
		slave gtid.Position
		// asked is what each attempt has asked for.
		asked []string
		// log is what the primary sends to who asks for everything, fail what ends each attempt then, in turn; nil waits.
		log  []*primary.Part
		fail []error
		// applied are the groups that were committed; failAt is a sequence number at which the applier fails, once, with failWith, or 1062.
		applied  []string
		failAt   uint64
		failWith *primary.Error
	}
}

func newWorld(t *testing.T, change func(*Config)) *world {
	t.Helper()
	w := &world{}
	w.mu.slave = gtid.Position{}
	w.cfg = Config{
		FS: vfs.NewMem(), Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Receive: w.receive, Apply: w.apply,
		SlavePos: func() gtid.Position { return w.slave() },
		BinlogPos: func() gtid.Position {
			return gtid.Position{0: {Domain: 0, Server: 2, Seq: 9}, 3: {Domain: 3, Server: 2, Seq: 1}}
		},
		SetSlavePos: func(_ context.Context, p gtid.Position) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.mu.slave = p
			return nil
		},
		RetryCount: 3,
		sleep:      func(ctx context.Context, d time.Duration) error { return ctx.Err() },
	}
	if change != nil {
		change(&w.cfg)
	}
	w.open(t)
	return w
}

func (w *world) open(t *testing.T) {
	t.Helper()
	m, err := New(w.cfg)
	if err != nil {
		t.Fatal(err)
	}
	w.Manager = m
	t.Cleanup(func() { _ = m.Close(context.Background()) })
}

func (w *world) slave() gtid.Position {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.slave.Clone()
}

func (w *world) receive(ctx context.Context, r *Receiving) error {
	w.mu.Lock()
	w.mu.asked = append(w.mu.asked, fmt.Sprintf("%s %s:%d", r.GTIDs, r.Place.File, r.Place.Pos))
	log, n := w.mu.log, len(w.mu.asked)-1
	var err error
	if n < len(w.mu.fail) {
		err = w.mu.fail[n]
	}
	w.mu.Unlock()
	r.Preparing()
	r.Primary(7, 0)
	r.Connected()
	for _, p := range log {
		if p.GTID.GTID.Seq <= r.GTIDs[0].Seq && p.Kind == primary.Group {
			continue
		}
		if err := r.Put(ctx, p); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

func (w *world) apply(ctx context.Context, a *Applying) error {
	for {
		p, err := a.Take(ctx)
		if err != nil {
			return err
		}
		if p.Kind != primary.Group || !p.Last {
			continue
		}
		w.mu.Lock()
		g := p.GTID.GTID
		if g.Seq == w.mu.failAt && g.Seq != 0 {
			why := cmp.Or(w.mu.failWith, fail(1062, "duplicate"))
			w.mu.failAt = 0
			w.mu.Unlock()
			return why
		}
		w.mu.applied = append(w.mu.applied, g.String())
		w.mu.slave.Update(g)
		w.mu.Unlock()
		a.Executed(p)
	}
}

func group(seq uint64) *primary.Part {
	return &primary.Part{Kind: primary.Group, First: true, Last: true, Bytes: 10, Timestamp: uint32(seq), Place: primary.Place{File: "b.000001", Pos: 100 * seq},
		GTID: event.GTIDInfo{GTID: gtid.GTID{Domain: 0, Server: 1, Seq: seq}, Flags: event.FLTransactional}}
}

func stretch(seq uint64, first, last bool) *primary.Part {
	p := group(seq)
	p.First, p.Last = first, last
	return p
}

func text(s string) *string { return &s }

// must fails the test if a statement does.
func must(t *testing.T) func(notes []Note, err error) []Note {
	return func(notes []Note, err error) []Note {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return notes
	}
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	peer.Await(t, 20*time.Second, what, func() (bool, error) { return is(), nil })
}

func (w *world) applied() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.mu.applied, " ")
}

func (w *world) asked() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.mu.asked, ", ")
}

func (w *world) is(t *testing.T, name string) Status {
	t.Helper()
	s, _, err := w.Status(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var reach = Change{Host: text("h"), User: text("u"), Password: text("secret")}

// TestChange is about the statements while nothing runs.
func TestChange(t *testing.T) {
	ctx := context.Background()
	list := func(n ...uint32) *[]uint32 { return &n }
	pos := func(n uint64) *uint64 { return &n }
	mode := func(m primary.GTIDMode) *primary.GTIDMode { return &m }
	for _, c := range []struct {
		what   string
		before []Change
		change Change
		number uint16
		notes  string
		shown  func(s Status) string
		want   string
	}{
		{what: "no host", change: Change{Host: text("")}, number: 1210},
		{what: "defaults", change: reach, shown: func(s Status) string {
			return fmt.Sprint(s.Settings.Port, s.Settings.ConnectRetry, s.Settings.HeartbeatPeriod, s.Settings.GTID.Shown(), s.Settings.Password)
		}, want: "3306 1m0s 30sSlave_Pos"},
		{what: "a log file", change: Change{LogFile: text("b.000007")}, notes: "4190", before: []Change{reach},
			shown: func(s Status) string { return fmt.Sprint(s.Settings.GTID.Shown(), s.Received, s.Executed) }, want: "No{b.000007 4} {b.000007 4}"},
		{what: "a log file and GTIDs", change: Change{LogFile: text("b"), LogPos: pos(9), GTID: mode(primary.SlavePos)}, notes: "1618 1618",
			shown: func(s Status) string { return fmt.Sprint(s.Settings.GTID.Shown(), s.Received) }, want: "Slave_Pos{b 9}"},
		{what: "a position before the first", change: Change{LogFile: text("b"), LogPos: pos(2)}, notes: "4190",
			shown: func(s Status) string { return fmt.Sprint(s.Received) }, want: "{b 4}"},
		{what: "another port", before: []Change{{LogFile: text("b"), LogPos: pos(9)}}, change: Change{Port: 3307},
			shown: func(s Status) string { return fmt.Sprint(s.Received, s.Settings.Port) }, want: "{ 0} 3307"},
		{what: "something else keeps the place", before: []Change{{LogFile: text("b"), LogPos: pos(9)}}, change: Change{User: text("v")},
			shown: func(s Status) string { return fmt.Sprint(s.Received) }, want: "{b 9}"},
		{what: "a relay log", change: Change{RelayLogFile: text("r")}, notes: "4190", number: 1380},
		{what: "delay", change: Change{Delay: pos(1 << 31)}, number: 1729},
		{what: "port", change: Change{Port: 70000}, number: 1210},
		{what: "long host", change: Change{Host: text(strings.Repeat("h", 256))}, number: 1470},
		{what: "heartbeat", change: Change{Heartbeats: []time.Duration{time.Hour, time.Microsecond}}, notes: "1704 1703",
			shown: func(s Status) string { return fmt.Sprint(s.Settings.HeartbeatPeriod) }, want: "0s"},
		{what: "heartbeat is reset", before: []Change{{Heartbeats: []time.Duration{time.Second}}}, change: Change{User: text("v")},
			shown: func(s Status) string { return fmt.Sprint(s.Settings.HeartbeatPeriod) }, want: "30s"},
		{what: "heartbeat too long", change: Change{Heartbeats: []time.Duration{5000000 * time.Second}}, number: 1624},
		{what: "both lists of domains", change: Change{DoDomains: list(1), IgnoreDomains: list(2)}, number: 1201},
		{what: "domains without GTIDs", change: Change{DoDomains: list(1), GTID: mode(primary.NoGTID)}, number: 1201},
		{what: "no GTIDs, domains from before", before: []Change{{DoDomains: list(1)}}, change: Change{LogFile: text("b")}, notes: "4190", number: 1201},
		{what: "domains", change: Change{DoDomains: list(3, 1, 3)}, shown: func(s Status) string { return fmt.Sprint(s.Settings.DoDomains) }, want: "[1 3]"},
		{what: "the other list of domains", before: []Change{{DoDomains: list(3)}}, change: Change{DoDomains: list(), IgnoreDomains: list(2)},
			shown: func(s Status) string { return fmt.Sprint(s.Settings.DoDomains, s.Settings.IgnoreDomains) }, want: "[] [2]"},
		{what: "servers", change: Change{IgnoreServerIDs: list(5, 1, 5)}, shown: func(s Status) string { return fmt.Sprint(s.Settings.IgnoreServerIDs) }, want: "[1 5]"},
		{what: "demoted without GTIDs", change: Change{Demote: true, GTID: mode(primary.CurrentPos)}, number: 4191},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld(t, nil)
			for _, b := range c.before {
				must(t)(w.Change(ctx, "", b))
			}
			before := w.is(t, "")
			notes, err := w.Change(ctx, "", c.change)
			var numbers []string
			for _, n := range notes {
				numbers = append(numbers, fmt.Sprint(n.Number))
			}
			if got := strings.Join(numbers, " "); got != c.notes {
				t.Errorf("notes %s, want %s", got, c.notes)
			}
			if got := numberOf(err); got != c.number {
				t.Fatalf("error %v, want %d", err, c.number)
			}
			if c.number != 0 {
				if after := w.is(t, ""); fmt.Sprint(after) != fmt.Sprint(before) {
					t.Errorf("it has changed\n%v\nto\n%v", before, after)
				}
				return
			}
			if got := c.shown(w.is(t, "")); got != c.want {
				t.Errorf("shown %s, want %s", got, c.want)
			}
			shown := c.shown(w.is(t, ""))
			w.open(t) // a restart
			if got := c.shown(w.is(t, "")); got != shown {
				t.Errorf("after a restart %s, before %s", got, shown)
			}
		})
	}
}

func numberOf(err error) uint16 {
	var pe *primary.Error
	if errors.As(err, &pe) {
		return pe.Number
	}
	if err != nil {
		return 1
	}
	return 0
}

func TestDemoted(t *testing.T) {
	w := newWorld(t, nil)
	w.mu.slave = gtid.Position{0: {Domain: 0, Server: 1, Seq: 12}, 1: {Domain: 1, Server: 1, Seq: 5}}
	must(t)(w.Change(context.Background(), "", Change{Demote: true}))
	if got := w.slave().String(); got != "0-1-12,1-1-5,3-2-1" {
		t.Error(got)
	}
}

// TestNames is about several connections.
func TestNames(t *testing.T) {
	ctx := context.Background()
	w := newWorld(t, nil)
	for _, step := range []struct {
		what string
		do   func() ([]Note, error)
		want uint16
	}{
		{"stop one that is not there", func() ([]Note, error) { return w.Stop(ctx, "zz", Stop{}) }, 1617},
		{"start one that is not there", func() ([]Note, error) { return w.Start(ctx, "zz", Start{}) }, 1617},
		{"reset one that is not there", func() ([]Note, error) { return w.Reset("zz", true) }, 1617},
		{"start without a host", func() ([]Note, error) { return w.Start(ctx, "", Start{}) }, 1200},
		{"reset without settings", func() ([]Note, error) { return w.Reset("", true) }, 0},
		{"make one", func() ([]Note, error) { return w.Change(ctx, "Aa", reach) }, 0},
		{"the same server", func() ([]Note, error) { return w.Change(ctx, "", reach) }, 1934},
		{"itself, in other letters", func() ([]Note, error) { return w.Change(ctx, "aA", reach) }, 0},
		{"a failure makes none", func() ([]Note, error) { return w.Change(ctx, "b", Change{Host: text("")}) }, 1210},
		{"so there is none", func() ([]Note, error) { return w.Stop(ctx, "b", Stop{}) }, 1617},
		{"another port", func() ([]Note, error) { c := reach; c.Port = 3307; return w.Change(ctx, "", c) }, 0},
		{"forget one", func() ([]Note, error) { return w.Reset("AA", true) }, 0},
		{"it is gone", func() ([]Note, error) { return w.Start(ctx, "aa", Start{}) }, 1617},
	} {
		if _, err := step.do(); numberOf(err) != step.want {
			t.Fatalf("%s: %v, want %d", step.what, err, step.want)
		}
	}
	w.open(t)
	if all := w.All(); len(all) != 1 || all[0].Name != "" || all[0].Settings.Port != 3307 {
		t.Error(all)
	}
}

// TestFailingDisk fails every operation on the files in turn, and crashes: the statement has failed, and the settings are the old ones or the new ones.
func TestFailingDisk(t *testing.T) {
	ctx := context.Background()
	seen := map[string]bool{}
	for n := 0; ; n++ {
		mem := vfs.NewCrashableMem()
		if err := mem.MkdirAll("data", 0o755); err != nil {
			t.Fatal(err)
		}
		root, err := mem.OpenDir("")
		if err == nil {
			err = errors.Join(root.Sync(), root.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		armed, left := false, n
		w := newWorld(t, func(cfg *Config) {
			cfg.Dir = "data"
			cfg.FS = errorfs.Wrap(mem, errorfs.InjectorFunc(func(errorfs.Op) error {
				if armed {
					left--
				}
				if left < 0 {
					return errorfs.ErrInjected
				}
				return nil
			}))
		})
		must(t)(w.Change(ctx, "", reach))
		armed = true
		_, err = w.Change(ctx, "", Change{User: text("new")})
		if err == nil {
			if n < 5 {
				t.Fatal("nothing was written")
			}
			break // it has not failed: there are no more operations
		}
		if numberOf(err) != 1201 || w.is(t, "").Settings.User != "u" {
			t.Errorf("operation %d: %v, user %s", n, err, w.is(t, "").Settings.User)
		}
		after := w.cfg
		after.FS = mem.CrashClone(vfs.CrashCloneCfg{})
		m, err := New(after)
		if err != nil {
			t.Fatalf("operation %d: %v", n, err)
		}
		s, _, _ := m.Status("")
		seen[s.Settings.User] = true
		if s.Settings.User != "u" && s.Settings.User != "new" || s.Settings.Host != "h" {
			t.Errorf("operation %d: %+v", n, s.Settings)
		}
	}
	if !seen["u"] {
		t.Error(seen)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	w := newWorld(t, func(cfg *Config) { cfg.FS, cfg.Dir = vfs.Default, dir })
	must(t)(w.Change(context.Background(), "", reach))
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	w.open(t)
	if c, err := w.find(""); err != nil || c.settings().Password != "secret" {
		t.Error(err)
	}
	for _, bad := range []string{"", "{", `{"Version": 2}`, `{"Version": 1, "More": 1}`} {
		if err := os.WriteFile(filepath.Join(dir, FileName), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(w.cfg); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}
