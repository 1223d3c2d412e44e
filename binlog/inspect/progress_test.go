package inspect

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProgress: short runs are silent; long ones get a line every five seconds, or a bar that goes away.
func TestProgress(t *testing.T) {
	run := func(terminal bool, steps int, step time.Duration) (string, *Progress) {
		var out bytes.Buffer
		now := time.Unix(1_700_000_000, 0)
		p := &Progress{Out: &out, Terminal: terminal, Total: 100 << 20, What: "verify", now: func() time.Time { return now }}
		p.File("binlog.000001")
		for range steps {
			p.Add(1 << 20)
			now = now.Add(step)
		}
		p.Clear()
		return out.String(), p
	}
	quiet, _ := run(false, 40, 100*time.Millisecond)
	require.Empty(t, quiet)
	quiet, _ = run(true, 40, 10*time.Millisecond)
	require.Empty(t, quiet)

	lines, _ := run(false, 61, 200*time.Millisecond)
	require.Equal(t, 2, strings.Count(lines, "\n"), lines)
	require.True(t, strings.HasPrefix(lines, "verify:  26% 26.0 MiB of 100.0 MiB, 5.2 MiB/s, 14s left, binlog.000001\n"), lines)

	bar, _ := run(true, 50, 100*time.Millisecond)
	require.Contains(t, bar, "\r\x1b[Kverify [===============               ]  50% 50.0 MiB of 100.0 MiB")
	require.True(t, strings.HasSuffix(bar, "\r\x1b[K"))

	var none *Progress
	none.File("x")
	none.Add(1)
	none.Clear()
}

func TestBytes(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 128 << 20: "128.0 MiB", 1<<64 - 1: "16.0 EiB"} {
		require.Equal(t, want, Bytes(n))
	}
}
