package gtid

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzGTID: a GTID reads and writes as itself.
func FuzzGTID(f *testing.F) {
	for _, s := range []string{"0-1-2", " 0-1-2 ", "4294967295-4294967295-18446744073709551615", "+0-1-2", "0-1", "00-01-002"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		g, err := Parse(s)
		if err != nil {
			require.ErrorIs(t, err, ErrSyntax)
			return
		}
		again, err := Parse(g.String())
		require.NoError(t, err)
		require.Equal(t, g, again)
		require.Zero(t, g.Compare(again))
	})
}

// FuzzState applies arbitrary GTIDs to a state, and compares it with what they say.
func FuzzState(f *testing.F) {
	f.Add([]byte{0, 1, 1, 0, 2, 2, 0, 1, 3, 7, 1, 1})
	f.Add([]byte{0, 1, 9, 0, 1, 2})
	f.Fuzz(func(t *testing.T, b []byte) {
		s := NewState()
		last, servers := map[uint32]GTID{}, map[[2]uint32]uint64{}
		for ; len(b) >= 3; b = b[3:] {
			g := GTID{Domain: uint32(b[0]), Server: uint32(b[1]), Seq: uint64(b[2])}
			before := s.Clone()
			s.Update(g)
			require.False(t, before == s)
			last[g.Domain], servers[[2]uint32{g.Domain, g.Server}] = g, g.Seq
			require.True(t, s.Contains(g))
		}
		require.Equal(t, len(servers), s.Len())
		require.Len(t, s.Position(), len(last))
		for d, g := range last {
			got, ok := s.Last(d)
			require.True(t, ok)
			require.Equal(t, g, got)
			require.Equal(t, g, s.Position()[d])
		}
		for k, seq := range servers {
			got, ok := s.Lookup(k[0], k[1])
			require.True(t, ok)
			require.Equal(t, seq, got)
			require.LessOrEqual(t, seq, s.MaxSeq(k[0]))
		}
		require.True(t, s.Equal(StateFromList(s.List())))
		parsed, err := ParseState(s.String())
		require.NoError(t, err)
		require.True(t, s.Equal(parsed))
		for d := range last {
			dropped := s.Clone()
			dropped.DropDomain(d)
			_, ok := dropped.Last(d)
			require.False(t, ok)
			require.False(t, dropped.Equal(s))
		}
	})
}
