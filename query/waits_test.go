package query_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// awaitSleep waits until a session sleeps.
func awaitSleep(t *testing.T, look *client) {
	t.Helper()
	require.Eventually(t, func() bool { return strings.Contains(look.query("SHOW PROCESSLIST"), "User sleep") }, time.Minute, time.Millisecond)
}

// TestKilledWaits: KILL QUERY is an error of SLEEP, but a lock that was not got is NULL.
func TestKilledWaits(t *testing.T) {
	s := newServer(t)
	a, b, look := s.connect(), s.connect(), s.connect()
	a.exec("SET native_sql=ONLY")
	id := a.query("SELECT CONNECTION_ID()")
	for _, sql := range []string{"SELECT SLEEP(1000)", "SELECT 1 + SLEEP(1000), 2", "SET @a = SLEEP(1000)"} {
		got := make(chan error, 1)
		go func() {
			_, err := a.run(sql)
			got <- err
		}()
		awaitSleep(t, look)
		look.exec("KILL QUERY " + id)
		var e *mysqlerr.Error
		require.ErrorAs(t, <-got, &e, sql)
		require.Equal(t, mysqlerr.QueryInterrupted, e.Number, sql)
	}
	b.exec("DO GET_LOCK('a', 0)")
	got := make(chan error, 1)
	var sets []*resultSet
	go func() {
		var err error
		sets, err = a.run("SELECT GET_LOCK('a', 1000)")
		got <- err
	}()
	awaitUserLock(t, look, 1)
	look.exec("KILL QUERY " + id)
	require.NoError(t, <-got)
	require.Equal(t, "NULL", sets[0].text())
	require.Equal(t, "NULL", a.query("SELECT RELEASE_LOCK('b')"))
}

// TestShortIDs: whoever runs a statement, no UUID_SHORT() is there twice.
func TestShortIDs(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	last := uint64(0)
	for _, native := range []string{"ONLY", "OFF", "ONLY", "OFF"} {
		c.exec("SET native_sql=" + native)
		id, err := strconv.ParseUint(c.query("SELECT UUID_SHORT()"), 10, 64)
		require.NoError(t, err)
		require.Greater(t, id, last)
		last = id
	}
}

// TestLoadFile: who may read files of the server reads one that is not larger than max_allowed_packet.
func TestLoadFile(t *testing.T) {
	s := newServer(t)
	c := s.connect()
	file := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(file, []byte("some text"), 0o644))
	c.exec("CREATE USER plain@localhost")
	c.exec("SET native_sql=ONLY")
	want := c.query("SELECT HEX(LOAD_FILE('%s'))", file)
	c.exec("SET native_sql=OFF")
	require.Equal(t, c.query("SELECT HEX(LOAD_FILE('%s'))", file), want)
}
