package suite

import (
	"fmt"
	"os"
	"strings"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/bench/device"
)

// Machine is what the numbers were measured on.
type Machine struct {
	// Where says file system, kernel and number of processors; the rest is "" where the system does not tell.
	Where  string `json:"where"`
	CPU    string `json:"cpu"`
	Memory string `json:"memory"`
	Disk   string `json:"disk"`
}

// describe describes the machine and the device of dir.
func describe(dir string) Machine {
	m := Machine{Where: device.Describe(dir)}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = colonField(string(text), "model name")
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib float64
		if _, err := fmt.Sscan(colonField(string(text), "MemTotal"), &kib); err == nil {
			m.Memory = chart.Bytes(kib * 1024)
		}
	}
	if name := device.NewMeter(dir).Device; name != "" {
		m.Disk = disk("/sys/class/block/" + name)
	}
	return m
}

// colonField finds the value of "name : value".
func colonField(text, name string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// disk describes a block device by its directory in /sys.
func disk(sys string) string {
	var parts []string
	for _, f := range []struct{ file, format string }{
		{"device/model", "%s"}, {"queue/rotational", "rotational: %s"}, {"queue/write_cache", "%s"}, {"queue/scheduler", "scheduler %s"},
	} {
		if b, err := os.ReadFile(sys + "/" + f.file); err == nil && strings.TrimSpace(string(b)) != "" {
			parts = append(parts, fmt.Sprintf(f.format, strings.TrimSpace(string(b))))
		}
	}
	return strings.Join(parts, ", ")
}
