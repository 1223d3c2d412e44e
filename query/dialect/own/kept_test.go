package own

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
)

// What is kept is found by the same text in the same mode only, and nothing is kept that has a secret in it, names something, or is long.
func TestKept(t *testing.T) {
	for _, test := range []struct {
		text string
		kept bool
	}{
		{"BEGIN", true},
		{"begin work", true},
		{"START TRANSACTION READ ONLY, WITH CONSISTENT SNAPSHOT", true},
		{"COMMIT AND CHAIN", true},
		{"ROLLBACK RELEASE", true},
		{"SAVEPOINT a", true},
		{"ROLLBACK TO a", true},
		{"RELEASE SAVEPOINT a", true},
		{"SET NAMES latin1 COLLATE latin1_bin", true},
		{"SET CHARACTER SET utf8mb4", true},
		{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", true},
		{"UNLOCK TABLES", true},
		{"SET PASSWORD = PASSWORD('secret')", false},
		{"CREATE USER u IDENTIFIED BY 'secret'", false},
		{"SHOW TABLES", false},
		{"LOCK TABLES t READ", false},
		{"SAVEPOINT " + strings.Repeat("a", 60) + strings.Repeat(" ", keptTextMost), false},
	} {
		var k Kept
		require.Nil(t, k.Find(test.text, dialect.Mode{}), test.text)
		st, _, err := Parse(test.text, dialect.Mode{})
		require.NoError(t, err, test.text)
		require.NotNil(t, st, test.text)
		require.Equal(t, test.kept, k.Keep(test.text, dialect.Mode{}, st), test.text)
		if !test.kept {
			require.Nil(t, k.Find(test.text, dialect.Mode{}), test.text)
			continue
		}
		require.Equal(t, st, k.Find(test.text, dialect.Mode{}), test.text)
		require.Nil(t, k.Find(test.text, dialect.Mode{AnsiQuotes: true}), test.text)
		require.Nil(t, k.Find(test.text+" ", dialect.Mode{}), test.text)
	}
}

// What nobody asks for makes room.
func TestKeptMost(t *testing.T) {
	var k Kept
	begin := dialect.StartTransaction{}
	require.True(t, k.Keep("BEGIN", dialect.Mode{}, begin))
	for i := range 5 * keptMost {
		name := fmt.Sprintf("s%d", i)
		require.True(t, k.Keep("SAVEPOINT "+name, dialect.Mode{}, dialect.Savepoint{Name: name}))
		if i%(keptMost/2) == 0 {
			require.Equal(t, begin, k.Find("BEGIN", dialect.Mode{}))
		}
		require.LessOrEqual(t, len(k.young)+len(k.old), 2*keptMost)
	}
	require.Nil(t, k.Find("SAVEPOINT s0", dialect.Mode{}))
	require.Equal(t, dialect.Savepoint{Name: "s5119"}, k.Find("SAVEPOINT s5119", dialect.Mode{}))
}
