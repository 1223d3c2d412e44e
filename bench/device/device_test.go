package device

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestParseProcIO(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       uint64
		ok         bool
	}{
		{"linux", "rchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4096\ncancelled_write_bytes: 0\n", 4096, true},
		{"without", "rchar: 1\n", 0, false},
		{"garbage", "write_bytes: x\n", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, err := parseProcIO(c.text)
			require.Equal(t, c.ok, err == nil)
			require.Equal(t, c.want, n)
		})
	}
}

func TestParseDiskStats(t *testing.T) {
	known := func(n uint64) Count { return Count{N: n, Known: true} }
	const text = "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" +
		" 254       0 vda 821551 67251 23291090 1296011 6213701 687468 351911536 1899490 0 833332 3692424 422737 62 374340648 80893 2375930 416028\n" +
		"   8       1 sda1 1 2 3 4 5 6 7 8 9 10 11\n" +
		"   8       2 sda2 1 2 3 4 x 6 7 8 9 10 11\n"
	for _, c := range []struct {
		name         string
		major, minor uint32
		device       string
		want         Traffic
	}{
		{"today", 254, 0, "vda", Traffic{DeviceWrites: known(6213701), DeviceBytes: known(351911536 * 512), Flushes: known(2375930)}},
		{"old kernel", 8, 1, "sda1", Traffic{DeviceWrites: known(5), DeviceBytes: known(7 * 512)}},
		{"idle", 7, 0, "loop0", Traffic{DeviceWrites: known(0), DeviceBytes: known(0), Flushes: known(0)}},
		{"garbage", 8, 2, "", Traffic{}},
		{"no such device", 9, 9, "", Traffic{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, got, err := parseDiskStats(text, c.major, c.minor)
			require.Equal(t, c.device == "", err != nil)
			require.Equal(t, c.device, name)
			require.Equal(t, c.want, got)
		})
	}
}

func TestTraffic(t *testing.T) {
	a := Traffic{DeviceBytes: Count{100, true}, Flushes: Count{5, true}}
	b := Traffic{DeviceBytes: Count{300, true}, DeviceWrites: Count{7, true}, Flushes: Count{4, true}}
	d := b.Since(a)
	require.Equal(t, Traffic{DeviceBytes: Count{200, true}}, d, "unknown or gone back: unknown")
	require.Equal(t, Traffic{DeviceBytes: Count{400, true}}, d.Plus(d))
	v, ok := d.DeviceBytes.Per(50)
	require.True(t, ok)
	require.InDelta(t, 4, v, 0)
	_, ok = d.Flushes.Per(50)
	require.False(t, ok)
	require.Equal(t, Count{150, true}, d.DeviceBytes.Less(50))

	text, err := json.Marshal(d)
	require.NoError(t, err)
	require.JSONEq(t, `{"process_bytes":null,"device_bytes":200,"device_writes":null,"flushes":null}`, string(text))
	var back Traffic
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, d, back)
}

func TestAligned(t *testing.T) {
	for _, n := range []int{1, 512, 4096, 65536} {
		b := Aligned(n)
		require.Len(t, b, n)
		require.Zero(t, uintptr(unsafe.Pointer(&b[0]))%BlockBytes)
	}
}

func TestMethodsNamed(t *testing.T) {
	all, err := MethodsNamed(nil)
	require.NoError(t, err)
	require.Len(t, all, 6)
	two, err := MethodsNamed([]string{"direct", "append"})
	require.NoError(t, err)
	require.Equal(t, "direct", two[0].Name)
	require.Equal(t, "append", two[1].Name)
	_, err = MethodsNamed([]string{"tape"})
	require.ErrorContains(t, err, "settled")
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
		ok   bool
	}{
		{"defaults", Options{}, true},
		{"size 0", Options{Sizes: []int{0}}, false},
		{"too large", Options{Sizes: []int{4097}, FileSize: 4096}, false},
		{"nothing in flight", Options{InFlight: []int{0}}, false},
		{"negative", Options{Duration: -1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.EnsureDefaults()
			require.Equal(t, c.ok, c.o.Validate() == nil)
		})
	}
}

// leftOver lists what lies in a directory.
func leftOver(t *testing.T, dir string) string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
