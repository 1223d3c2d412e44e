package exec

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/row"
	"github.com/duramendb/duramen/txn"
)

// Names say which numbers there are, up to the greatest ones of 64 bits, and ranges of keys give those of them that are within.
func TestNumbers(t *testing.T) {
	for name, want := range map[string][]uint64{
		"seq_1_to_10_step_3": {1, 4, 7, 10},
		"seq_10_to_2_step_5": {2, 7},
		"seq_7_to_7":         {7},
		"seq_18446744073709551613_to_18446744073709551615":              {1<<64 - 3, 1<<64 - 2, 1<<64 - 1},
		"seq_18446744073709551610_to_99999999999999999999_step_4":       {1<<64 - 6, 1<<64 - 2},
		"seq_0_to_18446744073709551615_step_9223372036854775808":        {0, 1 << 63},
		"seq_0_to_18446744073709551615":                                 nil, // MariaDB counts in 64 bits
		"seq_18446744073709551615_to_0_step_99999999999999999999999999": {0, 1<<64 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			table, rows, _, err := NumbersNamed("d", name)
			require.NoError(t, err)
			require.NotNil(t, table)
			require.Equal(t, want, walked(t, rows, nil, nil, false))
			require.Equal(t, reversed(want), walked(t, rows, nil, nil, true))
			for _, bound := range []uint64{0, 1, 2, 5, 8, 10, 11, 1 << 62, 1<<64 - 2, 1<<64 - 1} {
				key := keyOf(t, rows, bound)
				var below, above []uint64
				for _, n := range want {
					if n < bound {
						below = append(below, n)
					} else {
						above = append(above, n)
					}
				}
				require.Equal(t, below, walked(t, rows, nil, key, false), bound)
				require.Equal(t, reversed(below), walked(t, rows, nil, key, true), bound)
				require.Equal(t, above, walked(t, rows, key, nil, false), bound)
				require.Equal(t, reversed(above), walked(t, rows, key, nil, true), bound)
				require.Empty(t, walked(t, rows, key, key, false))
				image, ok, err := rows.Get(context.Background(), table.Table, key, txn.Snapshot, 0)
				require.NoError(t, err)
				require.Equal(t, len(above) > 0 && above[0] == bound, ok)
				if ok {
					require.Equal(t, bound, binary.LittleEndian.Uint64(image[1:]))
				}
			}
		})
	}
}

// Other names are of no such table.
func TestNoNumbers(t *testing.T) {
	for _, name := range []string{
		"", "seq", "seq_", "seq_1", "seq_1_to_", "seq__to_1", "seq_1_to_2x", "seq_1_to_2_step", "seq_1_to_2_step_", "seq_1_to_2_step_x", "seq_-1_to_2",
		"SEQ_1_to_2", "seq_1_TO_2", "seq_1_to_2_step_3_", "xseq_1_to_2",
	} {
		table, _, _, err := NumbersNamed("d", name)
		require.NoError(t, err)
		require.Nil(t, table, name)
	}
	_, _, _, err := NumbersNamed("d", "seq_1_to_2_step_0")
	require.EqualError(t, err, `ERROR 1030 (HY000): Got error 140 "Wrong create options" from storage engine SEQUENCE`)
}

func keyOf(t *testing.T, r *Numbers, n uint64) []byte {
	t.Helper()
	key, err := row.AppendKeyValue(catalog.AppendPrefix(nil, relation.NumbersID, catalog.RowsIndex), r.table.Columns[0], row.KeyPart{}, n)
	require.NoError(t, err)
	return key
}

func walked(t *testing.T, r *Numbers, lower, upper []byte, reverse bool) (out []uint64) {
	t.Helper()
	w, err := r.Walk(context.Background(), txn.ScanSpec{Table: r.table, Index: -1, Lower: lower, Upper: upper, Reverse: reverse})
	require.NoError(t, err)
	for w.Next() {
		n := binary.LittleEndian.Uint64(w.Image()[1:])
		require.Equal(t, keyOf(t, r, n), w.Key())
		require.Equal(t, w.Key(), w.RowKey())
		out = append(out, n)
	}
	require.NoError(t, w.Err())
	require.NoError(t, w.Close())
	return out
}

func reversed(list []uint64) (out []uint64) {
	for i := len(list) - 1; i >= 0; i-- {
		out = append(out, list[i])
	}
	return out
}
