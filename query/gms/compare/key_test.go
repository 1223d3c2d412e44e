package compare

import (
	"bytes"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types/charset"
)

func number(t *testing.T, text string) any {
	t.Helper()
	d, _, err := apd.NewFromString(text)
	require.NoError(t, err)
	return d
}

// Keys are in the order of the values, and the same for equal ones of different types.
func TestKeys(t *testing.T) {
	general, ok := charset.ByName("utf8mb4_general_ci")
	require.True(t, ok)
	latin1, ok := charset.ByName("latin1_bin")
	require.True(t, ok)
	inGeneral, err := ofTexts(general)
	require.NoError(t, err)
	inLatin1, err := ofTexts(latin1)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		how   how
		order [][]any // ascending; what is in one list is equal
	}{
		"numbers": {how{kind: exact}, [][]any{
			{number(t, "-1234567890123456789012.5")}, {int64(-2), number(t, "-2.00")}, {number(t, "-1.5")}, {int8(-1)},
			{int32(0), number(t, "0.00"), number(t, "-0.0"), false}, {number(t, "0.001")}, {uint8(1), true, number(t, "1.0")}, {number(t, "1.5")},
			{int64(9)}, {int64(10)}, {uint64(1<<64 - 1), number(t, "18446744073709551615")},
		}},
		"doubles":  {how{kind: float}, [][]any{{-2.5}, {int64(-1)}, {0.0, number(t, "0")}, {1.5, number(t, "1.50")}, {1e300}}},
		"texts":    {inGeneral, [][]any{{"", "  "}, {"a", "A ", "á"}, {"ab", "AB"}, {"b"}}},
		"in bytes": {inLatin1, [][]any{{"A", "A  "}, {"a"}, {"á", "á "}}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := sql.NewEmptyContext()
			var last []byte
			for i, equal := range test.order {
				first, err := test.how.append(ctx, nil, equal[0], types.LongText)
				require.NoError(t, err)
				if i > 0 {
					require.Negative(t, bytes.Compare(last, first), "%v comes after what is before it", equal[0])
				}
				for _, v := range equal[1:] {
					other, err := test.how.append(ctx, nil, v, types.LongText)
					require.NoError(t, err)
					require.Equal(t, first, other, "%v and %v are equal", equal[0], v)
				}
				last = first
			}
		})
	}
	_, err = inLatin1.append(sql.NewEmptyContext(), nil, "Ж", types.LongText)
	require.ErrorContains(t, err, "its character set lacks")
}
