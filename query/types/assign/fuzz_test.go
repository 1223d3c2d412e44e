package assign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Whatever a text is, the column gets a value that it can have, and no text has more than it has room for.
func FuzzText(f *testing.F) {
	columns, values := columns(), values()
	for i := range values {
		if values[i].v.Text != nil && values[i].from.Collation != nil {
			f.Add(uint8(i), uint8(i%7), values[i].v.Text)
		}
	}
	from := append([]string{"utf8mb4_general_ci"}, sets...)
	f.Fuzz(func(t *testing.T, at, set uint8, s []byte) {
		col := columns[int(at)%len(columns)].named("t", false)
		source := assign.Source{Type: str(types.Varchar, uint32(len(s)), from[int(set)%len(from)])}
		a, err := assign.New(0, col, source)
		require.NoError(t, err)
		c := &assign.Context{Diag: &types.Diagnostics{Most: 64}, Row: 1, Zone: temporal.UTC}
		v, ok := a.Assign(c, types.Value{Text: s})
		require.True(t, ok)
		if !col.Kind.IsString() {
			return
		}
		own := col.Collation.Set()
		require.Negative(t, own.Valid(v.Text))
		if col.Kind.Blob() {
			require.LessOrEqual(t, len(v.Text), int(col.Length))
		} else {
			require.LessOrEqual(t, own.Len(v.Text), int(col.Length))
		}
	})
}
