package query_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/mysqlerr/storage"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/store"
	"github.com/duramendb/duramen/store/shipment"
)

// shipSink is a result.Sink that gives the rows of SHOW DURAMEN CLONE to a receiver.
type shipSink struct {
	recorder
	to *shipment.Receiver
	// before is called with the number of each row.
	before func(n int) error
	n      int
	ended  bool
}

func (s *shipSink) Row(got result.Row) error {
	s.n++
	if s.before != nil {
		if err := s.before(s.n); err != nil {
			return err
		}
	}
	if err := s.recorder.Row(got); err != nil {
		return err
	}
	set := s.sets[0]
	row := set.rows[0]
	set.rows = nil
	offset, err1 := strconv.ParseUint(row[1], 10, 64)
	sum, err2 := strconv.ParseUint(row[3], 10, 32)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return s.to.Add(&shipment.Row{File: row[0], Offset: offset, Data: []byte(row[2]), Sum: uint32(sum)})
}

func (s *shipSink) EndRows(result.Status) error {
	s.ended = true
	return nil
}

const shipStatement = "SHOW DURAMEN CLONE"

func newShipSink(dir string) *shipSink {
	return &shipSink{to: shipment.NewReceiver(dir, shipment.Accepts{Format: store.FormatVersion, Basename: "binlog", Dirs: []string{"lsm"}})}
}

// What the statement sends makes a server with the same rows and accounts. Another one is refused meanwhile, and not afterwards.
func TestShowDuramenClone(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	c.exec("CREATE DATABASE d; CREATE TABLE d.t (id INT PRIMARY KEY, v TEXT, KEY (v(10))); INSERT INTO d.t VALUES (1, 'a'), (2, 'b'); CREATE USER u@'%' IDENTIFIED BY 'x'")
	at := c.query("SELECT @@GLOBAL.gtid_binlog_state")
	dir := t.TempDir()
	sink := newShipSink(dir)
	other := s.connect()
	sink.before = func(n int) error {
		if n == 2 {
			other.fails(mysqlerr.ErrorWhenExecutingCommand, shipStatement)
			other.exec("INSERT INTO d.t VALUES (3, 'c')")
		}
		return nil
	}
	require.NoError(t, c.Execute(context.Background(), shipStatement, sink))
	require.True(t, sink.ended)
	m, err := sink.to.Finish()
	require.NoError(t, err)
	require.Equal(t, at, m.Point)
	_, err = s.fs.Stat("/data/export")
	require.Error(t, err)
	require.NotEmpty(t, other.query(shipStatement))

	made := &server{t: t, fs: vfs.NewCrashableMem(), kinds: s.kinds}
	_, err = vfs.Clone(vfs.Default, made.fs, dir, "/data")
	require.NoError(t, err)
	made.open()
	defer made.close()
	copied := made.connect()
	require.Equal(t, "1|a\n2|b", copied.query("SELECT * FROM d.t ORDER BY id"))
	require.Equal(t, at, copied.query("SELECT @@GLOBAL.gtid_binlog_state"))
	require.Equal(t, c.query("SHOW GRANTS FOR u@'%'"), copied.query("SHOW GRANTS FOR u@'%'"))
}

// A client that has gone, and a statement that is killed, end it without a last row, and free the files.
func TestShowDuramenCloneEnds(t *testing.T) {
	s := newServerOf(t, lsm.Kind{})
	c := s.connect()
	gone := errors.New("the client has gone")
	sink := newShipSink(t.TempDir())
	sink.before = func(n int) error {
		if n == 3 {
			return gone
		}
		return nil
	}
	require.ErrorIs(t, c.Execute(context.Background(), shipStatement, sink), gone)
	require.False(t, sink.ended)
	_, err := sink.to.Finish()
	require.ErrorIs(t, err, shipment.ErrDamaged)

	ctx, kill := context.WithCancel(context.Background())
	sink = newShipSink(t.TempDir())
	sink.before = func(n int) error {
		if n == 3 {
			kill()
		}
		return nil
	}
	err = c.Execute(ctx, shipStatement, sink)
	require.EqualValues(t, mysqlerr.QueryInterrupted, storage.From(err).Number, "%v", err)
	require.False(t, sink.ended)
	require.Equal(t, 3, sink.n)
	_, err = s.fs.Stat("/data/export")
	require.Error(t, err)
	require.NotEmpty(t, c.query(shipStatement))
}
