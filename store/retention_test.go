package store

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/txn"
)

// fakeReplicas is what replicas need.
type fakeReplicas struct {
	connected int
	needed    uint64
}

func (r *fakeReplicas) Connected() int         { return r.connected }
func (r *fakeReplicas) Needed() (uint64, bool) { return r.needed, r.needed > 0 }
func (r *fakeReplicas) Forget()                { r.needed = 0 }

// agedFS gives files the age that the test says.
type agedFS struct {
	vfs.FS
	age map[string]time.Duration
}

func (fs *agedFS) Stat(name string) (vfs.FileInfo, error) {
	fi, err := fs.FS.Stat(name)
	if age, ok := fs.age[fs.PathBase(name)]; ok && err == nil {
		return agedInfo{fi, time.Now().Add(-age)}, nil
	}
	return fi, err
}

type agedInfo struct {
	vfs.FileInfo
	at time.Time
}

func (i agedInfo) ModTime() time.Time { return i.at }

func TestRetention(t *testing.T) {
	for name, c := range map[string]struct {
		limits   Retention
		replicas *fakeReplicas
		oldest   uint64
	}{
		"no limit":                       {Retention{}, nil, 1},
		"all are young":                  {Retention{MaxAge: 100 * time.Hour}, nil, 1},
		"two are too old":                {Retention{MaxAge: 4 * time.Hour}, nil, 3},
		"all but the live are too old":   {Retention{MaxAge: time.Minute}, nil, 7},
		"large enough":                   {Retention{MaxBytes: 1 << 30}, nil, 1},
		"too large":                      {Retention{MaxBytes: 1}, nil, 7},
		"the stricter limit counts":      {Retention{MaxAge: 4 * time.Hour, MaxBytes: 1}, nil, 7},
		"a replica needs the fourth":     {Retention{MaxBytes: 1}, &fakeReplicas{1, 4}, 4},
		"not enough replicas":            {Retention{MaxBytes: 1, MinReplicas: 2}, &fakeReplicas{1, 4}, 1},
		"enough replicas":                {Retention{MaxBytes: 1, MinReplicas: 2}, &fakeReplicas{2, 6}, 6},
		"nobody knows of any replica":    {Retention{MaxBytes: 1, MinReplicas: 1}, nil, 1},
		"a replica needs what is purged": {Retention{MaxAge: 4 * time.Hour}, &fakeReplicas{1, 1}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			fs := &agedFS{vfs.NewMem(), map[string]time.Duration{}}
			s := open(t, Options{FS: fs, NoPreallocate: true, Logger: quiet()})
			tbl := createTable(t, s)
			for n := 1; n <= 6; n++ {
				insert(t, s, tbl, n)
				fs.age[s.Log().SegmentName(uint64(n))] = time.Duration(7-n) * time.Hour
				require.NoError(t, s.Pipeline().Rotate())
			}
			s.SetRetention(c.limits)
			if c.replicas != nil {
				s.SetReplicas(c.replicas)
			}
			fs.age["binlog.000002"], fs.age["binlog.000003"] = 5*time.Hour, 3*time.Hour
			before := s.Log().DiskUse()
			gone, err := s.ApplyRetention(ctx)
			require.NoError(t, err)
			require.Equal(t, c.oldest, s.Log().Segments()[0].Segment)
			require.Len(t, gone, int(c.oldest)-1)
			require.Equal(t, c.oldest == 1, s.Log().DiskUse() == before)
			insert(t, s, tbl, 100)
			require.NoError(t, s.Close())
			s = open(t, Options{FS: fs, NoPreallocate: true, Logger: quiet()})
			require.EqualValues(t, 7, count(t, s), "the engine was checkpointed before")
		})
	}
}

