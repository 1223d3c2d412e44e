package relation

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRepeatedHour reads moments around the end of summer time in Berlin: the hour from two to three was there twice on 2020-10-25.
func TestRepeatedHour(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	z := &Zone{loc}
	read := 0
	for minute := -120; minute < 180; minute += 30 {
		moment := time.Date(2020, 10, 25, 0, 0, 0, 0, time.UTC).Add(time.Duration(minute) * time.Minute)
		day, err := z.load(moment)
		if err != nil {
			require.ErrorContains(t, err, "the hour that clocks repeat")
			require.Equal(t, 2, moment.In(loc).Hour())
			continue
		}
		read++
		require.Equal(t, moment, z.Store(day), "what is stored again is the same moment")
	}
	require.Equal(t, 8, read, "one of the two hours cannot be told from the other")
}

func TestSkippedHour(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	z := &Zone{loc}
	require.True(t, z.Skipped(time.Date(2020, 3, 29, 2, 30, 0, 0, time.UTC)))
	require.False(t, z.Skipped(time.Date(2020, 3, 29, 1, 59, 59, 0, time.UTC)))
	require.False(t, z.Skipped(time.Date(2020, 3, 29, 3, 0, 0, 0, time.UTC)))
	require.False(t, z.Skipped(time.Date(2020, 10, 25, 2, 30, 0, 0, time.UTC)))
	require.False(t, z.Skipped(time.Time{}))
	require.False(t, (*Zone)(nil).Skipped(time.Date(2020, 3, 29, 2, 30, 0, 0, time.UTC)))
}
