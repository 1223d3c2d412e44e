package clone

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// proxy is between a client and a server. hook is called once, when the server has sent that many bytes on one connection.
func proxy(t *testing.T, to *peer.Server, after int64, hook func()) (port int) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var once sync.Once
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to.Addr())
			if err != nil {
				_ = client.Close()
				continue
			}
			end := func() { _, _ = client.Close(), server.Close() }
			all.Go(func() {
				_, _ = io.Copy(server, client)
				end()
			})
			all.Go(func() {
				if n, _ := io.CopyN(client, server, after); n == after {
					once.Do(hook)
				}
				_, _ = io.Copy(client, server)
				end()
			})
		}
	})
	return l.Addr().(*net.TCPAddr).Port
}

// viaProxy is the command of a clone by files through a proxy.
func viaProxy(t *testing.T, port int, dir string) *exec.Cmd {
	t.Helper()
	return exec.Command(peer.Binary(t), "clone", "--no-defaults", "--datadir="+dir, "--port="+strconv.Itoa(port), "--no-follow", "--method=files", "127.0.0.1")
}

// midway is a number of bytes that the source sends in the middle of large.
const midway = 3 << 20

// exportDir is where a source has the links of what it sends.
func exportDir(s *peer.Server) string { return filepath.Join(s.Dir, "export") }

// A source that crashes while it sends leaves nothing: neither a directory of the clone, nor, after its next start, its own links.
func TestFilesSourceKilled(t *testing.T) {
	s, db := engines(t)
	large(t, db)
	var there atomic.Bool
	port := proxy(t, s, midway, func() {
		_, err := os.Stat(exportDir(s))
		there.Store(err == nil)
		s.Kill()
	})
	dir := filepath.Join(t.TempDir(), "data")
	out, err := viaProxy(t, port, dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "copy the source's files: ")
	require.NotContains(t, string(out), "rows are copied")
	require.NoDirExists(t, dir)
	require.True(t, there.Load(), "it was in the middle")
	require.DirExists(t, exportDir(s))
	s.Up()
	require.NoDirExists(t, exportDir(s))
	text, err := run(t, s, dir, "--method=files", "--no-follow", "--verify")
	require.NoError(t, err, text)
	require.NoDirExists(t, exportDir(s))
}

// A clone that is killed while it receives leaves a directory on which no server starts; one that is interrupted leaves none. The source frees the files.
func TestFilesInterrupted(t *testing.T) {
	s, db := engines(t)
	large(t, db)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
		dir := filepath.Join(t.TempDir(), "data")
		started := make(chan *os.Process, 1)
		port := proxy(t, s, midway, func() {
			p := <-started
			_ = p.Signal(signal) // whether it was there in time is seen below
		})
		cmd := viaProxy(t, port, dir)
		require.NoError(t, cmd.Start())
		started <- cmd.Process
		require.Error(t, cmd.Wait())
		peer.Await(t, time.Minute, "the source frees its files", func() (bool, error) {
			_, err := os.Stat(exportDir(s))
			return errors.Is(err, fs.ErrNotExist), nil
		})
		if signal == syscall.SIGINT {
			require.NoDirExists(t, dir)
			continue
		}
		require.FileExists(t, filepath.Join(dir, "clone.unfinished"))
		line := peer.Prepare(t, peer.Options{Kind: peer.Duramen, Dir: dir}).Command()
		out, err := exec.Command(line[0], line[1:]...).CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 5, exit.ExitCode(), "%s", out)
	}
}

// reading is the statement on a connection of its own, of which the first rows were read.
type reading struct {
	id   string
	rows *sql.Rows
	end  func()
}

func read(t *testing.T, s *peer.Server) *reading {
	t.Helper()
	db := s.DB("")
	ctx, cancel := context.WithCancel(context.Background())
	c, err := db.Conn(ctx)
	require.NoError(t, err)
	r := &reading{}
	require.NoError(t, c.QueryRowContext(ctx, "SELECT CONNECTION_ID()").Scan(&r.id))
	r.rows, err = c.QueryContext(ctx, shipStatement)
	require.NoError(t, err)
	r.end = sync.OnceFunc(func() {
		cancel()
		_, _, _ = r.rows.Close(), c.Close(), db.Close()
	})
	t.Cleanup(r.end)
	for range 2 {
		require.True(t, r.rows.Next())
	}
	require.DirExists(t, exportDir(s))
	return r
}

// KILL, a client that goes away, and the end of the server end the statement, and free what it holds.
func TestFilesKilled(t *testing.T) {
	s, db := engines(t)
	large(t, db)
	freed := func() {
		t.Helper()
		peer.Await(t, time.Minute, "the files are free", func() (bool, error) {
			_, err := os.Stat(exportDir(s))
			return errors.Is(err, fs.ErrNotExist), nil
		})
	}
	for _, kill := range []string{"KILL QUERY ", "KILL "} {
		r := read(t, s)
		_, err := db.Exec(shipStatement)
		requireNumber(t, err, 1220)
		peer.Exec(t, db, kill+r.id)
		for r.rows.Next() { // what was on the way
		}
		require.Error(t, r.rows.Err(), kill)
		freed()
		r.end()
	}
	r := read(t, s)
	r.end()
	freed()

	read(t, s)
	s.Stop()
	require.NoDirExists(t, exportDir(s))
	s.Up()
	out, err := run(t, s, filepath.Join(t.TempDir(), "data"), "--method=files", "--no-follow", "--verify")
	require.NoError(t, err, out)
}

func requireNumber(t *testing.T, err error, number uint16) {
	t.Helper()
	var refused *mysql.MySQLError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, number, refused.Number, refused.Message)
}
