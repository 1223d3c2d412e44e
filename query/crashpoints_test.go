package query_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/crashtest"
)

// site is a set-up of servers whose power fails.
type site struct {
	name  string
	kinds []engine.Kind
	small bool // transactions are large ones early, and deltas full
}

func (c *site) tune(removed *crashtest.Orphans) func(*store.Options) {
	return func(o *store.Options) {
		o.Logger = slog.New(removed)
		if c.small {
			o.BinlogCacheSize, o.LargeCommitThreshold, o.WriteSetMemory = 512, 1024, 512
		}
	}
}

func sites() []*site {
	lsmKind := lsm.Kind{CacheBytes: 1 << 20, MemTableBytes: 256 << 10, NoCompactions: true}
	btreeKind := btree.Kind{MapBytes: 64 << 20}
	return []*site{
		{name: "lsm first", kinds: []engine.Kind{lsmKind, btreeKind, memory.Kind{}}},
		{name: "btree first, small", kinds: []engine.Kind{btree.Kind{MapBytes: 64 << 20, DeltaKeys: 20}, lsmKind, memory.Kind{}}, small: true},
	}
}

// picture is what is found when the power fails.
type picture struct {
	fs    *crashfs.FS
	op    crashfs.Op
	acked bool // the statement was acknowledged before
}

// blackout is one statement, and what was found when the power failed before each of the operations of the file system that it, the
// checkpoint after it and the end of the server make.
type blackout struct {
	t        *testing.T
	site     *site
	rng      *rand.Rand
	pictures []picture
	// What there is before and after, to SQL and in the log.
	oldState, newState string
	oldLog, newLog     []string

	olds, news, removed int
}

// serverOn is a server on a file system.
func (b *blackout) serverOn(fs *crashfs.FS, removed *crashtest.Orphans) *server {
	s := &server{t: b.t, fs: fs, kinds: b.site.kinds, tune: b.site.tune(removed)}
	s.open()
	return s
}

// run runs the statement on the tables of base. number is its error, 0 for none.
func (b *blackout) run(base *crashfs.FS, statement string, number uint16) {
	t := b.t
	fs := base.Crash(crashfs.KeepAll, b.rng)
	s := b.serverOn(fs, new(crashtest.Orphans))
	b.disarrange(s)
	b.oldState, b.oldLog = stateOf(s), logOf(s)
	held := keysOf(s)
	c := s.connectTo("d")
	acked := false
	var mu sync.Mutex
	fs.SetHook(func(op crashfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		op.Data = nil
		losses := []crashfs.Loss{crashfs.KeepAll, {}, crashfs.RandomLoss(b.rng)}
		if !fullScale() {
			losses = losses[len(b.pictures)%3:][:1]
		}
		for _, loss := range losses {
			b.pictures = append(b.pictures, picture{fs.Crash(loss, b.rng), op, acked})
		}
		return nil
	})
	_, err := c.run(statement)
	var failed *mysqlerr.Error
	if number == 0 {
		require.NoError(t, err, statement)
	} else {
		require.ErrorAs(t, err, &failed, statement)
		require.Equal(t, int(number), int(failed.Number), "%s: %v", statement, err)
	}
	mu.Lock()
	acked = true
	mu.Unlock()
	c.Close()
	require.NoError(t, s.store.Checkpoint(t.Context()))
	b.newState, b.newLog = stateOf(s), logOf(s)
	require.NoError(t, crashtest.VerifyEngines(s.store, false))
	require.Equal(t, number != 0, slices.Equal(held, keysOf(s)), "a statement changes something, and one that fails nothing")
	s.close()
	mu.Lock()
	defer mu.Unlock()
	fs.SetHook(nil)
	b.pictures = append(b.pictures, picture{fs: fs.Crash(crashfs.Loss{}, b.rng), acked: true})
	require.True(t, slices.Equal(b.oldLog, b.newLog[:len(b.oldLog)]), "the log goes on")
	require.Equal(t, number == 0, len(b.newLog) > len(b.oldLog))
}

