package dialect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-mysql-org/go-mysql/client"
	"github.com/go-mysql-org/go-mysql/mysql"

	"github.com/duramendb/duramen/test/peer"
)

// TestFilesDuramen and TestFilesMariaDB run the same statements about files of the server: what they
// leave in files, and their errors, are MariaDB's.
func TestFilesDuramen(t *testing.T) { files(t, peer.Duramen) }

func TestFilesMariaDB(t *testing.T) {
	peer.RequireMariaDB(t)
	files(t, peer.MariaDB)
}

func files(t *testing.T, kind peer.Kind) {
	dir := t.TempDir()
	s := peer.Start(t, peer.Options{Kind: kind, Args: []string{"--secure-file-priv=" + dir}})
	c := dialTo(t, s, "root")
	for _, q := range []string{
		"CREATE DATABASE d", "USE d",
		"CREATE TABLE t (id INT PRIMARY KEY, s VARCHAR(50), n INT, d DATETIME(3), f DOUBLE, b BLOB, e ENUM('x','y'), t TIME)",
		`INSERT INTO t VALUES (1, 'plain', 5, '2026-01-02 03:04:05.6', 1.5, 'b', 'x', '10:11:12')`,
		`INSERT INTO t VALUES (2, 'tab	new\nline back\\slash', NULL, NULL, NULL, '\0\'"', NULL, NULL)`,
		`INSERT INTO t VALUES (3, 'com,ma "quote" ü', -1, '2026-01-02 03:04:05', 1e100, '', 'y', '-00:00:01')`,
		"CREATE TABLE back LIKE t",
		"CREATE USER p@localhost", "GRANT SELECT ON d.* TO p@localhost",
	} {
		must(t, c, q)
	}
	for i, o := range []struct{ options, want string }{
		{"", "1\tplain\t5\t2026-01-02 03:04:05.600\t1.5\tb\tx\t10:11:12\n" +
			"2\ttab\\\tnew\\\nline back\\\\slash\t\\N\t\\N\t\\N\t\\0'\"\t\\N\t\\N\n" +
			"3\tcom,ma \"quote\" ü\t-1\t2026-01-02 03:04:05.000\t1e100\t\ty\t-00:00:01\n"},
		{`FIELDS TERMINATED BY ',' ENCLOSED BY '"' LINES TERMINATED BY '\r\n'`, "\"1\",\"plain\",\"5\",\"2026-01-02 03:04:05.600\",\"1.5\",\"b\",\"x\",\"10:11:12\"\r\n" +
			"\"2\",\"tab\tnew\nline back\\\\slash\",\\N,\\N,\\N,\"\\0'\\\"\",\\N,\\N\r\n" +
			"\"3\",\"com,ma \\\"quote\\\" ü\",\"-1\",\"2026-01-02 03:04:05.000\",\"1e100\",\"\",\"y\",\"-00:00:01\"\r\n"},
		{`FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'`, "1,\"plain\",5,\"2026-01-02 03:04:05.600\",1.5,\"b\",\"x\",\"10:11:12\"\n" +
			"2,\"tab\tnew\\\nline back\\\\slash\",\\N,\\N,\\N,\"\\0'\\\"\",\\N,\\N\n" +
			"3,\"com,ma \\\"quote\\\" ü\",-1,\"2026-01-02 03:04:05.000\",1e100,\"\",\"y\",\"-00:00:01\"\n"},
		{`FIELDS TERMINATED BY ';' ESCAPED BY '' LINES STARTING BY '> '`, "> 1;plain;5;2026-01-02 03:04:05.600;1.5;b;x;10:11:12\n" +
			"> 2;tab\tnew\nline back\\slash;NULL;NULL;NULL;\x00'\";NULL;NULL\n" +
			"> 3;com,ma \"quote\" ü;-1;2026-01-02 03:04:05.000;1e100;;y;-00:00:01\n"},
	} {
		file := filepath.Join(dir, "out"+string(rune('0'+i)))
		must(t, c, "SELECT * INTO OUTFILE '"+file+"' "+o.options+" FROM t ORDER BY id")
		if got := content(t, file); got != o.want {
			t.Errorf("INTO OUTFILE %s:\n%q\nwant\n%q", o.options, got, o.want)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o133 != 0 {
			t.Errorf("the mode of %s is %v (%v)", file, info.Mode(), err)
		}
	}
	dump := filepath.Join(dir, "dump")
	must(t, c, "SELECT s, b FROM t WHERE id = 2 INTO DUMPFILE '"+dump+"'")
	if got := content(t, dump); got != "tab\tnew\nline back\\slash\x00'\"" {
		t.Errorf("INTO DUMPFILE: %q", got)
	}
	out0 := filepath.Join(dir, "out0")
	again := filepath.Join(dir, "again")
	must(t, c, "SELECT * INTO OUTFILE '"+again+"' FROM t WHERE id <> 2")
	must(t, c, "LOAD DATA INFILE '"+again+"' INTO TABLE back")
	res, err := c.Execute("SELECT COUNT(*) FROM t JOIN back USING (id, s)")
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := res.GetInt(0, 0); n != 2 {
		t.Errorf("%d of 2 rows came back", n)
	}
	wantFile(t, c, "SELECT HEX(LOAD_FILE('"+dump+"'))", "746162096E65770A6C696E65206261636B5C736C617368002722")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{secret, filepath.Join(dir, "none"), link, filepath.Join(dir, "..", filepath.Base(dir), "none")} {
		wantFile(t, c, "SELECT LOAD_FILE('"+f+"')", "")
	}

	p := dialTo(t, s, "p")
	wantFile(t, p, "SELECT LOAD_FILE('"+dump+"')", "")
	conf := filepath.Join(s.Dir, "my.cnf")
	for _, q := range []struct {
		c       *client.Conn
		sql     string
		numbers []uint16
	}{
		{p, "SELECT 1 INTO OUTFILE '" + filepath.Join(dir, "p") + "'", []uint16{1227}},
		{p, "SELECT '[mariadbd]' INTO DUMPFILE '" + conf + "'", []uint16{1227}},
		{p, "SELECT id FROM d.t INTO OUTFILE '" + conf + "'", []uint16{1227}},
		{p, "LOAD DATA INFILE '" + out0 + "' INTO TABLE d.back", []uint16{1045}},
		{c, "SELECT '[mariadbd]' INTO DUMPFILE '" + conf + "'", []uint16{1290}},
		{c, "SELECT 1 INTO OUTFILE 'my.cnf'", []uint16{1290}},
		{c, "SELECT 1 INTO OUTFILE '" + filepath.Join(dir, "..", "x") + "'", []uint16{1290}},
		{c, "SELECT 1 INTO OUTFILE '" + out0 + "'", []uint16{1086}},
		{c, "SELECT 1 INTO DUMPFILE '" + out0 + "'", []uint16{1086}},
		{c, "SELECT id FROM t INTO DUMPFILE '" + filepath.Join(dir, "many") + "'", []uint16{1172}},
		{c, "LOAD DATA INFILE '" + secret + "' INTO TABLE back", []uint16{1290}},
		// MariaDB asks for the file's status before it follows the link: 1085.
		{c, "LOAD DATA INFILE '" + link + "' INTO TABLE back", []uint16{1290, 1085}},
		{c, "LOAD DATA INFILE '" + filepath.Join(dir, "none") + "' INTO TABLE back", []uint16{13}},
	} {
		_, err := q.c.Execute(q.sql)
		var e *mysql.MyError
		if !errors.As(err, &e) || e.Code != q.numbers[0] && (len(q.numbers) == 1 || e.Code != q.numbers[1]) {
			t.Errorf("%s: %v, want error %v", q.sql, err, q.numbers)
		}
	}
	if _, err := os.Lstat(conf); err == nil {
		t.Errorf("%s was written", conf)
	}
}

// TestFilesByDefault is for a server that was told nothing about files: they are in a directory of their own beside the
// data directory, and never in that.
func TestFilesByDefault(t *testing.T) {
	s := peer.Start(t, peer.Options{Kind: peer.Duramen})
	c := dialTo(t, s, "root")
	res, err := c.Execute("SELECT @@secure_file_priv")
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := res.GetString(0, 0)
	if want := s.Dir + "-files/"; dir != want {
		t.Fatalf("secure_file_priv is %q, want %q", dir, want)
	}
	must(t, c, "SELECT 'x' INTO OUTFILE '"+dir+"x'")
	if got := content(t, dir+"x"); got != "x\n" {
		t.Errorf("%q", got)
	}
	before, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"my.cnf", "binlog.index", "../data-files/../data/y", "new/y"} {
		if _, err := c.Execute("SELECT 'x' INTO DUMPFILE '" + filepath.Join(s.Dir, name) + "'"); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	after, err := os.ReadDir(s.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(before) != len(after) {
		t.Errorf("the data directory had %d entries and has %d", len(before), len(after))
	}
	s.Restart()
	must(t, dialTo(t, s, "root"), "LOAD DATA INFILE '"+dir+"x' INTO TABLE mysql.nothing", 1146)
}

func dialTo(t *testing.T, s *peer.Server, user string) *client.Conn {
	c, err := client.Connect(s.Addr(), user, "", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// must runs a statement that has to succeed, or to fail with the number.
func must(t *testing.T, c *client.Conn, q string, number ...uint16) {
	t.Helper()
	_, err := c.Execute(q)
	var e *mysql.MyError
	switch {
	case len(number) == 0 && err != nil:
		t.Fatalf("%s: %v", q, err)
	case len(number) > 0 && (!errors.As(err, &e) || e.Code != number[0]):
		t.Errorf("%s: %v, want error %d", q, err, number[0])
	}
}

// wantFile compares one value; "" stands for NULL.
func wantFile(t *testing.T, c *client.Conn, q, want string) {
	t.Helper()
	res, err := c.Execute(q)
	if err != nil {
		t.Fatalf("%s: %v", q, err)
	}
	null, _ := res.IsNull(0, 0)
	got, _ := res.GetString(0, 0)
	if null != (want == "") || !strings.EqualFold(got, want) {
		t.Errorf("%s: %q (NULL: %v), want %q", q, got, null, want)
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
