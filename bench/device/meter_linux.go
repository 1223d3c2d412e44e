package device

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Meter reads what this process and a directory's device have written so far.
type Meter struct {
	// Device is the name of the device in /proc/diskstats, "" if it is not known.
	Device string
	// Why says why device counters are not available, "" if they are.
	Why string

	major, minor uint32
	flushes      *Meter // of the disk that a partition is part of
}

// NewMeter finds the device behind dir. It does not fail: what is not
// available is said by Why.
func NewMeter(dir string) *Meter {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return &Meter{Why: fmt.Sprintf("stat %s: %v", dir, err)}
	}
	return newMeter(unix.Major(st.Dev), unix.Minor(st.Dev))
}

func newMeter(major, minor uint32) *Meter {
	m := &Meter{major: major, minor: minor}
	text, err := os.ReadFile("/proc/diskstats")
	if err == nil {
		m.Device, _, err = parseDiskStats(string(text), major, minor)
	}
	if err != nil {
		m.Why = fmt.Sprintf("/proc/diskstats: %v", err)
		return m
	}
	// A partition's directory in /sys lies in its disk's.
	sys := fmt.Sprintf("/sys/dev/block/%d:%d", major, minor)
	if _, err := os.Stat(filepath.Join(sys, "partition")); err != nil {
		return m
	}
	if real, err := filepath.EvalSymlinks(sys); err == nil {
		if b, err := os.ReadFile(filepath.Join(filepath.Dir(real), "dev")); err == nil {
			if a, b, ok := parseDevice(string(b)); ok {
				m.flushes = newMeter(a, b)
			}
		}
	}
	return m
}

// parseDevice reads "major:minor".
func parseDevice(s string) (major, minor uint32, ok bool) {
	a, b, _ := strings.Cut(strings.TrimSpace(s), ":")
	x, err1 := strconv.ParseUint(a, 10, 32)
	y, err2 := strconv.ParseUint(b, 10, 32)
	return uint32(x), uint32(y), err1 == nil && err2 == nil
}

// Read gives the counters since the start of the process, and of the system.
func (m *Meter) Read() Traffic {
	t := m.device()
	if text, err := os.ReadFile("/proc/self/io"); err == nil {
		if n, err := parseProcIO(string(text)); err == nil {
			t.ProcessBytes = Count{N: n, Known: true}
		}
	}
	return t
}

func (m *Meter) device() Traffic {
	if m.Why != "" {
		return Traffic{}
	}
	text, err := os.ReadFile("/proc/diskstats")
	if err != nil {
		return Traffic{}
	}
	_, t, err := parseDiskStats(string(text), m.major, m.minor)
	if err != nil {
		return Traffic{}
	}
	if m.flushes != nil {
		t.Flushes = m.flushes.device().Flushes
	}
	return t
}
