package badinput

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duramendb/duramen/test/peer"
)

// TestCheckChangesNothing checks a directory as kill -9 left it, which a start would recover: a torn tail is cut, a
// file begun, rows are replayed. It has to be found in order, and left byte for byte as it is. Then a byte of the log
// changes, which has to be found, and again nothing else changes.
func TestCheckChangesNothing(t *testing.T) {
	s := start(t, peer.Options{Args: []string{"--max-binlog-size=1048576"}})
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE TABLE bad.c (id INT PRIMARY KEY, v TEXT, KEY (v(20)))", "FLUSH BINARY LOGS")
	for i := range 200 {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO bad.c VALUES (%d, '%s')", i, noise(3000)))
	}
	s.Kill()
	segments, err := filepath.Glob(filepath.Join(s.Dir, "binlog.0*"))
	if err != nil || len(segments) < 2 {
		t.Fatal(segments, err)
	}
	// The beginning of a group that did not get further.
	live := segments[len(segments)-1]
	tear(t, live)

	before := picture(t, s.Dir)
	out, code := runCheck(t, s.Dir)
	if code != 0 || !strings.Contains(out, "bad.c: 200 rows, 200 index entries: OK") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	requireSame(t, before, picture(t, s.Dir))

	change(t, segments[0], 700)
	damaged := picture(t, s.Dir)
	if out, code := runCheck(t, s.Dir); code != 6 || !strings.Contains(out, filepath.Base(segments[0])) {
		t.Errorf("exit code %d with a changed byte:\n%s", code, out)
	}
	requireSame(t, damaged, picture(t, s.Dir))
	change(t, segments[0], 700)

	s.Up()
	if out, code := runCheck(t, s.Dir); code != 4 {
		t.Errorf("exit code %d while the server runs:\n%s", code, out)
	}
	requireAlive(t, s)
	peer.RequireSound(t, db, "bad.c")
	s.Stop()
}

func runCheck(t *testing.T, dir string) (out string, code int) {
	t.Helper()
	cmd := exec.Command(peer.Binary(t), "check", dir)
	text, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(text), cmd.ProcessState.ExitCode()
}

// tear puts the first bytes of an event at the end of what was written to a live file.
func tear(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := len(data)
	for end > 0 && data[end-1] == 0 {
		end--
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{1, 2, 3, 4, 5, 6, 7}, int64(end)+3); err != nil {
		t.Fatal(err)
	}
}

// change inverts one byte of a file.
func change(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 0xff
	if _, err := f.WriteAt(b[:], at); err != nil {
		t.Fatal(err)
	}
}

// picture is everything in a directory: sizes, times of change and contents. Locking LOCK, which is empty, changes its time.
func picture(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		out[path] = info.Mode().String()
		if !info.Mode().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		out[path] += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
		if d.Name() != "LOCK" {
			out[path] += " " + info.ModTime().String()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func requireSame(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s was %s and is %s", path, was, after[path])
		}
	}
	for path := range after {
		if _, known := before[path]; !known {
			t.Errorf("%s is new", path)
		}
	}
}
