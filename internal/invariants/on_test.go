//go:build invariants

package invariants

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChecks(t *testing.T) {
	Check(true, "fine")
	require.PanicsWithValue(t, Violation("1 is not 2"), func() { Check(false, "%d is not %d", 1, 2) })
	var o Once
	o.Happens("closed")
	require.PanicsWithValue(t, Violation("closed twice"), func() { o.Happens("closed") })
	var l Lent
	original := []byte("row")
	lent := l.Lend(original)
	require.Equal(t, original, lent)
	require.Nil(t, l.Lend(nil))
	l.Recall()
	require.Equal(t, []byte{poison, poison, poison}, lent)
	require.Equal(t, "row", string(original))
}
