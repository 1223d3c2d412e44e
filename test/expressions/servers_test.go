package expressions

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// withoutServer are words of functions whose answers depend on the server, or on when it is asked.
var withoutServer = []string{"USER(", "VERSION(", "CONNECTION_ID(", "DATABASE(", "SCHEMA(", "UUID", "SYS_GUID", "RAND()", "RANDOM_BYTES"}

// A server of ours and a MariaDB answer the same to SELECT of the recorded expressions, the column's name and the count of warnings
// included.
func TestServers(t *testing.T) {
	theirs := maria(t)
	own := peer.Start(t, peer.Options{})
	ours, err := Dial(own.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = ours.Close() })
	d := differences{t: t}
	for _, file := range families(t) {
		questions := lines(t, file)
		step := max(1, len(questions)*len(families(t))/peer.Scaled(1500, 1<<30))
		for i := 0; i < len(questions); i += step {
			s, expression := setupOf(t, questions[i])
			if asksServer(expression) {
				continue
			}
			want, err := theirs.Ask(s, expression)
			require.NoError(t, err, expression)
			got, err := ours.Ask(s, expression)
			require.NoError(t, err, "%s: %s", filepath.Base(file), expression)
			d.compare(questions[i], withName(want), withName(got))
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
