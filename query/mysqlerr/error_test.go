package mysqlerr

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	for number, e := range table {
		require.Len(t, e.state, 5, "state of %d", number)
		require.NotEmpty(t, e.text, "text of %d", number)
	}
	require.EqualValues(t, UnknownError, New(1).Number)
}
