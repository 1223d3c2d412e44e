package device

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Count is a number that the kernel may not tell. In JSON it is then null.
type Count struct {
	N     uint64
	Known bool
}

func (c Count) sub(o Count) Count {
	if !c.Known || !o.Known || c.N < o.N {
		return Count{}
	}
	return Count{N: c.N - o.N, Known: true}
}

func (c Count) add(o Count) Count {
	return Count{N: c.N + o.N, Known: c.Known && o.Known}
}

// Less takes n away: bytes that are known to belong to something else.
func (c Count) Less(n uint64) Count { return c.sub(Count{N: n, Known: true}) }

// Per is the count divided by n; false if it is not known or n is 0.
func (c Count) Per(n float64) (float64, bool) {
	if !c.Known || n == 0 {
		return 0, false
	}
	return float64(c.N) / n, true
}

// MarshalJSON implements json.Marshaler.
func (c Count) MarshalJSON() ([]byte, error) {
	if !c.Known {
		return []byte("null"), nil
	}
	return strconv.AppendUint(nil, c.N, 10), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *Count) UnmarshalJSON(b []byte) error {
	*c = Count{}
	if string(b) == "null" {
		return nil
	}
	c.Known = true
	return json.Unmarshal(b, &c.N)
}

// Traffic is what was written between two readings of a Meter. See the package comment.
type Traffic struct {
	ProcessBytes Count `json:"process_bytes"`
	DeviceBytes  Count `json:"device_bytes"`
	DeviceWrites Count `json:"device_writes"`
	Flushes      Count `json:"flushes"`
}

// Since is the difference to an earlier reading.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{
		ProcessBytes: t.ProcessBytes.sub(earlier.ProcessBytes),
		DeviceBytes:  t.DeviceBytes.sub(earlier.DeviceBytes),
		DeviceWrites: t.DeviceWrites.sub(earlier.DeviceWrites),
		Flushes:      t.Flushes.sub(earlier.Flushes),
	}
}

// Plus is the sum of two differences.
func (t Traffic) Plus(o Traffic) Traffic {
	return Traffic{
		ProcessBytes: t.ProcessBytes.add(o.ProcessBytes),
		DeviceBytes:  t.DeviceBytes.add(o.DeviceBytes),
		DeviceWrites: t.DeviceWrites.add(o.DeviceWrites),
		Flushes:      t.Flushes.add(o.Flushes),
	}
}

// parseProcIO finds write_bytes in a /proc/PID/io.
func parseProcIO(text string) (uint64, error) {
	for line := range strings.Lines(text) {
		if v, ok := strings.CutPrefix(line, "write_bytes:"); ok {
			return strconv.ParseUint(strings.TrimSpace(v), 10, 64)
		}
	}
	return 0, errors.New("no write_bytes in it")
}

// sectorBytes is the unit of /proc/diskstats, whatever the device's own is
// (Documentation/admin-guide/iostats.rst of the kernel).
const sectorBytes = 512

// parseDiskStats finds the line of a device in a /proc/diskstats. The flushes
// are known since Linux 5.5.
func parseDiskStats(text string, major, minor uint32) (name string, t Traffic, err error) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 14 || f[0] != strconv.FormatUint(uint64(major), 10) || f[1] != strconv.FormatUint(uint64(minor), 10) {
			continue
		}
		field := func(i int) Count {
			if i >= len(f) || err != nil {
				return Count{}
			}
			var n uint64
			n, err = strconv.ParseUint(f[i], 10, 64)
			return Count{N: n, Known: err == nil}
		}
		t.DeviceWrites = field(7)
		t.DeviceBytes = field(9)
		t.DeviceBytes.N *= sectorBytes
		t.Flushes = field(18)
		if err != nil {
			return "", Traffic{}, fmt.Errorf("line of device %d:%d: %w", major, minor, err)
		}
		return f[2], t, nil
	}
	return "", Traffic{}, fmt.Errorf("no line of device %d:%d", major, minor)
}
