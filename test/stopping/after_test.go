package stopping

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duramendb/duramen/test/peer"
)

// requireIdle waits until the server's process computes nothing any more: what was ended has ended.
func requireIdle(t *testing.T, s *peer.Server) {
	t.Helper()
	const idleMax = 2 // hundredths of a second, in the time of a tick
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for deadline, before := time.Now().Add(guard), computed(t, s); ; {
		<-tick.C
		now := computed(t, s)
		if now-before <= idleMax {
			return
		}
		if before = now; time.Now().After(deadline) {
			t.Fatal("something goes on computing")
		}
	}
}

// computed is the processor time that the server has used, in hundredths of a second.
func computed(t *testing.T, s *peer.Server) int {
	t.Helper()
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(s.Pid()) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(stat), ") ") // what is before may contain spaces
	sum := 0
	for _, field := range strings.Fields(fields)[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

// requireUntouched looks whether the statements that did not end by themselves have left nothing.
func requireUntouched(t *testing.T, s *peer.Server) {
	t.Helper()
	db := s.DB("d")
	defer db.Close()
	for query, want := range map[string]string{
		"SELECT COUNT(*), MAX(i) FROM copied":                                     `"1" "1"`,
		"SELECT COUNT(*) FROM many":                                               `"50000"`,
		"SELECT COUNT(*) FROM counting":                                           `"0"`,
		"SELECT COUNT(*) FROM third":                                              `"0"`,
		"SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'd'": `"11"`,
		"SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.COLUMNS WHERE TABLE_NAME = 'many'":                           `"i,s"`,
		"SELECT GROUP_CONCAT(COLUMN_NAME) FROM information_schema.STATISTICS WHERE TABLE_NAME = 'many' AND TABLE_SCHEMA = 'd'": `"i"`,
	} {
		if got := peer.MustRows(t, db, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	peer.RequireSound(t, db, "d.many")
}
