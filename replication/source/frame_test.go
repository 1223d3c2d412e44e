package source

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

// TestHeartbeatFrame: a position beyond 4 GiB arrives whole, with checksums and without.
func TestHeartbeatFrame(t *testing.T) {
	const name = "binlog.000001"
	for _, checksum := range []bool{true, false} {
		f := framer{checksum: checksum, serverID: 7}
		for _, pos := range []uint64{300, 1<<32 - 1, 1 << 32, 1<<33 + 300} {
			ev := f.heartbeat(name, pos)
			if checksum {
				require.NoError(t, event.Verify(ev))
			}
			d := event.Decoder{Checksum: checksum}
			e, err := d.Decode(ev)
			require.NoError(t, err)
			require.Equal(t, &event.HeartbeatInfo{File: name, Pos: pos}, e.Body)
			require.Zero(t, e.Header.Flags)
			if pos >= 1<<32 {
				require.Zero(t, e.Header.LogPos, "it would be the low bits of %d", pos)
			}
		}
	}
}
