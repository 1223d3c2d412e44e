package usage

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Process is what a process has used since its start. Each number is an error or a value.
type Process struct {
	CPU        time.Duration // user and system time, of threads that ended, too
	CPUKnown   bool
	WriteBytes uint64 // made dirty in the page cache, or written directly
	ReadBytes  uint64 // from a device
	IOKnown    bool
}

// Read reads a process.
func Read(pid int) Process {
	var p Process
	if text, err := os.ReadFile(file(pid, "stat")); err == nil {
		if cpu, err := parseStat(string(text)); err == nil {
			p.CPU, p.CPUKnown = cpu, true
		}
	}
	if text, err := os.ReadFile(file(pid, "io")); err == nil {
		if n, err := parseField(string(text), "write_bytes"); err == nil {
			p.WriteBytes, p.IOKnown = n, true
		}
		if n, err := parseField(string(text), "read_bytes"); err == nil {
			p.ReadBytes = n
		}
	}
	return p
}

// PeakMemory is the most memory that the process has had resident, in bytes,
// since its start or the last ResetPeak.
func PeakMemory(pid int) (bytes uint64, known bool) {
	text, err := os.ReadFile(file(pid, "status"))
	if err != nil {
		return 0, false
	}
	kib, err := parseField(string(text), "VmHWM")
	return kib << 10, err == nil
}

// ResetPeak makes the peak begin anew. Where that is not allowed, PeakMemory goes on
// since the start of the process.
func ResetPeak(pid int) error {
	const peak = "5" // see proc_pid_clear_refs(5)
	if err := os.WriteFile(file(pid, "clear_refs"), []byte(peak), 0); err != nil {
		return fmt.Errorf("reset the peak of process %d: %w", pid, err)
	}
	return nil
}

func file(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// tick is the unit of times in /proc/PID/stat: USER_HZ, which is 100 wherever Go runs.
const tick = 10 * time.Millisecond

// parseStat finds utime and stime, the 14th and 15th field. The second is the
// program's name in parentheses, which may hold anything.
func parseStat(text string) (time.Duration, error) {
	i := strings.LastIndexByte(text, ')')
	if i < 0 {
		return 0, errors.New("no name in it")
	}
	f := strings.Fields(text[i+1:])
	if len(f) < 13 {
		return 0, fmt.Errorf("%d fields", len(f)+2)
	}
	user, err1 := strconv.ParseUint(f[11], 10, 63)
	system, err2 := strconv.ParseUint(f[12], 10, 63)
	return time.Duration(user+system) * tick, errors.Join(err1, err2)
}

// parseField finds a number in lines "name: number unit".
func parseField(text, name string) (uint64, error) {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			if f := strings.Fields(v); len(f) > 0 {
				return strconv.ParseUint(f[0], 10, 64)
			}
		}
	}
	return 0, fmt.Errorf("no %s in it", name)
}
