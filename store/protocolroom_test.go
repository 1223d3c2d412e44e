package store

import (
	"errors"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/commit/protocol"
	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/txn"
)

// tinyDisk has room for a few files of a redo log only; with full, it has none for the engine's own files either.
type tinyDisk struct {
	*crashfs.FS
	full      atomic.Bool
	refused   atomic.Int64
	filesMost int
}

func newTinyDisk(files int) *tinyDisk {
	d := &tinyDisk{FS: crashfs.New(), filesMost: files}
	d.SetHook(func(op crashfs.Op) error {
		if op.Kind != crashfs.Create {
			return nil
		}
		dir := path.Base(path.Dir(op.Name))
		switch {
		case dir == "lsm.redo":
			if names, err := d.List(path.Dir(op.Name)); err != nil || len(names) < d.filesMost {
				return err
			}
		case dir != "lsm" || !d.full.Load() || !strings.HasSuffix(op.Name, ".sst"):
			return nil
		}
		d.refused.Add(1)
		return syscall.ENOSPC
	})
	return d
}

// load inserts rows from several sessions, and returns how many were acknowledged and refused.
func load(t *testing.T, s *Store, tbl *catalog.Table, first, rows int) (acknowledged, refused int64) {
	var ok, no atomic.Int64
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for n := range rows {
				x := s.Txns().Begin(txn.Options{})
				x.BeginStatement("INSERT INTO t VALUES (...) /* "+strings.Repeat("x", 300)+" */", true)
				err := x.Insert(ctx, tbl, image(t, tbl, first+worker*rows+n))
				x.EndStatement()
				if err == nil {
					_, err = x.Commit(ctx)
				}
				x.Rollback()
				switch {
				case err == nil:
					ok.Add(1)
				case errors.Is(err, binlog.ErrNoSpace):
					no.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return ok.Load(), no.Load()
}

// A redo log that has no room to grow ends nothing: commits wait for a checkpoint, and are refused when that does not help.
func TestProtocolWithoutRoom(t *testing.T) {
	eachProtocol(t, func(t *testing.T, name protocol.Name) {
		if name == protocol.OneLog {
			return // it has no redo log
		}
		fs := newTinyDisk(3)
		o := Options{Logger: quiet(), FS: fs, CommitProtocol: name, MaxBinlogSize: 16 << 10, Fatal: func(err error) { t.Errorf("the process ends: %v", err) }}
		s := open(t, o)
		tbl := createTable(t, s)
		checkpoints := s.Engine().Stats().Checkpoints
		next, rows := 0, int64(0)
		turn := func(each int) (acknowledged, refused int64) {
			acknowledged, refused = load(t, s, tbl, next, each)
			require.False(t, t.Failed())
			next, rows = next+4*each, rows+acknowledged
			return acknowledged, refused
		}
		for fs.refused.Load() < 3 {
			acknowledged, refused := turn(50)
			require.Less(t, refused, acknowledged)
		}
		require.Greater(t, s.Engine().Stats().Checkpoints, checkpoints, "they waited")

		fs.full.Store(true)
		for refused := int64(0); refused == 0; { // until no checkpoint helps
			_, refused = turn(5)
		}
		require.EqualValues(t, rows, count(t, s))
		fs.full.Store(false)
		for acknowledged := int64(0); acknowledged == 0; { // it goes on when there is room again
			acknowledged, _ = turn(5)
		}
		left := crashed(fs.FS)
		require.NoError(t, s.Close())
		o.FS = left
		s = open(t, o)
		require.EqualValues(t, rows, count(t, s))
	})
}
