package infoschema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/gms/schema"
)

// TestDefinitions reads every definition: Table.Schema relies on it.
func TestDefinitions(t *testing.T) {
	names := map[string]bool{}
	for _, def := range definitions() {
		sch, err := schema.Schema(def)
		require.NoError(t, err, def.Name)
		require.Len(t, sch.Schema, len(def.Columns))
		names[def.Name] = true
	}
	for name := range fillers {
		require.True(t, names[name], "%s has rows and no columns", name)
	}
	for name, def := range mysqlDefinitions() {
		_, err := schema.Schema(def)
		require.NoError(t, err, name)
	}
}
