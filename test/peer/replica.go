package peer

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"
)

// ReplicationUser and its password are the account that AllowReplication makes.
const (
	ReplicationUser     = "repl"
	ReplicationPassword = "secret"
)

// AllowReplication makes the account that replicas on this machine come with.
func AllowReplication(t testing.TB, primary *sql.DB) {
	t.Helper()
	for _, host := range []string{"127.0.0.1", "localhost"} {
		who := fmt.Sprintf("'%s'@'%s'", ReplicationUser, host)
		Exec(t, primary, "CREATE USER "+who+" IDENTIFIED BY '"+ReplicationPassword+"'", "GRANT REPLICATION SLAVE ON *.* TO "+who)
	}
}

// ChangeMaster is the statement that makes a server follow another one as ReplicationUser, with further options.
func ChangeMaster(primary *Server, more ...string) string {
	return fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%d, MASTER_USER='%s', MASTER_PASSWORD='%s', %s",
		primary.Port, ReplicationUser, ReplicationPassword,
		strings.Join(append([]string{"MASTER_CONNECT_RETRY=1", "MASTER_HEARTBEAT_PERIOD=1"}, more...), ", "))
}

// SlaveStatus is the line of SHOW SLAVE STATUS by its columns, nil if the server follows nobody.
func SlaveStatus(db *sql.DB) (map[string]string, error) {
	rows, err := db.Query("SHOW SLAVE STATUS")
	if err != nil {
		return nil, fmt.Errorf("SHOW SLAVE STATUS: %w", err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil || !rows.Next() {
		return nil, err
	}
	cells, dest := make([]sql.NullString, len(cols)), make([]any, len(cols))
	for i := range cells {
		dest[i] = &cells[i]
	}
	if err := rows.Scan(dest...); err != nil {
		return nil, fmt.Errorf("SHOW SLAVE STATUS: %w", err)
	}
	status := map[string]string{}
	for i, c := range cols {
		status[c] = cells[i].String
	}
	return status, rows.Err()
}

// Stopped gives the error with which one of a replica's threads has stopped. A replica that does not answer has not.
func Stopped(replica *sql.DB) error {
	status, err := SlaveStatus(replica)
	if err != nil || status == nil {
		return nil //nolint:nilerr // it is asked again
	}
	if status["Slave_SQL_Running"] != "No" && status["Slave_IO_Running"] != "No" {
		return nil
	}
	return fmt.Errorf("IO thread %s, %s %s; SQL thread %s, %s %s", status["Slave_IO_Running"], status["Last_IO_Errno"], status["Last_IO_Error"],
		status["Slave_SQL_Running"], status["Last_SQL_Errno"], status["Last_SQL_Error"])
}

// BinlogPosition is how far a server's binary log goes.
func BinlogPosition(t testing.TB, db *sql.DB) string {
	t.Helper()
	return strings.Trim(MustRows(t, db, "SELECT @@GLOBAL.gtid_binlog_pos")[0], `"`)
}

// CatchUp waits until a replica has applied all that its primary has logged. The test fails at once if one of the
// replica's threads has stopped.
func CatchUp(t testing.TB, primary, replica *sql.DB) {
	t.Helper()
	Await(t, 3*time.Minute, "the replica", func() (bool, error) {
		want := BinlogPosition(t, primary)
		if err := Stopped(replica); err != nil {
			t.Fatalf("the replica stopped before %s: %v", want, err)
		}
		at, err := Rows(replica, "SELECT @@GLOBAL.gtid_slave_pos")
		if err != nil {
			return false, err
		}
		return strings.Trim(at[0], `"`) == want, fmt.Errorf("it is at %s, its primary at %s", at[0], want)
	})
}
