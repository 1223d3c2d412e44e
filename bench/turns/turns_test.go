package turns

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTurns(t *testing.T) {
	var seen []Turn
	note := func(_ context.Context, turn Turn) error { seen = append(seen, turn); return nil }
	require.NoError(t, Run(context.Background(), Options{Rounds: 2, Names: []string{"a", "b", "c"}}, note))
	require.Equal(t, []Turn{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}}, seen)
}

func TestStops(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	err := Run(context.Background(), Options{Rounds: 2, Names: []string{"a", "b"}}, func(context.Context, Turn) error {
		if calls++; calls == 2 {
			return broken
		}
		return nil
	})
	require.ErrorIs(t, err, broken)
	require.Equal(t, 2, calls)

	ctx, cancel := context.WithCancel(context.Background())
	calls = 0
	err = Run(ctx, Options{Rounds: 2, Names: []string{"a", "b"}}, func(context.Context, Turn) error { calls++; cancel(); return nil })
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, calls)
}

func TestProgress(t *testing.T) {
	now := time.Unix(1000, 0)
	var out strings.Builder
	o := Options{Rounds: 2, Names: []string{"a", "b"}, Progress: &out, nowForTesting: func() time.Time { return now }}
	require.NoError(t, Run(context.Background(), o, func(context.Context, Turn) error { now = now.Add(20 * time.Second); return nil }))
	require.Equal(t, "round 1 of 2, 25 %, 1m0s left: b\nround 2 of 2, 50 %, 40s left: a\nround 2 of 2, 75 %, 20s left: b\n", out.String())
}

func TestLeft(t *testing.T) {
	for _, c := range []struct {
		elapsed     time.Duration
		done, total int
		want        string
	}{
		{0, 0, 10, "?"},
		{time.Second, 1, 1, "0s"},
		{10 * time.Second, 2, 10, "40s"},
	} {
		require.Equal(t, c.want, left(c.elapsed, c.done, c.total))
	}
}
