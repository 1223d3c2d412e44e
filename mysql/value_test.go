package mysql

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStringMeta(t *testing.T) {
	for n := range 1024 {
		typ, length := ResolveString(StringMeta(n))
		require.Equal(t, MYSQL_TYPE_STRING, typ)
		require.Equal(t, n, length)
	}
}

// FuzzValue: a value of any type and metadata never reaches beyond its bytes, and
// does not depend on what follows it.
func FuzzValue(f *testing.F) {
	for typ := range 256 {
		f.Add(byte(typ), uint16(0x0204), []byte{3, 0, 'a', 'b', 'c', 1, 2, 3, 4, 5, 6, 7})
	}
	f.Fuzz(func(t *testing.T, typ byte, m uint16, b []byte) {
		n, err := ValueSize(typ, m, b)
		if err != nil {
			require.True(t, errors.Is(err, ErrShort) || errors.Is(err, ErrMalformed), "%v", err)
			return
		}
		require.GreaterOrEqual(t, n, 0)
		require.LessOrEqual(t, n, len(b))
		exact, err := ValueSize(typ, m, b[:n])
		require.NoError(t, err)
		require.Equal(t, n, exact)
		if n > 0 {
			_, err = ValueSize(typ, m, b[:n-1])
			require.Error(t, err)
		}
		if typ == MYSQL_TYPE_NEWDECIMAL {
			if text, err := AppendDecimalText(nil, b[:n], int(m>>8), int(m&0xff)); err == nil {
				require.NotEmpty(t, text)
			}
		}
	})
}
