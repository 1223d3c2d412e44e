package suite

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFit(t *testing.T) {
	config := func() Config {
		c := New(Suite{
			Name: "s", Tests: []Test{{"update-nonindex", []int{1, 8}}}, Tables: 4, TableSize: 10_000,
			WarmUp: 3 * time.Second, Time: 20 * time.Second, Repeats: 3, Settle: 5 * time.Second, Base: SameProfile,
		})
		require.NoError(t, c.SetContenders(specs(), []string{"sync"}))
		return c
	}
	const load = 2 * (3 + 1) * time.Second // 2 servers of 40,000 rows
	for _, c := range []struct {
		name    string
		budget  time.Duration
		time    time.Duration
		repeats int
	}{
		{"more than enough", time.Hour, 20 * time.Second, 3},
		{"shorter turns", load + 12*9*time.Second, 7 * time.Second, 3},
		{"whole seconds", load + 12*9*time.Second - 1, 6 * time.Second, 3},
		{"the shortest turns", load + 12*4*time.Second, 2 * time.Second, 3},
		{"then fewer repeats", load + 12*4*time.Second - 1, 3 * time.Second, 2},
		{"only one", load + 4*4*time.Second, 2 * time.Second, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config()
			require.NoError(t, cfg.Fit(c.budget))
			require.Equal(t, c.time, cfg.Time)
			require.Equal(t, c.repeats, cfg.Repeats)
			require.Equal(t, time.Second, cfg.WarmUp)
			require.Equal(t, time.Second, cfg.Settle)
			require.NoError(t, cfg.Validate())
		})
	}
	cfg := config()
	err := cfg.Fit(load + 4*4*time.Second - 1)
	require.ErrorIs(t, err, ErrBudget)
	require.ErrorContains(t, err, "one repeat needs about 24s")
	require.ErrorIs(t, cfg.Fit(-time.Second), ErrBudget)
}

// A number of transactions stays what it is.
func TestFitEvents(t *testing.T) {
	s, err := Find("write-amplification")
	require.NoError(t, err)
	config := func() Config {
		c := New(s)
		all := specs()
		for i := range all {
			all[i].Engines = []string{"A", "B"}
		}
		require.NoError(t, c.SetContenders(all, s.Profiles))
		return c
	}
	const load, turn = 2 * (3 + 20) * time.Second, 25 * time.Second
	cfg := config()
	require.NoError(t, cfg.Fit(load+8*turn))
	require.Equal(t, 2, cfg.Repeats)
	require.Equal(t, 200_000, cfg.Events)
	require.Equal(t, s.Settle, cfg.Settle, "what the disk still has to do is measured")
	cfg = config()
	require.ErrorIs(t, cfg.Fit(load+4*turn-1), ErrBudget)
}