// disarrange gives all tables rows, and lets the engines be before and after each other.
func (b *blackout) disarrange(s *server) {
	c := s.connectTo("d")
	defer c.Close()
	engines := s.store.Engine().Engines()
	first := b.rng.IntN(len(engines))
	for i := range engines {
		for _, table := range strings.Fields(c.query("SELECT table_name FROM information_schema.tables WHERE table_schema = 'd'")) {
			c.exec("INSERT INTO %s %s", table, insertable(table, 1000+10*i, 5))
		}
		_, err := engines[(first+i)%len(engines)].Checkpoint()
		require.NoError(b.t, err)
	}
}

// recovered starts a server on what was found, once more, and compares.
func (b *blackout) recovered(p picture, interrupted bool) {
	t, fs := b.t, p.fs
	if interrupted { // the power fails in the first start, too
		n, at, again := 0, 1+b.rng.IntN(60), fs
		loss, rng := crashfs.RandomLoss(b.rng), rand.New(rand.NewPCG(b.rng.Uint64(), 1))
		var mu sync.Mutex
		fs.SetHook(func(crashfs.Op) error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == at {
				again = fs.Crash(loss, rng)
			}
			return nil
		})
		b.serverOn(fs, new(crashtest.Orphans)).close()
		mu.Lock()
		again.SetHook(nil)
		fs = again
		mu.Unlock()
	}
	removed := new(crashtest.Orphans)
	s := b.serverOn(fs, removed)
	log := logOf(s)
	switch added, done := b.addedBy(log); {
	case done:
		b.news++
		require.Equal(t, b.newState, stateOf(s), "the log has the statement")
		require.Empty(t, withoutStarts(added))
	default:
		b.olds++
		require.False(t, p.acked && len(b.newLog) > len(b.oldLog), "the statement was acknowledged and is gone")
		require.Equal(t, b.oldState, stateOf(s), "the log does not have the statement")
		require.Empty(t, withoutStarts(added))
	}
	b.removed += removed.Found()
	b.sound(s, fs)
	state, before := stateOf(s), keysOf(s)
	s.close()

	removed = new(crashtest.Orphans)
	s = b.serverOn(fs, removed)
	require.Zero(t, removed.Found(), "the second start finds orphans")
	require.Equal(t, state, stateOf(s), "the second start changes something")
	require.Equal(t, withoutStarts(log), withoutStarts(logOf(s)), "the second start logs something")
	require.Equal(t, before, keysOf(s), "the second start changes what the engines hold")
	b.sound(s, fs)
	c := s.connectTo("")
	c.exec("CREATE DATABASE later")
	c.exec("CREATE TABLE later.t (id INT PRIMARY KEY)")
	c.exec("INSERT INTO later.t VALUES (1)")
	c.Close()
	s.close()
}

// addedBy is what a log holds beyond what it had before the statement, or after it if done says that it has the statement.
func (b *blackout) addedBy(log []string) (added []string, done bool) {
	b.t.Helper()
	known := b.oldLog
	if len(b.newLog) > len(b.oldLog) && len(log) >= len(b.newLog) && slices.Equal(log[:len(b.newLog)], b.newLog) {
		known, done = b.newLog, true
	}
	require.GreaterOrEqual(b.t, len(log), len(known), "something is gone from the log")
	require.True(b.t, slices.Equal(known, log[:len(known)]), "something else is in the log")
	return log[len(known):], done
}

// startPattern is what a start logs for a table of an engine that keeps nothing.
var startPattern = regexp.MustCompile(`TRUNCATE TABLE .* /\* generated by server for memory table after a restart \*/`)

func withoutStarts(groups []string) []string {
	return slices.DeleteFunc(slices.Clone(groups), startPattern.MatchString)
}

