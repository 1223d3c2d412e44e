package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// timed is the context of a statement that began then.
type timed struct {
	context.Context
	at time.Time
}

func (c timed) QueryTime() time.Time { return c.at }

// TestSetTimestamp: SET TIMESTAMP fixes the session's time, cut to microseconds as MariaDB does; 0 microseconds let the clock run.
func TestSetTimestamp(t *testing.T) {
	for _, c := range []struct {
		set    float64
		micros int64 // 0: the clock's
	}{
		{1, 1000000},
		{1.9999999, 1999999},
		{.3, 300000}, // the nearest double is less, its product is not
		{1000000000.1, 1000000000100000},
		{1000000000.3, 1000000000300000},
		{1000000000.123456789, 1000000000123456},
		{.000001, 1},
		{.0000001, 0},
		{0, 0},
		{-1, 0},
	} {
		synctest.Test(t, func(t *testing.T) { // with a clock that stands
			k := clock{Fixed: time.Unix(5, 0)}
			k.fix(c.set)
			require.Equal(t, c.micros == 0, k.Fixed.IsZero(), c.set)
			want := time.UnixMicro(c.micros)
			if c.micros == 0 {
				want = time.Now()
			}
			require.True(t, want.Equal(k.Now()), "%v: %v", c.set, k.Now())
			require.InDelta(t, float64(want.UnixMicro())/1e6, k.shown(), 0, c.set)
		})
	}
}

// TestTimeOfStatement: a statement has one time, which the context of the engine tells; what has no such context takes the session's.
func TestTimeOfStatement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k clock
		began := time.Unix(7, 0)
		require.Equal(t, began, k.of(timed{ctx, began}))
		require.Equal(t, time.Now(), k.of(ctx))
		k.fix(9)
		require.Equal(t, began, k.of(timed{ctx, began}), "SET TIMESTAMP is for later statements")
		require.True(t, time.Unix(9, 0).Equal(k.of(ctx)))
	})
}
