// Package dialect runs scripts of SQL on Duramen and on a real MariaDB, and compares what both
// answer with what the scripts say.
//
// A script is a file under testdata in the form of cockroachdb/datadriven: a command with
// arguments, its input, a line of four dashes, and the expected output, which is MariaDB's:
//
//	sql
//	CREATE TABLE a (id INT UNSIGNED PRIMARY KEY);
//	INSERT INTO a VALUES (0);
//	UPDATE a SET id = id - 1;
//	SELECT id FROM a;
//	----
//	ok 0
//	ok 1
//	error 1690 22003
//	id
//	0
//
// Each script runs in a new database, d, on fresh connections. TestMariaDB says whether the
// expected output is really MariaDB's; with -rewrite it records it:
//
//	go test -tags gms_pure_go ./test/dialect -run TestMariaDB/limits -rewrite
//	go test -tags gms_pure_go ./test/dialect -run TestDuramen/limits
//
// Statements end with a semicolon at the end of a line. One after the other yields: column names and
// rows, divided by "|"; or "ok" and the number of affected rows; or "error", its number and SQLSTATE.
// Its warnings follow, a line each, with level and number.
//
// Arguments of sql:
//
//	conn=NAME      runs it on a connection of its own, kept until the script ends
//	user=U         whom that connection logs in as (with password=P) when it is first used; root otherwise
//	db=D           the database that it starts in; d otherwise; db=- for none
//	binary         as prepared statements, so that rows come in the binary protocol
//	sort           rows in the order of their text, for queries without ORDER BY
//	messages       the texts of errors and warnings are compared too
//	meta           each column's type, flags, character set, length and decimals are compared too
//	origin         each column's database, table, column and the names that these were created with are compared too
//	nowarnings     warnings are not compared
//	columns=(A,B)  only these columns of results are shown and compared
//	nocount        the number of affected rows is not compared (an ALTER TABLE that copies reports none here)
//	refused=N      Duramen has to refuse each statement of the block with error N: what it cannot do as MariaDB
//	               does, it does not do at all
//	waits          the statement has to wait for a lock on a name: it goes on in the background, and the output is
//	               what PROCESSLIST shows. The command "got", with the same conn=NAME, yields its answer
//	only=duramen   the block is not run on MariaDB; its output is Duramen's, written by hand
package dialect
