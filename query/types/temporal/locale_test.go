package temporal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types/temporal"
)

// Locales are found in any case, and each has all of its names.
func TestLocale(t *testing.T) {
	german, ok := temporal.Locale("DE_de")
	require.True(t, ok)
	require.Equal(t, "Mittwoch", german.Days[2])
	require.Equal(t, "März", german.Months[2])
	require.False(t, german.ASCII())

	english, ok := temporal.Locale("en_US")
	require.True(t, ok)
	require.Equal(t, temporal.English, english)
	require.True(t, english.ASCII())

	_, ok = temporal.Locale("xx_XX")
	require.False(t, ok)
	for _, name := range []string{"ja_JP", "ru_RU", "zh_CN", "ka_GE"} {
		n, ok := temporal.Locale(name)
		require.True(t, ok, name)
		for i, s := range append(append(n.Months[:], n.ShortMonths[:]...), append(n.Days[:], n.ShortDays[:]...)...) {
			require.NotEmpty(t, s, "%s %d", name, i)
		}
	}
}
