package device

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Describe says in a line what the files of dir lie on, and on what machine:
// numbers are worth nothing without it.
func Describe(dir string) string {
	where := "unknown file system"
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err == nil {
		text, err := os.ReadFile("/proc/self/mountinfo")
		if fs, source, ok := parseMountInfo(string(text), unix.Major(st.Dev), unix.Minor(st.Dev)); err == nil && ok {
			where = fs + " on " + source
		}
	}
	system := runtime.GOOS
	var u unix.Utsname
	if err := unix.Uname(&u); err == nil {
		system += " " + unix.ByteSliceToString(u.Release[:])
	}
	return fmt.Sprintf("%s, %s, %d CPUs, %s", where, system, runtime.NumCPU(), runtime.Version())
}

// parseMountInfo finds type and source of a device's file system in a /proc/PID/mountinfo (proc(5)).
func parseMountInfo(text string, major, minor uint32) (fs, source string, ok bool) {
	device := fmt.Sprintf("%d:%d", major, minor)
	for line := range strings.Lines(text) {
		mount, super, _ := strings.Cut(line, " - ")
		m, s := strings.Fields(mount), strings.Fields(super)
		if len(m) > 2 && m[2] == device && len(s) > 1 {
			return s[0], s[1], true
		}
	}
	return "", "", false
}
