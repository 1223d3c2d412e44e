package source

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// TestDumpOfReplacedLog: RESET MASTER ends a dump with MariaDB's error, be it waiting, with or without
// heartbeats, or reading.
func TestDumpOfReplacedLog(t *testing.T) {
	for _, c := range []struct {
		name      string
		heartbeat time.Duration
		reading   bool
	}{
		{"waiting", 0, false},
		{"waiting with heartbeats", time.Hour, false},
		{"reading", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLog(t)
			add(t, l, "0-7-1", true)
			require.NoError(t, l.Rotate())
			add(t, l, "0-7-2", true)
			reset := func() {
				require.NoError(t, l.Reset(1, gtid.NewState(), func(logpos.Pos) error { return nil }))
			}
			req := replica()
			req.Pos, req.HeartbeatPeriod = 4, c.heartbeat
			idle := make(chan struct{}, 10)
			req.Flush = func() error { idle <- struct{}{}; return nil }
			done, reading := make(chan error, 1), c.reading
			pending := reading
			go func() {
				done <- Dump(context.Background(), l, req, func(ev []byte) error {
					if pending && event.Type(ev[offType]) == event.GTIDEvent {
						reset()
						pending = false
					}
					return nil
				})
			}()
			if !reading {
				<-idle
				reset()
			}
			var e *Error
			require.ErrorAs(t, <-done, &e)
			require.ErrorIs(t, e, ErrReset)
			require.Contains(t, e.Message, "could not find next log; the first event 'binlog.000001' at 4, the last event read from 'binlog.00000")
		})
	}
}
