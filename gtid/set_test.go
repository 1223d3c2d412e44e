package gtid

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const (
	uuidA = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
	uuidB = "4f22fa47-71ca-11e1-9e33-c80aa9429562"
)

func mustSet(t require.TestingT, text string) Set {
	s, err := ParseSet(text)
	require.NoError(t, err, text)
	return s
}

// TestSetText: the examples of MySQL's manual (GTID Sets), and what it does not take.
func TestSetText(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		" \n":                     "",
		uuidA + ":23":             uuidA + ":23",
		uuidA + ":1-5":            uuidA + ":1-5",
		uuidA + ":1-3:11:47-49":   uuidA + ":1-3:11:47-49",
		uuidA + ":5:1-3:4":        uuidA + ":1-5",
		uuidA + ":1-9:2-3:20:8-9": uuidA + ":1-9:20",
		"4F22FA47-71CA-11E1-9E33-C80AA9429562:1,\n" + uuidA + ":1-3:11:47-49": uuidA + ":1-3:11:47-49," + uuidB + ":1",
		uuidA + ":1," + uuidA + ":3":                                          uuidA + ":1:3",
		uuidA + ":9223372036854775806":                                        uuidA + ":9223372036854775806",
	} {
		s := mustSet(t, text)
		require.Equal(t, want, s.String(), text)
		require.True(t, s.Equal(mustSet(t, s.String())))
	}
	for _, text := range []string{uuidA, uuidA + ":", uuidA + ":0", uuidA + ":0-3", uuidA + ":5-3", uuidA + ":1-", uuidA + ":-1", uuidA + ":1,", ",", "0-1-2", uuidA[1:] + ":1", uuidA + ":1:",
		uuidA + ":9223372036854775807", uuidA + ":1-18446744073709551616", uuidA + ":+1", "3e11fa4771ca11e19e33c80aa9429562:1"} {
		_, err := ParseSet(text)
		require.ErrorIs(t, err, ErrSyntax, text)
	}
	for _, text := range []string{uuidA + ":tag:1-5", uuidA + ":1:Tag_2:7", uuidA + ":_x:1"} {
		_, err := ParseSet(text)
		require.ErrorIs(t, err, ErrTagged, text)
	}
}

// TestSetBinary: bytes put together by hand from MySQL's description of the format, and what they must not be.
func TestSetBinary(t *testing.T) {
	raw := "0100000000000000" + "3e11fa4771ca11e19e33c80aa9429562" + "0200000000000000" + "0100000000000000" + "0600000000000000" + "0700000000000000" + "0800000000000000"
	b, err := hex.DecodeString(raw)
	require.NoError(t, err)
	s, err := DecodeSet(b)
	require.NoError(t, err)
	require.Equal(t, uuidA+":1-5:7", s.String())
	require.Equal(t, b, s.AppendBinary(nil))
	empty, err := DecodeSet(make([]byte, 8))
	require.NoError(t, err)
	require.Empty(t, empty)
	for n := range b {
		_, err := DecodeSet(b[:n])
		require.ErrorIs(t, err, ErrSyntax, n)
	}
	for text, change := range map[string]func(b []byte) []byte{
		"more bytes":         func(b []byte) []byte { return append(b, 0) },
		"many intervals":     func(b []byte) []byte { b[24+6] = 0xff; return b },
		"empty interval":     func(b []byte) []byte { b[40] = 1; return b },
		"number 0":           func(b []byte) []byte { b[32] = 0; return b },
		"intervals in a mix": func(b []byte) []byte { b[48], b[56] = 2, 3; return b },
		"number beyond":      func(b []byte) []byte { b[56+7] = 0x80; return b },
		"uuid twice":         func(b []byte) []byte { b[0] = 2; return append(b, b[8:]...) },
		"more uuids":         func(b []byte) []byte { b[0] = 2; return b },
	} {
		_, err := DecodeSet(change(append([]byte(nil), b...)))
		require.ErrorIs(t, err, ErrSyntax, text)
	}
	_, err = DecodeSet([]byte{1, 1, 0, 0, 0, 0, 0, 1})
	require.ErrorIs(t, err, ErrTagged)
}

// TestSet compares a set with the numbers in it.
func TestSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) MySQL {
			return MySQL{Source: UUID{rapid.ByteRange(0, 1).Draw(t, "uuid")}, Number: rapid.Uint64Range(1, 20).Draw(t, "number")}
		})
		have := [2]map[MySQL]bool{{}, {}}
		sets := [2]Set{{}, {}}
		for i := range sets {
			for _, g := range rapid.SliceOf(number).Draw(t, "set") {
				before := sets[i].Clone()
				sets[i].Add(g)
				require.Equal(t, have[i][g], before.Contains(g))
				require.Equal(t, have[i][g], before.Equal(sets[i]))
				have[i][g] = true
			}
		}
		a := sets[0].Clone()
		a.Union(sets[1])
		for u := range byte(2) {
			for n := range uint64(22) {
				g := MySQL{UUID{u}, n}
				require.Equal(t, have[0][g], sets[0].Contains(g))
				require.Equal(t, have[0][g] || have[1][g], a.Contains(g))
			}
		}
		checkSet(t, a)
	})
}

// checkSet checks that a set is in its one form, and that its text and its bytes say all of it.
func checkSet(t require.TestingT, s Set) {
	for _, list := range s {
		end := uint64(0)
		for n, i := range list {
			require.True(t, i.Start < i.End && (n == 0 && i.Start > 0 || n > 0 && i.Start > end), "%v", list)
			end = i.End
		}
	}
	require.True(t, s.Equal(mustSet(t, s.String())))
	again, err := DecodeSet(s.AppendBinary(nil))
	require.NoError(t, err)
	require.True(t, s.Equal(again))
}

// FuzzSetText: a set that is read is written as itself.
func FuzzSetText(f *testing.F) {
	for _, s := range []string{"", uuidA + ":1-5:7", uuidA + ":1-5:7," + uuidB + ":1", uuidA + ":tag:1", uuidA + ":5:1-3:4", uuidA} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSet(text); err == nil {
			checkSet(t, s)
		}
	})
}

// FuzzSetBinary: the same of the binary form.
func FuzzSetBinary(f *testing.F) {
	for _, text := range []string{"", uuidA + ":1-5:7", uuidA + ":1-5:7," + uuidB + ":1"} {
		f.Add(mustSet(f, text).AppendBinary(nil))
	}
	f.Add([]byte{1, 1, 0, 0, 0, 0, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := DecodeSet(b); err == nil {
			checkSet(t, s)
		}
	})
}
