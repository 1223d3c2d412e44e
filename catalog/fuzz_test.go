package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzChange: what is read as a catalog change is written as one that reads the same.
func FuzzChange(f *testing.F) {
	for _, c := range []Change{
		{},
		{Databases: []DatabaseDef{{Name: "d", Collation: "utf8mb4_general_ci"}}, NextTableID: 7},
		{Tables: []*TableDef{{ID: 3, DB: "d", Name: "t", Columns: []ColumnDef{{Name: "a", SQLType: "int(11)", Type: 3}}, Primary: []IndexPart{{Column: 0}}}}, Counters: map[uint32]uint64{3: 9}},
		{DropTables: []uint32{3}, DropDatabases: []string{"d"}, DropObjects: []ObjectKey{{"view", "d", "v"}}, Objects: []ObjectDef{{Kind: "view", DB: "d", Name: "w", Body: []byte("SELECT 1")}}},
	} {
		b, err := c.Marshal()
		require.NoError(f, err)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add([]byte(`{"Tables":[null]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ParseChange(b)
		if err != nil {
			return
		}
		for _, d := range c.Tables {
			require.NotNil(t, d)
		}
		once, err := c.Marshal()
		require.NoError(t, err)
		again, err := ParseChange(once)
		require.NoError(t, err)
		twice, err := again.Marshal()
		require.NoError(t, err)
		require.Equal(t, string(once), string(twice))
		clone := c.Clone()
		_ = clone.nextTableID(1)
		// What does not fit together is refused, not a panic.
		_, _ = Empty().Apply(c, nil)
	})
}
