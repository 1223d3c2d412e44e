package server

import (
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// tuneMemory sets Go's memory limit from the memory of the machine or of the control
// group that the process runs in, whichever is smaller: the collector then works
// harder before the kernel ends the process, and the query engine takes its budgets
// from the limit. It is for the process that is a server, not for one that embeds it;
// whoever sets GOMEMLIMIT decides instead.
func tuneMemory(log *slog.Logger) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	total := memoryTotal(os.ReadFile)
	if limit := memoryLimit(total); limit > 0 {
		debug.SetMemoryLimit(limit)
		log.Debug("memory limit", "bytes", limit, "available", total)
	}
}

// Shares of the memory that there is. The rest is for what Go does not count: the
// kernel's buffers for our sockets and files, and other processes.
const (
	memoryShare        = 80       // percent
	memoryLimitMin     = 64 << 20 // less is no use: the server itself takes as much
	memoryBytesPerKiB  = 1 << 10
	cgroupV1Unlimited  = 1 << 62 // version 1 says a number near int64's end
	cgroupRoot         = "/sys/fs/cgroup"
	procMemory         = "/proc/meminfo"
	procCgroup         = "/proc/self/cgroup"
	cgroupV1Controller = "memory"
)

// memoryLimit is Go's limit on a machine (or in a group) with total bytes; 0, which
// is no limit, if total is not known.
func memoryLimit(total int64) int64 {
	if total <= 0 {
		return 0
	}
	return max(total/100*memoryShare, memoryLimitMin)
}

// memoryTotal is the memory that the process may use, bytes: the machine's, or less
// if a control group of version 1 or 2, or one that it is in, allows less. 0 if
// nothing tells. read is os.ReadFile.
func memoryTotal(read func(string) ([]byte, error)) int64 {
	total := int64(math.MaxInt64)
	text := func(name string) string {
		b, err := read(name)
		if err != nil {
			return "" // not there: nothing is said
		}
		return string(b)
	}
	if n := machineMemory(text(procMemory)); n > 0 {
		total = n
	}
	for _, file := range cgroupFiles(text(procCgroup)) {
		if n := cgroupLimit(text(file)); n > 0 {
			total = min(total, n)
		}
	}
	if total == math.MaxInt64 {
		return 0
	}
	return total
}

// machineMemory reads MemTotal of /proc/meminfo, bytes; 0 if it is not there.
func machineMemory(meminfo string) int64 {
	for line := range strings.Lines(meminfo) {
		rest, ok := strings.CutPrefix(line, "MemTotal:")
		if !ok {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil || n < 0 || n > math.MaxInt64/memoryBytesPerKiB {
			return 0
		}
		return n * memoryBytesPerKiB
	}
	return 0
}

// cgroupFiles are the files that may hold a limit for a process with this
// /proc/self/cgroup: of its group and all groups above, and of the root of the file
// system, where a container sees its own group.
func cgroupFiles(self string) []string {
	files := []string{cgroupRoot + "/memory.max", cgroupRoot + "/memory/memory.limit_in_bytes"}
	for line := range strings.Lines(self) {
		// hierarchy-ID:controllers:path; version 2 is 0::path.
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		dir, file := "", ""
		switch {
		case parts[0] == "0" && parts[1] == "":
			dir, file = cgroupRoot, "memory.max"
		case hasController(parts[1]):
			dir, file = cgroupRoot+"/memory", "memory.limit_in_bytes"
		default:
			continue
		}
		for path := filepath.Clean("/" + parts[2]); path != "/"; path = filepath.Dir(path) {
			files = append(files, dir+path+"/"+file)
		}
	}
	return files
}

func hasController(list string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if name == cgroupV1Controller {
			return true
		}
	}
	return false
}

// cgroupLimit reads the file of a limit, bytes; 0 for none.
func cgroupLimit(text string) int64 {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil || n >= cgroupV1Unlimited { // "max", or version 1's largest number
		return 0
	}
	return int64(n)
}
