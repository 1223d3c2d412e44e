package usage

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       time.Duration
		fails      bool
	}{
		{"ordinary", "12 (mariadbd) S 1 12 12 0 -1 4194560 5 0 0 0 150 25 0 0 20 0 1 0", 1750 * time.Millisecond, false},
		{"a name that looks like the rest", "12 (a) R 1 2 (b) S 1 12 12 0 -1 4194560 5 0 0 0 1 1 0 0", 20 * time.Millisecond, false},
		{"empty", "", 0, true},
		{"too short", "12 (x) S 1 2 3", 0, true},
		{"not numbers", "12 (x) S 1 12 12 0 -1 4194560 5 0 0 0 a b 0 0", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStat(c.text)
			require.Equal(t, c.fails, err != nil)
			require.Equal(t, c.want, got)
		})
	}
}

func TestParseField(t *testing.T) {
	n, err := parseField("VmPeak:\t 1 kB\nVmHWM:\t  1234 kB\n", "VmHWM")
	require.NoError(t, err)
	require.EqualValues(t, 1234, n)
	_, err = parseField("VmPeak: 1 kB\nVmHWM:\n", "VmHWM")
	require.Error(t, err)
}

func TestThisProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /proc on " + runtime.GOOS)
	}
	p := Read(os.Getpid())
	require.True(t, p.CPUKnown)
	n, known := PeakMemory(os.Getpid())
	require.True(t, known)
	require.Greater(t, n, uint64(1<<20))
	require.NoError(t, ResetPeak(os.Getpid()))

	const nobody = 1 << 30
	require.Equal(t, Process{}, Read(nobody))
	_, known = PeakMemory(nobody)
	require.False(t, known)
	require.Error(t, ResetPeak(nobody))
}
