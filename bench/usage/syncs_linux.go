package usage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Syncs counts how often the file system syncs a file for a process: fsync, fdatasync, and writes
// with O_DSYNC that the file system ends with a sync. The kernel counts at a trace point of
// the file system; that needs root, and tracefs mounted on /sys/kernel/tracing.
type Syncs struct {
	counters []int // file descriptors, one for each thread; threads that it starts count with it
}

// tracePoints where a sync begins, by the file system's magic number (statfs(2)).
var tracePoints = map[int64]string{
	unix.EXT4_SUPER_MAGIC:  "ext4/ext4_sync_file_enter",
	unix.XFS_SUPER_MAGIC:   "xfs/xfs_file_fsync",
	unix.BTRFS_SUPER_MAGIC: "btrfs/btrfs_sync_file",
}

// CountSyncs begins to count for a process that writes below dir.
func CountSyncs(pid int, dir string) (*Syncs, error) {
	id, err := tracePoint(dir)
	if err != nil {
		return nil, err
	}
	threads, err := os.ReadDir(file(pid, "task"))
	if err != nil {
		return nil, err
	}
	s := &Syncs{}
	for _, t := range threads {
		tid, err := strconv.Atoi(t.Name())
		if err != nil {
			continue
		}
		attr := &unix.PerfEventAttr{Type: unix.PERF_TYPE_TRACEPOINT, Config: id, Bits: unix.PerfBitInherit}
		attr.Size = uint32(binary.Size(attr))
		fd, err := unix.PerfEventOpen(attr, tid, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if errors.Is(err, unix.ESRCH) {
			continue // has ended since
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("count syncs of process %d: %w", pid, err)
		}
		s.counters = append(s.counters, fd)
	}
	return s, nil
}

// tracePoint is the number of the trace point for the file system of dir.
func tracePoint(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("statfs %s: %w", dir, err)
	}
	name, ok := tracePoints[int64(st.Type)] //nolint:unconvert // an int32 or an uint32 on other processors
	if !ok {
		return 0, fmt.Errorf("count syncs: file system %x of %s: %w", st.Type, dir, errors.ErrUnsupported)
	}
	text, err := os.ReadFile(filepath.Join("/sys/kernel/tracing/events", name, "id"))
	if err != nil {
		return 0, fmt.Errorf("count syncs (is tracefs mounted?): %w", err)
	}
	return strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
}

// Count is the number of syncs since CountSyncs.
func (s *Syncs) Count() (uint64, error) {
	var sum uint64
	var b [8]byte
	for _, fd := range s.counters {
		if _, err := unix.Read(fd, b[:]); err != nil {
			return 0, fmt.Errorf("count syncs: %w", err)
		}
		sum += binary.NativeEndian.Uint64(b[:])
	}
	return sum, nil
}

// Close ends counting.
func (s *Syncs) Close() {
	for _, fd := range s.counters {
		_ = unix.Close(fd) // nothing was written to it
	}
	s.counters = nil
}