// sound checks that everything is where it belongs, and nothing is left over.
func (b *blackout) sound(s *server, fs *crashfs.FS) {
	s.sound()
	require.NoError(b.t, crashtest.VerifyEngines(s.store, false))
	require.NoError(b.t, crashtest.VerifyFiles(fs, "/data", s.store.Log(), s.kinds...))
	require.NoError(b.t, s.store.Pipeline().AdvanceMark())
	require.Equal(b.t, s.store.Log().End(), s.store.Engine().Applied().Position)
	for _, tbl := range s.store.Catalog().Current().AllTables() {
		if tbl.Def.DB == "d" && tbl.Def.Engine == (memory.Kind{}).Name() {
			require.Empty(b.t, s.holds(tbl.Def.Name), "%s after a restart", tbl.Def.Name)
		}
	}
}

// keysOf is all that the engines hold, without their marks and counters.
func keysOf(s *server) []string {
	var out []string
	for _, e := range s.store.Engine().Engines() {
		it, err := e.NewIter(nil, nil)
		require.NoError(s.t, err)
		for ok := it.First(); ok; ok = it.Next() {
			table, part, _, _ := catalog.ParsePrefix(it.Key())
			if table != catalog.MetaTable || part != catalog.MetaMark && part != catalog.MetaCounters {
				out = append(out, fmt.Sprintf("%s %x %x", e.Name(), it.Key(), it.Value()))
			}
		}
		require.NoError(s.t, errors.Join(it.Error(), it.Close()))
	}
	return out
}

// counterPattern is what a restart forgets of a table in memory.
var counterPattern = regexp.MustCompile(`ENGINE=MEMORY AUTO_INCREMENT=\d+`)

// stateOf is all that SQL tells of the tables, but for the rows of those in memory, which a restart empties.
func stateOf(s *server) string {
	c := s.connectTo("")
	defer c.Close()
	var b strings.Builder
	for _, row := range c.exec("SELECT table_schema, table_name, engine FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema <> 'mysql' ORDER BY 1, 2").rows {
		name := fmt.Sprintf("`%s`.`%s`", row[0], row[1])
		b.WriteString(counterPattern.ReplaceAllString(c.query("SHOW CREATE TABLE %s", name), "ENGINE=MEMORY") + "\n")
		if row[2] != "MEMORY" {
			rows := strings.Split(c.query("SELECT * FROM %s", name), "\n")
			slices.Sort(rows)
			b.WriteString(strings.Join(rows, "\n") + "\n")
		}
	}
	b.WriteString(c.query("SHOW DATABASES"))
	return b.String()
}

// logOf is the log, a text for each transaction, of which every byte counts.
func logOf(s *server) []string {
	log := s.store.Log()
	r, err := log.NewReader(logpos.Pos{Segment: log.Segments()[0].Segment})
	require.NoError(s.t, err)
	defer r.Close()
	var groups binlog.Groups
	var out []string
	var now strings.Builder
	for {
		ev, _, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			require.False(s.t, groups.Open, "the log ends inside a transaction")
			return out
		}
		require.NoError(s.t, err)
		ended, err := groups.Next(ev)
		require.NoError(s.t, err)
		if groups.Open || ended {
			e, err := event.Decode(ev)
			require.NoError(s.t, err)
			fmt.Fprintf(&now, "%T %x ", e.Body, sha256.Sum256(ev))
			if q, ok := e.Body.(*event.Query); ok {
				now.WriteString(q.SQL)
			}
			now.WriteByte('\n')
		}
		if ended {
			out = append(out, now.String())
			now.Reset()
		}
	}
}

// stride is how many operations a run goes on at a time.
func stride(t *testing.T) int {
	if text := os.Getenv("STRIDE"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if fullScale() {
		return 1
	}
	return 7
}

func fullScale() bool { return os.Getenv("DURAMEN_TEST_SCALE") == "full" }