// TestPurgeAsksForACheckpoint: what keeps the files is the engine's recovery, and the log says from where it starts.
func TestPurgeAsksForACheckpoint(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), NoPreallocate: true, Logger: quiet(), CheckpointInterval: time.Hour})
	tbl := createTable(t, s)
	for n := range 5 {
		insert(t, s, tbl, n)
		require.NoError(t, s.Pipeline().Rotate())
	}
	require.Less(t, s.Engine().Durable().Position.Segment, uint64(3))
	gone, err := s.PurgeLog(ctx, 5)
	require.NoError(t, err)
	require.Len(t, gone, 4)
	require.GreaterOrEqual(t, s.Engine().Durable().Position.Segment, uint64(5))
	insert(t, s, tbl, 100)
	require.Equal(t, "binlog.000006", lastCheckpoint(t, s), "announced with the next write")
	require.NoError(t, s.Pipeline().Rotate())
	require.Equal(t, "binlog.000006", lastCheckpoint(t, s), "and in the next file's header")
	require.NoError(t, s.Checkpoint(ctx))
	insert(t, s, tbl, 101)
	require.Equal(t, "binlog.000007", lastCheckpoint(t, s))
}

// lastCheckpoint is the file that the last BINLOG_CHECKPOINT event names.
func lastCheckpoint(t *testing.T, s *Store) (name string) {
	t.Helper()
	r, err := s.Log().NewReader(logpos.Pos{Segment: s.Log().Segments()[0].Segment})
	require.NoError(t, err)
	defer r.Close()
	for {
		raw, _, err := r.NextNoWait()
		if errors.Is(err, io.EOF) {
			return name
		}
		require.NoError(t, err)
		e, err := event.Decode(raw)
		require.NoError(t, err)
		if c, ok := e.Body.(*event.Checkpoint); ok {
			name = c.File
		}
	}
}

// TestResetBesideCommits: nothing is lost of those who commit while the log is replaced, again and again, and
// a crash afterwards finds everything.
func TestResetBesideCommits(t *testing.T) {
	mem := vfs.NewCrashableMem()
	s := open(t, Options{FS: mem, NoPreallocate: true, Logger: quiet()})
	tbl := createTable(t, s)
	const writers, each = 4, 50
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range each {
				x := s.Txns().Begin(txn.Options{})
				id := w*each + n
				if err := x.Insert(ctx, tbl, image(t, tbl, id)); err != nil {
					t.Errorf("insert %d: %v", id, err)
					return
				}
				if _, err := x.Commit(ctx); err != nil {
					t.Errorf("commit %d: %v", id, err)
					return
				}
			}
		})
	}
	for n := range 8 {
		require.NoError(t, s.ResetLog(ctx, uint64(n%3+1), gtid.NewState(), false))
		require.NoError(t, s.Checkpoint(ctx))
		if n%2 == 1 {
			require.NoError(t, s.Pipeline().Rotate())
		}
	}
	wg.Wait()
	require.EqualValues(t, writers*each, count(t, s))
	s2 := open(t, Options{FS: crash(mem), NoPreallocate: true, Logger: quiet()})
	require.EqualValues(t, writers*each, count(t, s2))
	require.Equal(t, s.Log().StateClone().String(), s2.Log().StateClone().String(), fmt.Sprint(s2.Log().Segments()))
}

// TestPurgeBesideReset: a purge never removes a file of the log that takes the old one's place.
func TestPurgeBesideReset(t *testing.T) {
	s := open(t, Options{FS: vfs.NewMem(), NoPreallocate: true, Logger: quiet()})
	tbl := createTable(t, s)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := s.PurgeLog(ctx, 1<<20); err != nil {
				t.Errorf("purge: %v", err)
				return
			}
		}
	})
	for n := range 30 {
		for range 3 {
			insert(t, s, tbl, 1000+10*n+int(s.Log().End().Segment))
			require.NoError(t, s.Pipeline().Rotate())
		}
		require.NoError(t, s.ResetLog(ctx, 1, gtid.NewState(), false))
		for _, seg := range s.Log().Segments() {
			_, err := s.opts.FS.Stat("/data/" + seg.Name)
			require.NoError(t, err)
		}
	}
	close(stop)
	wg.Wait()
	require.NoError(t, s.Close())
	open(t, Options{FS: s.opts.FS, NoPreallocate: true, Logger: quiet()})
}
