package server

import (
	"log/slog"
	"math"
	"os"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryTotal(t *testing.T) {
	const machine = "MemTotal:        8192000 kB\nMemFree:          100 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing is said": {nil, 0},
		"machine":         {map[string]string{"/proc/meminfo": machine}, 8192000 << 10},
		"broken meminfo":  {map[string]string{"/proc/meminfo": "MemTotal:\n"}, 0},
		"not a number":    {map[string]string{"/proc/meminfo": "MemTotal: many kB\n"}, 0},
		"container, version 2": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "536870912\n"}, 512 << 20},
		"version 2 without a limit": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"}, 8192000 << 10},
		"service, version 2, limit above": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "0::/system.slice/duramen.service\n",
			"/sys/fs/cgroup/system.slice/duramen.service/memory.max": "max\n",
			"/sys/fs/cgroup/system.slice/memory.max":                 "1073741824\n"}, 1 << 30},
		"the smaller of two": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "268435456\n", "/sys/fs/cgroup/a/memory.max": "1073741824\n"}, 256 << 20},
		"version 1": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "12:cpu,cpuacct:/x\n5:memory:/docker/abc\n1:name=systemd:/x\n",
			"/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "134217728\n"}, 128 << 20},
		"container, version 1": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "5:memory:/docker/abc\n",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": "134217728\n"}, 128 << 20},
		"version 1 without a limit": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "5:memory:/\n",
			"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 8192000 << 10},
		"a limit beyond the machine": {map[string]string{
			"/proc/meminfo": machine, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "99999999999999\n"}, 8192000 << 10},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(file string) ([]byte, error) {
				if text, ok := c.files[file]; ok {
					return []byte(text), nil
				}
				return nil, os.ErrNotExist
			}
			require.Equal(t, c.want, memoryTotal(read))
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	for total, want := range map[int64]int64{
		0: 0, -1: 0, 1: 64 << 20, 64 << 20: 64 << 20, 100 << 30: 80 << 30, math.MaxInt64: math.MaxInt64 / 100 * 80,
	} {
		require.Equal(t, want, memoryLimit(total), total)
	}
}

func TestTuneMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "123MiB")
	tuneMemory(slog.Default())
	require.Equal(t, before, debug.SetMemoryLimit(-1), "who sets GOMEMLIMIT decides")

	t.Setenv("GOMEMLIMIT", "")
	tuneMemory(slog.Default())
	if want := memoryLimit(memoryTotal(os.ReadFile)); want > 0 {
		require.Equal(t, want, debug.SetMemoryLimit(-1))
	}
}
