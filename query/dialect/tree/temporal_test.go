package tree_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect/tree"
)

func TestTemporalCast(t *testing.T) {
	for _, c := range []struct {
		kind        tree.TemporalKind
		value, want string
	}{
		{tree.TemporalDate, "2026-01-02", "CAST('2026-01-02' AS DATE)"},
		{tree.TemporalDate, "2026-1-2", "CAST('2026-01-02' AS DATE)"},
		{tree.TemporalDate, "26-01-02", ""},
		{tree.TemporalDate, "2026-02-30", ""},
		{tree.TemporalDate, "0000-00-00", ""},
		{tree.TemporalDate, "2026-01-02 03:04:05", ""},
		{tree.TemporalTime, "1:2", "CAST('01:02:00' AS TIME)"},
		{tree.TemporalTime, "10:20:30.500000", "CAST('10:20:30.500000' AS TIME(6))"},
		{tree.TemporalTime, "10:20:30.5", ""},
		{tree.TemporalTime, "100:00:00", ""},
		{tree.TemporalTimestamp, "2026-01-02 03:04:05", "CAST('2026-01-02 03:04:05' AS DATETIME)"},
		{tree.TemporalTimestamp, "2026-01-02T03:04:05.123456", "CAST('2026-01-02 03:04:05.123456' AS DATETIME(6))"},
		{tree.TemporalTimestamp, "2026-01-02", ""},
		{tree.TemporalTimestamp, "2026-01-02 25:00:00", ""},
	} {
		got, ok := (&tree.TemporalLit{Kind: c.kind, Value: c.value}).Cast()
		require.Equal(t, c.want, got, c.value)
		require.Equal(t, c.want != "", ok, c.value)
	}
}
