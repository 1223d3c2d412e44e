package dialect

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestCommandsDuramen and TestCommandsMariaDB send the protocol's commands that are no statements as a user
// without any privilege. What is wanted is MariaDB's answer: 0 is anything but an error.
func TestCommandsDuramen(t *testing.T) { commands(t, peer.Duramen) }

func TestCommandsMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	commands(t, peer.MariaDB)
}

func commands(t *testing.T, kind peer.Kind) {
	s := peer.Start(t, peer.Options{Kind: kind, Binlog: true})
	root := dialTo(t, s, "root")
	must(t, root, "CREATE DATABASE d")
	must(t, root, "CREATE TABLE d.t (id INT PRIMARY KEY)")
	must(t, root, "CREATE USER p@localhost")
	id := binary.LittleEndian.AppendUint32(nil, root.GetConnectionID())
	register := append(binary.LittleEndian.AppendUint32(nil, 7), make([]byte, 3+2+4+4)...)
	dump := append(append(binary.LittleEndian.AppendUint32(nil, 4), 0, 0), append(binary.LittleEndian.AppendUint32(nil, 7), "binlog.000001"...)...)
	for _, c := range []struct {
		name    string
		command byte
		arg     []byte
		want    uint16
	}{
		{"COM_PING", 0x0e, nil, 0},
		{"COM_STATISTICS", 0x09, nil, 0},
		{"COM_INIT_DB", 0x02, []byte("d"), 1044},
		{"COM_INIT_DB, nothing of that name", 0x02, []byte("nothing"), 1044},
		{"COM_INIT_DB", 0x02, []byte("information_schema"), 0},
		{"COM_DEBUG", 0x0d, nil, 1227},
		{"COM_SHUTDOWN", 0x08, []byte{0}, 1227},
		{"COM_PROCESS_KILL", 0x0c, id, 1095},
		{"COM_REGISTER_SLAVE", 0x15, register, 1045},
		{"COM_BINLOG_DUMP", 0x12, dump, 1227},
		{"COM_STMT_PREPARE", 0x16, []byte("SELECT * FROM d.t"), 1142},
		{"COM_STMT_PREPARE", 0x16, []byte("INSERT INTO d.t VALUES (?)"), 1142},
	} {
		p := dialTo(t, s, "p")
		p.ResetSequence()
		if err := p.WritePacket(append(append(make([]byte, 4), c.command), c.arg...)); err != nil {
			t.Fatal(err)
		}
		answer, err := p.ReadPacket()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := uint16(0)
		if answer[0] == mysql.ERR_HEADER {
			got = binary.LittleEndian.Uint16(answer[1:])
		}
		if got != c.want {
			t.Errorf("%s: error %d, want %d: %s", c.name, got, c.want, fmt.Sprintf("%.200q", answer))
		}
	}
	must(t, root, "SELECT 1")
}

// TestLimitParametersDuramen and TestLimitParametersMariaDB give values to LIMIT in the binary protocol. What is
// wanted is the number of rows.
func TestLimitParametersDuramen(t *testing.T) { limitParameters(t, peer.Duramen) }

func TestLimitParametersMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	limitParameters(t, peer.MariaDB)
}

func limitParameters(t *testing.T, kind peer.Kind) {
	s := peer.Start(t, peer.Options{Kind: kind})
	root := dialTo(t, s, "root")
	must(t, root, "CREATE DATABASE d")
	must(t, root, "CREATE TABLE d.t (a INT PRIMARY KEY)")
	must(t, root, "INSERT INTO d.t VALUES (1),(2),(3)")
	db := s.DB("d")
	defer db.Close()
	for _, text := range []string{
		"SELECT a FROM t ORDER BY a LIMIT ?",
		"SELECT a FROM (SELECT a FROM t ORDER BY a LIMIT ?) AS x",
		"SELECT a FROM t UNION SELECT a FROM t ORDER BY a LIMIT ?",
		"WITH x AS (SELECT a FROM t ORDER BY a LIMIT ?) SELECT a FROM x",
	} {
		stmt, err := db.Prepare(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer stmt.Close()
		for _, p := range []struct {
			value any
			rows  int
		}{{nil, 0}, {2, 2}, {int64(1<<63 - 1), 3}, {"1", 1}, {"x", 0}, {2.0, 2}, {nil, 0}} {
			n := 0
			rows, err := stmt.Query(p.value)
			if err == nil {
				for rows.Next() {
					n++
				}
				err = errors.Join(rows.Err(), rows.Close())
			}
			if err != nil || n != p.rows {
				t.Errorf("%s with %v: %d rows, %v, want %d", text, p.value, n, err, p.rows)
			}
		}
	}
}
