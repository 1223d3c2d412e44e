package badinput

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// requireRefusal starts the server, which has to end by itself with a code other
// than 0 and a last message that has all the words, and leave the directory as
// it was.
func requireRefusal(t *testing.T, s *peer.Server, words ...string) {
	t.Helper()
	before := content(t, s.Dir)
	if old, err := os.Stat(s.Log); err == nil && old.Size() > 0 {
		if err := os.Truncate(s.Log, 0); err != nil {
			t.Fatal(err)
		}
	}
	s.Launch()
	if err := s.Wait(time.Minute); errors.Is(err, peer.ErrStillRunning) {
		t.Fatalf("the server started:\n%s", s.LogTail(4000))
	}
	if s.ExitCode() <= 0 {
		t.Errorf("exit code %d", s.ExitCode())
	}
	said := s.LogTail(8000)
	for _, w := range words {
		if !strings.Contains(strings.ToLower(said), strings.ToLower(w)) {
			t.Errorf("the message does not say %q:\n%s", w, said)
		}
	}
	for _, w := range []string{"panic:", "goroutine "} {
		if strings.Contains(said, w) {
			t.Errorf("that is no clear message:\n%s", said)
		}
	}
	if after := content(t, s.Dir); after != before {
		t.Errorf("the refused start changed the directory:\n%s\nnow:\n%s", before, after)
	}
}

// content is a digest of every file below dir. A lock file has no content of
// interest.
func content(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(strings.ToLower(d.Name()), "lock") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%s %d %x\n", rel, len(data), sha256.Sum256(data))
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return b.String()
}

func onlyDuramen(t *testing.T, s *peer.Server) {
	t.Helper()
	if s.Kind != peer.Duramen {
		t.Skip("about Duramen's own files and messages")
	}
}

func TestUnknownFormat(t *testing.T) {
	s := start(t, peer.Options{})
	onlyDuramen(t, s)
	s.Stop()
	format := filepath.Join(s.Dir, "FORMAT")
	was, err := os.ReadFile(format)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"duramen 999999\n", "something else\n", ""} {
		if err := os.WriteFile(format, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		requireRefusal(t, s, s.Dir, "format")
	}
	if err := os.WriteFile(format, was, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Up()
	requireAlive(t, s)
}

func TestForeignDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ibdata1"), []byte("belongs to somebody else"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := peer.Prepare(t, peer.Options{Dir: dir})
	onlyDuramen(t, s)
	requireRefusal(t, s, dir)
}

func TestSecondServer(t *testing.T) {
	s := start(t, peer.Options{})
	onlyDuramen(t, s)
	second := peer.Prepare(t, peer.Options{Dir: s.Dir})
	second.Launch()
	if err := second.Wait(time.Minute); errors.Is(err, peer.ErrStillRunning) {
		t.Fatal("two servers run on one directory")
	}
	if said := second.LogTail(4000); second.ExitCode() <= 0 || !strings.Contains(said, s.Dir) {
		t.Errorf("exit code %d, message:\n%s", second.ExitCode(), said)
	}
	requireAlive(t, s)
}

func TestPortInUse(t *testing.T) {
	s := peer.Prepare(t, peer.Options{})
	onlyDuramen(t, s)
	l, err := net.Listen("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s.Launch()
	if err := s.Wait(time.Minute); errors.Is(err, peer.ErrStillRunning) {
		t.Fatal("the server runs without its port")
	}
	if said := s.LogTail(4000); s.ExitCode() <= 0 || !strings.Contains(said, s.Addr()) || !strings.Contains(said, "in use") {
		t.Errorf("exit code %d, message:\n%s", s.ExitCode(), said)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	s.Up() // and nothing is left half made
	s.Stop()
}

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		arg   string
		words []string
	}{
		{"--no-such-option=1", []string{"no-such-option"}},
		{"--sync-binlog=often", []string{"sync", "often"}},
		{"--bind-address=0.0.0.0", []string{"0.0.0.0", "password"}},
	} {
		t.Run(c.arg, func(t *testing.T) {
			s := peer.Prepare(t, peer.Options{Args: []string{c.arg}})
			onlyDuramen(t, s)
			s.Launch()
			if err := s.Wait(time.Minute); errors.Is(err, peer.ErrStillRunning) {
				t.Fatalf("the server started:\n%s", s.LogTail(4000))
			}
			said := s.LogTail(4000)
			if s.ExitCode() <= 0 {
				t.Errorf("exit code %d", s.ExitCode())
			}
			for _, w := range c.words {
				if !strings.Contains(said, w) {
					t.Errorf("the message does not say %q:\n%s", w, said)
				}
			}
		})
	}
}

// segments gives the log's files in order.
func segments(t *testing.T, s *peer.Server) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(s.Dir, "binlog.0*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no segments in %s: %v", s.Dir, err)
	}
	return files
}

func TestDamagedLog(t *testing.T) {
	s := start(t, peer.Options{})
	onlyDuramen(t, s)
	db := s.DB("")
	defer db.Close()
	for i := 2; i < 400; i++ {
		peer.Exec(t, db, fmt.Sprintf("INSERT INTO bad.t VALUES (%d,'row %d')", i, i))
	}
	want := peer.MustRows(t, db, "SELECT * FROM bad.t ORDER BY id")
	s.Kill()
	live := segments(t, s)[len(segments(t, s))-1]
	data, err := os.ReadFile(live)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte("row 200"))
	if at < 0 {
		t.Fatalf("%s does not hold the row", live)
	}
	rewrite := func(b []byte) {
		t.Helper()
		if err := os.WriteFile(live, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, damage := range map[string]func([]byte){
		"one bit":       func(b []byte) { b[at] ^= 4 },
		"a zeroed page": func(b []byte) { clear(b[at : at+512]) },
		"noise":         func(b []byte) { copy(b[at:], bytes.Repeat([]byte{0xA5, 0x5A, 0x3C}, 100)) },
	} {
		t.Run(name, func(t *testing.T) {
			broken := bytes.Clone(data)
			damage(broken)
			rewrite(broken)
			requireRefusal(t, s, filepath.Base(live), "offset")
		})
	}
	rewrite(data)
	s.Up()
	if got := peer.MustRows(t, db, "SELECT * FROM bad.t ORDER BY id"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%d rows after repairing the log, %d before", len(got), len(want))
	}
}

func TestTornTail(t *testing.T) {
	s := start(t, peer.Options{})
	onlyDuramen(t, s)
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "INSERT INTO bad.t VALUES (2,'before the tear')", "INSERT INTO bad.t VALUES (3,'torn off')")
	s.Kill()
	live := segments(t, s)[len(segments(t, s))-1]
	data, err := os.ReadFile(live)
	if err != nil {
		t.Fatal(err)
	}
	// As if the last write had reached the disk up to the middle of its row.
	at := bytes.Index(data, []byte("torn off"))
	if at < 0 {
		t.Fatalf("%s does not hold the row", live)
	}
	clear(data[at+3:])
	if err := os.WriteFile(live, data, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Up()
	got := peer.MustRows(t, db, "SELECT * FROM bad.t ORDER BY id")
	if len(got) != 2 || got[1] != `"2" "before the tear"` {
		t.Errorf("after a torn tail: %v", got)
	}
	requireAlive(t, s)
	peer.RequireSound(t, db, "bad.t")
}
