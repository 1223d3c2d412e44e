package query_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func withProcedures(t *testing.T) (*server, *client) {
	srv := newServer(t)
	c := srv.connect()
	c.exec("CREATE DATABASE d; USE d; CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(10)); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	return srv, c
}

// Variables hold what columns of their types would, and nothing at first.
func TestProcedureVariables(t *testing.T) {
	_, c := withProcedures(t)
	c.exec("CREATE PROCEDURE p(x TINYINT) BEGIN DECLARE y VARCHAR(3); SET @seen = CONCAT_WS(',', x, y IS NULL); END")
	c.exec("CALL p(5)")
	require.Equal(t, "5,1", c.query("SELECT @seen"))
	c.fails(1264, "CALL p(300)")
	c.exec("CREATE PROCEDURE q() BEGIN DECLARE v INT DEFAULT 7; SELECT id INTO v FROM t WHERE id > 9; SET @seen = v; SELECT id INTO v FROM t; END")
	c.fails(1172, "CALL q()")
	require.Equal(t, "7", c.query("SELECT @seen"))
	c.fails(1235, "CREATE PROCEDURE r(e ENUM('a')) SELECT e")
}

// A handler does not see what its own block's handlers do, and goes on, or leaves its block.
func TestProcedureHandlers(t *testing.T) {
	_, c := withProcedures(t)
	c.exec(`CREATE PROCEDURE p() BEGIN
		DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET @seen = CONCAT(@seen, 'outer ');
		SET @seen = '';
		BEGIN
			DECLARE EXIT HANDLER FOR 1062 BEGIN SET @seen = CONCAT(@seen, 'inner '); INSERT INTO t VALUES (1, 'again'); SET @seen = CONCAT(@seen, 'on '); END;
			INSERT INTO t VALUES (1, 'twice');
			SET @seen = CONCAT(@seen, 'not here ');
		END;
		SET @seen = CONCAT(@seen, 'end');
	END`)
	c.exec("CALL p()")
	require.Equal(t, "inner outer on end", c.query("SELECT @seen"))
}

// The memory of a cursor's rows counts for its session, and is given back.
func TestProcedureCursorMemory(t *testing.T) {
	_, c := withProcedures(t)
	c.exec("CREATE PROCEDURE p(n INT) BEGIN DECLARE s LONGTEXT; DECLARE c CURSOR FOR SELECT REPEAT('x', n) FROM t a JOIN t b; OPEN c; FETCH c INTO s; SET @seen = LENGTH(s); END")
	c.exec("SET max_session_mem_used = 16000000")
	for range 20 {
		c.exec("CALL p(500000)")
	}
	c.fails(1290, "CALL p(5000000)")
	c.exec("CALL p(10)")
	require.Equal(t, "10", c.query("SELECT @seen"))
}

// What a procedure may be made of is in the log as it was written, with what variables were worth.
func TestProcedureStatementsInLog(t *testing.T) {
	_, c := withProcedures(t)
	c.exec("CREATE PROCEDURE p(n INT) BEGIN INSERT INTO t VALUES (n, 'c'); INSERT INTO t VALUES (9, 'd'); END")
	c.exec("CALL p(8)")
	var texts []string
	for _, r := range c.exec("SHOW BINLOG EVENTS").rows {
		if r[2] == "Annotate_rows" && strings.Contains(r[5], "INTO") && !strings.Contains(r[5], "(1, 'a')") {
			texts = append(texts, r[5])
		}
	}
	require.Equal(t, []string{"INSERT INTO `t` VALUES (8, 'c')", "INSERT INTO t VALUES (9, 'd')"}, texts)
}
