package drivers

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/duramendb/duramen/test/peer"
)

func TestDrivers(t *testing.T) {
	s := peer.Start(t, peer.Options{})
	port := strconv.Itoa(s.Port)
	t.Run("go-sql-driver", func(t *testing.T) {
		goProgram(t, s, "godriver", "")
		goProgram(t, s, "godriver2", "interpolateParams=true")
	})
	t.Run("PyMySQL", func(t *testing.T) { python(t, "pymysql", "pymysql", port) })
	t.Run("mysql-connector-python", func(t *testing.T) { python(t, "mysql-connector-python", "connector", port) })
	t.Run("MariaDB Connector-J", func(t *testing.T) {
		jar := maven(t, "org.mariadb.jdbc", "mariadb-java-client", "3.5.1")
		java(t, jar, "jdbc:mariadb://127.0.0.1:"+port+"/", "java_mariadb", "sslMode=disable")
		java(t, jar, "jdbc:mariadb://127.0.0.1:"+port+"/", "java_mariadb_prepared", "sslMode=disable&useServerPrepStmts=true")
	})
	t.Run("MySQL Connector-J", func(t *testing.T) {
		jar := maven(t, "com.mysql", "mysql-connector-j", "9.1.0")
		java(t, jar, "jdbc:mysql://127.0.0.1:"+port+"/", "java_mysql", "sslMode=DISABLED&allowPublicKeyRetrieval=true")
		java(t, jar, "jdbc:mysql://127.0.0.1:"+port+"/", "java_mysql_prepared", "sslMode=DISABLED&useServerPrepStmts=true")
	})
	t.Run("mysql2", func(t *testing.T) { node(t, port) })
}

// program finds an interpreter, or skips.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("driver not tested: %s is not installed", name)
	}
	return path
}

func command(dir string, line ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// fetch runs a package manager; the test is skipped when that fails, as then
// nothing about the server is known.
func fetch(t *testing.T, dir string, line ...string) {
	t.Helper()
	if out, err := command(dir, line...); err != nil {
		t.Skipf("driver not tested: %s: %v\n%s", strings.Join(line, " "), err, out)
	}
}

// requireOK runs a driver's program, which ends by printing OK.
func requireOK(t *testing.T, dir string, line ...string) {
	t.Helper()
	out, err := command(dir, line...)
	if err != nil || !strings.HasSuffix(strings.TrimSpace(out), "OK") {
		t.Errorf("%s: %v\n%s", strings.Join(line, " "), err, out)
	}
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func python(t *testing.T, distribution, library, port string) {
	venv := filepath.Join(t.TempDir(), "venv")
	fetch(t, "", program(t, "python3"), "-m", "venv", venv)
	bin := filepath.Join(venv, "bin", "python")
	fetch(t, "", bin, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", distribution)
	requireOK(t, "", bin, testdata(t, "program.py"), library, port)
}

func maven(t *testing.T, group, artifact, version string) (jar string) {
	mvn, dir := program(t, "mvn"), t.TempDir()
	program(t, "java")
	program(t, "javac")
	fetch(t, dir, mvn, "-q", "-B", "dependency:copy", "-DoutputDirectory="+dir,
		"-Dartifact="+group+":"+artifact+":"+version)
	return filepath.Join(dir, artifact+"-"+version+".jar")
}

func java(t *testing.T, jar string, args ...string) {
	t.Helper()
	requireOK(t, "", append([]string{"java", "-Dfile.encoding=UTF-8", "-cp", jar, testdata(t, "Program.java")}, args...)...)
}

func node(t *testing.T, port string) {
	interpreter, npm, dir := program(t, "node"), program(t, "npm"), t.TempDir()
	fetch(t, dir, npm, "install", "--silent", "--no-audit", "--no-fund", "--prefix", dir, "mysql2@3")
	source, err := os.ReadFile(testdata(t, "program.js"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "program.js"), source, 0o644); err != nil {
		t.Fatal(err)
	}
	requireOK(t, dir, interpreter, "program.js", port)
}

func goProgram(t *testing.T, s *peer.Server, name, parameter string) {
	t.Helper()
	admin := s.DB("")
	defer admin.Close()
	peer.Exec(t, admin, "CREATE DATABASE "+name)
	db := s.DB(name, "parseTime=true", parameter)
	defer db.Close()
	peer.Exec(t, db, "CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) UNIQUE, price DECIMAL(10,2), at DATETIME(6), data BLOB, f DOUBLE, b BIGINT UNSIGNED)")
	at := time.Date(2026, 2, 3, 4, 5, 6, 789000, time.UTC)
	data := []byte{0, 255, '\'', '\\'}
	const insert = "INSERT INTO t (name, price, at, data, f, b) VALUES (?, ?, ?, ?, ?, ?)"
	r, err := db.Exec(insert, "grün 😀", "12.50", at, data, 1.25, uint64(1<<64-1))
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := r.LastInsertId(); id != 1 {
		t.Errorf("insert id %d", id)
	}
	for i := range 10 {
		if _, err := db.Exec(insert, "n"+strconv.Itoa(i), i, at, nil, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	var n, price string
	var when time.Time
	var bytesRead []byte
	var f float64
	var b uint64
	if err := db.QueryRow("SELECT name, price, at, data, f, b FROM t WHERE id = ?", 1).Scan(&n, &price, &when, &bytesRead, &f, &b); err != nil {
		t.Fatal(err)
	}
	if n != "grün 😀" || price != "12.50" || !when.Equal(at) || !bytes.Equal(bytesRead, data) || f != 1.25 || b != 1<<64-1 {
		t.Errorf("row 1 came back as %q %q %v %v %v %v", n, price, when, bytesRead, f, b)
	}
	tx, err := db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	if err != nil {
		t.Fatal(err)
	}
	if r, err := tx.Exec("UPDATE t SET price = price + 1 WHERE id > ?", 5); err != nil {
		t.Fatal(err)
	} else if rows, _ := r.RowsAffected(); rows != 6 {
		t.Errorf("%d rows updated", rows)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	var count int
	if err := db.QueryRow("SELECT COUNT(*), SUM(price) FROM t").Scan(&count, &price); err != nil || count != 11 || price != "57.50" {
		t.Errorf("after a rollback: %d, %s, %v", count, price, err)
	}
	_, err = db.Exec("INSERT INTO t (name) VALUES (?)", "n0")
	var e *mysql.MySQLError
	if !errors.As(err, &e) || e.Number != 1062 || string(e.SQLState[:]) != "23000" {
		t.Errorf("duplicate key: %v", err)
	}
	if _, err = db.Exec("SELECT nothing FROM nowhere"); !errors.As(err, &e) || e.Number != 1146 || string(e.SQLState[:]) != "42S02" {
		t.Errorf("unknown table: %v", err)
	}
}
