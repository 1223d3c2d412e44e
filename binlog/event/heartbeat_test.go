package event_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

// TestHeartbeat has positions on both sides of what the header holds, laid out as MariaDB's replicas read them.
func TestHeartbeat(t *testing.T) {
	const name = "binlog.000001"
	for _, tt := range []struct {
		pos    uint64
		logPos uint32
		body   string
	}{
		{4, 4, name},
		{math.MaxUint32, math.MaxUint32, name},
		{1 << 32, 0, "\x00\x00\x00\x00\x01\x00\x00\x00" + name},
		{5<<32 + 0x0102, 0, "\x02\x01\x00\x00\x05\x00\x00\x00" + name},
	} {
		ev := event.AppendHeartbeat(nil, meta, name, tt.pos)
		event.SetChecksum(ev)
		require.Equal(t, tt.body, string(ev[event.HeaderSize:len(ev)-event.ChecksumSize]), "%d", tt.pos)
		e, err := event.Decode(ev)
		require.NoError(t, err, "%d", tt.pos)
		require.Equal(t, tt.logPos, e.Header.LogPos)
		require.Equal(t, &event.HeartbeatInfo{File: name, Pos: tt.pos}, e.Body)
	}
	_, err := event.Decode(rawEvent(event.Heartbeat, []byte("no pos")))
	require.ErrorIs(t, err, event.ErrMalformed)
}
