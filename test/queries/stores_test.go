package queries

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// receivers are types of columns that get values of others.
var receivers = []string{
	"TINYINT", "INT", "BIGINT UNSIGNED", "INT(4) ZEROFILL", "DECIMAL(10,2)", "DECIMAL(30,10)", "FLOAT", "DOUBLE", "FLOAT(7,2)", "YEAR", "BIT(8)", "DATE",
	"TIME(2)", "DATETIME(3)", "TIMESTAMP(1) NULL", "ENUM('a','1','2020')", "SET('a','1')", "CHAR(5)", "VARCHAR(10)", "TEXT", "BINARY(6)", "VARBINARY(30)",
}

// given are columns of the table that setUpStores makes, and expressions over them.
var given = strings.Split("i bu d f x g y b da t dt ts e s c v vb z j", " ")

var computed = []string{
	"d*2", "i+1", "x/3", "i*1.5", "CONCAT(v,'')", "IF(1,dt,NULL)", "UNIX_TIMESTAMP(dt)", "dt + INTERVAL 1 DAY", "i > 3", "COALESCE(da, 1)", "f+1", "-y", "b+0",
	"LEFT(v,4)", "CASE WHEN i THEN t END", "d/3",
}

var setUpStores = []string{
	"DROP DATABASE IF EXISTS stores", "CREATE DATABASE stores", "USE stores", "SET NAMES utf8mb4, time_zone='+00:00', sql_mode='', timestamp=1700000000",
	"CREATE TABLE o (k INT)", "INSERT INTO o VALUES (1)",
	`CREATE TABLE src (id INT PRIMARY KEY, i INT, bu BIGINT UNSIGNED, d DECIMAL(20,6), f FLOAT, x DOUBLE, g FLOAT(7,2), y YEAR, b BIT(11), da DATE, t TIME(1),
		dt DATETIME(2), ts TIMESTAMP(3) NULL, e ENUM('a','7','2020-01-02'), s SET('a','b'), c CHAR(12), v VARCHAR(30), vb VARBINARY(10), z INT(5) ZEROFILL, j JSON)`,
	`INSERT INTO src VALUES
		(1,5,5,1.5,0.1,1e15,1.25,2020,b'101','2020-01-02','10:11:12.5','2020-01-02 03:04:05.67','2020-01-02 03:04:05.678','a','a','12','2020-01-02 10:11:12.3456','1',7,'1'),
		(2,-300,18446744073709551615,-12345678.999999,1e20,-1e-7,99999.99,0,b'11111111111','0001-01-01','-100:00:00','9999-12-31 23:59:59.99',NULL,'2020-01-02','a,b','x','1e3abc',x'3132',99999,'"2020"'),
		(3,20200102,101112,20200102.5,2020,101112.5,2020.5,1999,b'0','2155-01-01','838:59:59','1970-01-01',NULL,'7','','1.999','','',0,'[1]')`,
}

// What statements of several tables store in a column of any type, made of a column or an expression of any other, is what MariaDB stores, or they are
// refused; with and without strict mode, and with its conditions.
func TestStores(t *testing.T) {
	theirs, ours := dial(t, *theirAddr, startMariaDB), dial(t, *ourAddr, startDuramen)
	execute(t, theirs, setUpStores)
	execute(t, ours, setUpStores)
	refused, all := 0, 0
	for _, mode := range []string{"", "STRICT_TRANS_TABLES"} {
		for _, to := range receivers {
			set := []string{"SET sql_mode=''", "CREATE OR REPLACE TABLE q (id INT PRIMARY KEY, a " + to + ")", "INSERT INTO q (id) VALUES (1), (2), (3)", "SET sql_mode='" + mode + "'"}
			for _, from := range append(append([]string{}, given...), computed...) {
				execute(t, theirs, set)
				execute(t, ours, set)
				for row := 1; row <= 3; row++ {
					for _, text := range []string{
						fmt.Sprintf("INSERT INTO q SELECT %d, %s FROM src, o WHERE src.id = %d", row+10, from, row),
						fmt.Sprintf("UPDATE q, src SET q.a = %s WHERE q.id = %d AND src.id = %[2]d", from, row),
					} {
						all++
						want, got := ask(t, theirs, question{text: text}), ask(t, ours, question{text: text})
						if got.failure == "1235/42000" {
							refused++
							execute(t, theirs, []string{fmt.Sprintf("DELETE FROM q WHERE id = %d", row+10), fmt.Sprintf("UPDATE q SET a = NULL WHERE id = %d", row)})
							continue
						}
						require.Equal(t, want.failure, got.failure, "%s, %s: %s", to, mode, text)
						if want.failure != "" { // MariaDB tells some errors twice
							continue
						}
						said := question{text: "SHOW WARNINGS", ordered: true}
						require.Equal(t, ask(t, theirs, said).rows, ask(t, ours, said).rows, "%s, %s: %s", to, mode, text)
					}
				}
				stored := question{text: "SELECT id, a, HEX(a) FROM q"}
				require.Equal(t, ask(t, theirs, stored).rows, ask(t, ours, stored).rows, "%s, %s: %s", to, mode, from)
				execute(t, theirs, []string{"DELETE FROM q WHERE id > 10"})
				execute(t, ours, []string{"DELETE FROM q WHERE id > 10"})
			}
		}
	}
	t.Logf("%d statements, %d refused", all, refused)
	require.Less(t, refused, all/10)
}
