package expressions

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// withoutServer are words of functions whose answers depend on the server, or on when it is asked, of those that the fallback has, and of CHR,
// which is in the character set of the database.
var withoutServer = []string{"USER(", "VERSION(", "CONNECTION_ID(", "DATABASE(", "SCHEMA(", "UUID", "SYS_GUID", "RAND()", "RANDOM_BYTES", "SLEEP(", "_LOCK(", "CHR("}

// A server of ours and a MariaDB answer the same to SELECT of the recorded expressions, the column's name and the count of warnings
// included.
func TestServers(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	d := differences{t: t}
	for _, file := range families(t) {
		questions := lines(t, file)
		step := max(1, len(questions)*len(families(t))/peer.Scaled(1500, 1<<30))
		for i := 0; i < len(questions); i += step {
			s, expression := setupOf(t, questions[i])
			if asksServer(expression) || s.MaxPacket != 0 {
				continue
			}
			want, err := theirs.Ask(s, expression)
			require.NoError(t, err, expression)
			if strings.HasPrefix(want.Error, "1064/") {
				continue // the fallback's parser may take it
			}
			got, err := ours.Ask(s, expression)
			require.NoError(t, err, "%s: %s", filepath.Base(file), expression)
			d.compare(questions[i], withName(want), withName(got))
		}
	}
	d.report()
}

// duramen is a session of a server of ours.
func duramen(t *testing.T) *Server {
	t.Helper()
	s, err := Dial(peer.Start(t, peer.Options{}).Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	_, err = s.conn.Execute("SET native_sql=ON")
	require.NoError(t, err)
	return s
}

// Prepared statements answer the same, too, with parameters of every type that clients send.
func TestParameters(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	d := differences{t: t}
	for _, arg := range []any{
		int64(5), int64(-5), int64(math.MinInt64), uint64(math.MaxUint64), 1.5, -1e300, float32(0.1), "abc", "", "ä😀", "12", nil,
	} {
		for _, expression := range []string{"?", "(?)", "? x"} {
			want, err := theirs.Ask(Default, expression, arg)
			require.NoError(t, err, expression)
			got, err := ours.Ask(Default, expression, arg)
			require.NoError(t, err, expression)
			d.compare(fmt.Sprintf("%s with %T %v", expression, arg, arg), withName(want), withName(got))
		}
	}
	d.report()
}

func asksServer(expression string) bool {
	upper := strings.ToUpper(expression)
	for _, word := range withoutServer {
		if strings.Contains(upper, word) {
			return true
		}
	}
	return false
}

func withName(a Answer) string {
	if a.Error != "" {
		return a.String()
	}
	return strings.ReplaceAll(a.Name+" = "+a.String(), "\n", `\n`)
}
