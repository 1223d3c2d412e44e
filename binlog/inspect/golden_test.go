package inspect

import (
	"bytes"
	"context"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

// Text shows local time.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

// TestRecorded: what is made of recorded logs of a Duramen and of a MariaDB, all column
// types among them. The values were compared with mariadb-binlog's (test/binlogtool).
func TestRecorded(t *testing.T) {
	for _, who := range []string{"duramen", "mariadb"} {
		dir := filepath.Join("..", "event", "testdata", who)
		for name, o := range map[string]ShowOptions{
			"text": {Private: true}, "plain": {Plain: true}, "json": {JSON: true, Private: true},
		} {
			t.Run(who+" "+name, func(t *testing.T) {
				set, err := Open(vfs.Default, []string{dir}, "")
				require.NoError(t, err)
				o.Logger = slog.New(slog.DiscardHandler)
				o.From, o.To = "", ""
				if who == "mariadb" {
					o.From, o.To = "binlog.000002", "binlog.000002"
				}
				var out bytes.Buffer
				require.NoError(t, Show(context.Background(), set, o, &out))
				compare(t, who+"-"+name, out.Bytes())
			})
		}
		set, err := Open(vfs.Default, []string{dir}, "")
		require.NoError(t, err)
		var out bytes.Buffer
		problems, err := Verify(context.Background(), set, VerifyOptions{}, &out)
		require.NoError(t, err)
		require.Zero(t, problems)
		require.NoError(t, List(context.Background(), set, ListOptions{}, &out))
		compare(t, who+"-files", out.Bytes())
	}
}

func compare(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
