package applying

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/apply"
)

// TestPartialImages: rows of a table that has more columns here are found by a unique key that is no primary key, by images that lack columns, so many that these
// have fewer octets of NULL bits than a row.
func TestPartialImages(t *testing.T) {
	source, target, _ := pair(t)
	source.exec("CREATE TABLE d.wide (id INT NOT NULL, n INT, v VARCHAR(300), UNIQUE KEY (id)) CHARACTER SET utf8mb4")
	target.exec("CREATE TABLE d.wide (id INT NOT NULL, n INT, v VARCHAR(300), a INT, b INT, c INT, d INT, e INT DEFAULT 7, f LONGTEXT, UNIQUE KEY (id)) CHARACTER SET utf8mb4")
	_, from := source.parts(logpos.At(1, 0))
	source.exec("USE d")
	for id := range 12 {
		n, text := "NULL", "'x'"
		if id%2 == 0 {
			n, text = fmt.Sprint(20*id), "REPEAT('😀', 300)"
		}
		source.exec(fmt.Sprintf("INSERT INTO wide VALUES (%d, %s, %s)", id, n, text))
	}
	source.exec("UPDATE wide SET n = n + 1 WHERE id < 7", "UPDATE wide SET v = REPEAT('y', 290) WHERE id BETWEEN 3 AND 9", "UPDATE wide SET id = id + 100 WHERE id IN (1, 2)",
		"DELETE FROM wide WHERE id IN (4, 5, 102)", "UPDATE wide SET v = NULL WHERE id = 7", "DELETE FROM wide WHERE id = 7")
	parts, _ := source.parts(from)
	applyAll(t, target, parts, apply.Options{})
	const all = "SELECT id, n, v FROM d.wide ORDER BY id"
	require.Len(t, source.query(all), 8)
	require.Equal(t, source.query(all), target.query(all))
}

// TestPartialRowDisplaces: in slave_exec_mode=IDEMPOTENT a new row takes what its image lacks from the row that it displaces, if there is one.
func TestPartialRowDisplaces(t *testing.T) {
	source, target, _ := pair(t)
	source.exec("CREATE TABLE d.part (id INT PRIMARY KEY, a INT, b INT)")
	target.exec("CREATE TABLE d.part (id INT PRIMARY KEY, a INT, b INT DEFAULT 7)", "INSERT INTO d.part VALUES (1, 2, 3)")
	_, from := source.parts(logpos.At(1, 0))
	source.exec("INSERT INTO d.part VALUES (1, 5, 9)", "INSERT INTO d.part VALUES (2, 5, 9)")
	parts, _ := source.parts(from)
	changed := 0
	for _, p := range parts {
		for i := range p.Events {
			if rows, ok := p.Events[i].Body.(*event.RowsInfo); ok { // without b, as a MariaDB sends it with binlog_row_image=MINIMAL
				partial := *rows
				partial.BitmapBefore, partial.Rows = []byte{0b011}, append([]byte{0xfc}, rows.Rows[1:9]...)
				p.Events[i].Body = &partial
				changed++
			}
		}
	}
	require.Equal(t, 2, changed)
	applyAll(t, target, parts, apply.Options{Idempotent: true})
	require.Equal(t, []string{"1|5|3|", "2|5|7|"}, target.query("SELECT * FROM d.part ORDER BY id"))
}
