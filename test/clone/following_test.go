package clone

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// testFollowing clones a server while it is written to, and has the clone follow it: through a start that waits for START SLAVE, one that does not,
// a restart, a crash and RESET MASTER.
func testFollowing(t *testing.T, s *peer.Server, method string) {
	fill(t, s)
	source := s.DB("")
	defer source.Close()
	peer.AllowReplication(t, source)
	w := transfers(t, s, 2)
	dir := filepath.Join(t.TempDir(), "data")
	out, err := run(t, s, dir, "--method="+method, "--server-id=42", "--replication-user="+peer.ReplicationUser, "--replication-password="+peer.ReplicationPassword)
	require.NoError(t, err, out)
	require.Contains(t, out, "duramen serve --datadir="+dir+" follows it from there")
	fields := strings.Split(strings.TrimSpace(file(t, filepath.Join(dir, "clone_binlog_info"))), "\t")
	require.Len(t, fields, 3)

	const slavePos, binlogPos = "SELECT @@GLOBAL.gtid_slave_pos", "SELECT @@GLOBAL.gtid_binlog_pos"
	still := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 42, Args: []string{"--skip-slave-start"}})
	db := still.DB("")
	status, err := peer.SlaveStatus(db)
	require.NoError(t, err)
	require.Equal(t, []string{"No", "No", "Slave_Pos", peer.ReplicationUser},
		[]string{status["Slave_IO_Running"], status["Slave_SQL_Running"], status["Using_Gtid"], status["Master_User"]})
	require.Equal(t, fields[2], one(t, db, slavePos))
	require.Equal(t, fields[2], one(t, db, binlogPos), "it has logged nothing of its own")
	require.NoError(t, db.Close())
	still.Stop()

	d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 42})
	replica := d.DB("")
	defer replica.Close()
	require.NoError(t, w.wait())
	const odd = "`it's a \"d.b\" ü```" // peer.Tables splits names at dots
	peer.Exec(t, source, "DROP DATABASE "+odd)
	same := func() {
		t.Helper()
		peer.CatchUp(t, source, replica)
		peer.RequireEqualContent(t, source, replica)
		require.Equal(t, one(t, source, binlogPos), one(t, replica, slavePos))
	}
	same()
	sameDefinitions(t, source, replica)
	require.Equal(t, one(t, source, binlogPos), one(t, replica, binlogPos), "it logs what it receives")

	peer.Exec(t, source, "CREATE TABLE bank.later (id INT PRIMARY KEY, v TEXT)", "INSERT INTO bank.later VALUES (1, 'before a restart')")
	d.Restart()
	same()
	peer.Exec(t, source, "INSERT INTO bank.later VALUES (2, 'before a crash')")
	d.Kill()
	peer.Exec(t, source, "UPDATE bank.accounts SET balance = balance + 1")
	d.Up()
	same()

	peer.Exec(t, replica, "STOP SLAVE")
	at := one(t, replica, slavePos)
	peer.Exec(t, replica, "RESET MASTER")
	require.Equal(t, at, one(t, replica, slavePos))
	require.Empty(t, one(t, replica, binlogPos))
	d.Restart()
	peer.Exec(t, source, "DELETE FROM bank.later WHERE id = 1")
	same()
}

func TestFollowingMariaDB(t *testing.T) {
	testFollowing(t, peer.StartMariaDB(t, peer.Options{Binlog: true}), "auto")
}

func TestFollowingDuramen(t *testing.T) {
	peer.RequireMariaDB(t) // for its client
	for _, method := range []string{"sql", "files"} {
		t.Run(method, func(t *testing.T) { testFollowing(t, peer.Start(t, peer.Options{Kind: peer.Duramen}), method) })
	}
}
