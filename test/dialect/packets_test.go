package dialect

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestDefinitionPackets compares the column definitions that COM_FIELD_LIST and COM_STMT_PREPARE answer with,
// byte for byte, with MariaDB's. Both servers are asked each time; there is no record to rewrite.
func TestDefinitionPackets(t *testing.T) {
	var both [2]*client.Conn
	for i, kind := range []peer.Kind{peer.Duramen, peer.MariaDB} {
		var s *peer.Server
		if kind == peer.MariaDB {
			s = peer.StartMariaDB(t, peer.Options{})
		} else {
			s = peer.Start(t, peer.Options{Kind: kind})
		}
		c, err := client.Connect(s.Addr(), "root", "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for _, q := range []string{
			"CREATE DATABASE d CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
			"USE d",
			`CREATE TABLE a (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, s VARCHAR(10) NOT NULL DEFAULT 'it''s', n DECIMAL(10,2) DEFAULT 1.5,
				at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, t TIME(3), b BIT(4) DEFAULT b'101', j JSON, bl BLOB, tx TEXT, e ENUM('a','b') DEFAULT 'b', sn INT DEFAULT 7)`,
		} {
			if _, err := c.Execute(q); err != nil {
				t.Fatalf("%s on %s: %v", q, kind, err)
			}
		}
		both[i] = c
	}
	for _, command := range []string{
		"\x04a\x00", "\x04a\x00%n", "\x04a\x00s%",
		"\x16SELECT * FROM a", "\x16SELECT * FROM a WHERE id = ? AND s LIKE ?", "\x16SELECT id AS x, s FROM a AS b", "\x16INSERT INTO a (s) VALUES (?)",
		"\x16UPDATE a SET s = ? WHERE id = ?", "\x16SELECT COUNT(*) FROM a WHERE s IN (?, ?, ?)",
	} {
		ours, theirs := packets(t, both[0], command), packets(t, both[1], command)
		if !slices.Equal(ours, theirs) {
			t.Errorf("%q:\n%s\nMariaDB:\n%s", command, strings.Join(ours, "\n"), strings.Join(theirs, "\n"))
		}
	}
}

// packets sends a command and words the packets of its answer.
func packets(t *testing.T, c *client.Conn, command string) []string {
	t.Helper()
	c.ResetSequence()
	if err := c.WritePacket(append(make([]byte, 4), command...)); err != nil {
		t.Fatal(err)
	}
	var out []string
	ends := 1
	if command[0] == mysql.COM_STMT_PREPARE {
		p := read(t, c)
		columns, params := binary.LittleEndian.Uint16(p[5:]), binary.LittleEndian.Uint16(p[7:])
		out = append(out, fmt.Sprintf("%d columns, %d parameters", columns, params))
		ends = min(int(columns), 1) + min(int(params), 1)
	}
	for ends > 0 {
		p := read(t, c)
		if p[0] == mysql.EOF_HEADER && len(p) < 9 {
			ends--
			continue
		}
		if command[0] == mysql.COM_FIELD_LIST {
			p = withoutDefault(p)
		}
		out = append(out, fmt.Sprintf("%q", p))
	}
	return out
}

// withoutDefault takes off the default value with which a definition ends in COM_FIELD_LIST: Duramen sends NULL.
func withoutDefault(p []byte) []byte {
	at := 0
	for range 6 { // catalog, database, table, its name, column, its name
		at += 1 + int(p[at])
	}
	return p[:at+13]
}

func read(t *testing.T, c *client.Conn) []byte {
	t.Helper()
	p, err := c.ReadPacket()
	if err != nil {
		t.Fatal(err)
	}
	if p[0] == mysql.ERR_HEADER {
		t.Fatalf("error %q", p)
	}
	return p
}
