package json

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// tableOf is a table with a path, columns of each kind, and a nested table with another path in it.
func tableOf(path, inner string) (*Table, error) {
	return NewTable(path, []TableColumn{
		{Ordinality: true}, {Path: inner}, {Path: inner, Exists: true}, {Path: inner, Nested: []TableColumn{{Ordinality: true}, {Path: "$"}}},
		{Path: "$.b[*]", Nested: []TableColumn{{Path: "$"}}},
	})
}

func TestTable(t *testing.T) {
	table, err := tableOf("$[*]", "$.a")
	require.NoError(t, err)
	require.Equal(t, 6, table.Width())
	rows := table.Rows([]byte(`[{"a": "x\n", "b": [1, {}]}, {"b": []}, 3]`))
	var states [][]CellState
	for {
		cells, err := rows.Next()
		require.NoError(t, err)
		if cells == nil {
			break
		}
		var row []CellState
		for _, c := range cells {
			row = append(row, c.State)
		}
		states = append(states, row)
	}
	require.Equal(t, [][]CellState{
		{CellNumber, CellScalar, CellNumber, CellNumber, CellScalar, CellNull},
		{CellNumber, CellScalar, CellNumber, CellNull, CellNull, CellScalar},
		{CellNumber, CellScalar, CellNumber, CellNull, CellNull, CellInside},
		{CellNumber, CellEmpty, CellNumber, CellNull, CellNull, CellNull},
		{CellNumber, CellEmpty, CellNumber, CellNull, CellNull, CellNull},
	}, states)
}

func TestTableErrors(t *testing.T) {
	_, err := tableOf("$[", "$")
	require.EqualError(t, err, "ERROR 4041 (HY000): Unexpected end of JSON path in argument 2 to function 'JSON_TABLE'")
	table, err := tableOf("$", "$")
	require.NoError(t, err)
	rows := table.Rows([]byte(`{"a": 1} x`))
	for err == nil {
		var cells []Cell
		if cells, err = rows.Next(); cells == nil {
			break
		}
	}
	require.EqualError(t, err, "ERROR 4038 (HY000): Syntax error in JSON text in argument 1 to function 'JSON_TABLE' at position 10")
}

// What a document is made of is in it, and there are no more rows than it has places for.
func FuzzTable(f *testing.F) {
	f.Add("$[*]", "$.a", []byte(`[{"a": [1, 2], "b": [3]}, {"a": null}, "\u00e4"]`))
	f.Add("$**.a", "$**.b[*]", []byte(`{"a": {"a": {"b": [1, [2]]}}}`))
	f.Fuzz(func(t *testing.T, path, inner string, doc []byte) {
		table, err := tableOf(path, inner)
		if err != nil {
			return
		}
		rows := table.Rows(doc)
		for n := 0; ; n++ {
			require.LessOrEqual(t, n, 2*depthLimit*(len(doc)+1))
			cells, err := rows.Next()
			if cells == nil || err != nil {
				break
			}
			for _, c := range cells {
				require.True(t, bytes.Contains(doc, c.Raw))
			}
		}
	})
}
