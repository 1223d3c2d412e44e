package gtid

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		text string
		want GTID
		ok   bool
	}{
		{"0-1-42", GTID{0, 1, 42}, true},
		{" 0-1-42 ", GTID{0, 1, 42}, true},
		{"4294967295-4294967295-18446744073709551615", GTID{1<<32 - 1, 1<<32 - 1, 1<<64 - 1}, true},
		{"", GTID{}, false},
		{"0-1", GTID{}, false},
		{"0-1-", GTID{}, false},
		{"0--1", GTID{}, false},
		{"0-1-2-3", GTID{}, false},
		{"+0-1-2", GTID{}, false},
		{"0-1-0x10", GTID{}, false},
		{"4294967296-1-1", GTID{}, false},
		{"0-1-18446744073709551616", GTID{}, false},
	} {
		got, err := Parse(tt.text)
		if !tt.ok {
			require.ErrorIs(t, err, ErrSyntax, tt.text)
			continue
		}
		require.NoError(t, err, tt.text)
		require.Equal(t, tt.want, got)
	}
}

func TestPosition(t *testing.T) {
	p, err := ParsePosition("5-2-7, 0-1-3")
	require.NoError(t, err)
	require.Equal(t, "0-1-3,5-2-7", p.String())
	empty, err := ParsePosition(" ")
	require.NoError(t, err)
	require.Empty(t, empty)
	require.Equal(t, "", Position(nil).String())
	_, err = ParsePosition("0-1-3,0-2-4")
	require.ErrorIs(t, err, ErrDuplicateDomain)
	_, err = ParsePosition("0-1-3,")
	require.ErrorIs(t, err, ErrSyntax)

	c := p.Clone()
	c.Update(GTID{5, 9, 1})
	require.Equal(t, GTID{5, 2, 7}, p[5])
	require.False(t, p.Equal(c))
}

func TestState(t *testing.T) {
	s := NewState()
	for _, g := range []GTID{{0, 1, 1}, {0, 2, 2}, {0, 1, 3}, {7, 1, 1}} {
		s.Update(g)
	}
	require.Equal(t, "0-2-2,0-1-3,7-1-1", s.String())
	require.Equal(t, "0-1-3,7-1-1", s.Position().String())
	last, ok := s.Last(0)
	require.True(t, ok)
	require.Equal(t, GTID{0, 1, 3}, last)
	_, ok = s.Last(1)
	require.False(t, ok)
	seq, ok := s.Lookup(0, 2)
	require.True(t, ok)
	require.EqualValues(t, 2, seq)
	require.True(t, s.Contains(GTID{0, 1, 2}))
	require.False(t, s.Contains(GTID{0, 1, 4}))
	require.False(t, s.Contains(GTID{0, 3, 1}))
	require.EqualValues(t, 3, s.MaxSeq(0))
	require.EqualValues(t, 0, s.MaxSeq(1))

	again, err := ParseState(s.String())
	require.NoError(t, err)
	require.True(t, s.Equal(again))
	again.DropDomain(7)
	require.False(t, s.Equal(again))
}

// TestStateRoundTrip: a state survives its list and its text, and a clone is independent of it.
func TestStateRoundTrip(t *testing.T) {
	gtids := rapid.SliceOf(rapid.Custom(func(t *rapid.T) GTID {
		return GTID{
			Domain: rapid.Uint32Range(0, 3).Draw(t, "domain"),
			Server: rapid.Uint32Range(0, 3).Draw(t, "server"),
			Seq:    rapid.Uint64().Draw(t, "seq"),
		}
	}))
	rapid.Check(t, func(t *rapid.T) {
		s := NewState()
		for _, g := range gtids.Draw(t, "gtids") {
			s.Update(g)
		}
		require.True(t, s.Equal(StateFromList(s.List())))
		parsed, err := ParseState(s.String())
		require.NoError(t, err)
		require.True(t, s.Equal(parsed))
		require.Len(t, s.List(), s.Len())
		p, err := ParsePosition(s.Position().String())
		require.NoError(t, err)
		require.True(t, s.Position().Equal(p))

		before := s.String()
		c := s.Clone()
		c.Update(GTID{0, 99, 1})
		require.Equal(t, before, s.String())
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "0-1-2", "0-1-2,3-4-5", "0-1-2,0-1-3", " 1-2-3 , 4-5-6", "-1-2-3", "0-1-18446744073709551615"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := ParsePosition(s); err == nil {
			again, err := ParsePosition(p.String())
			require.NoError(t, err)
			require.True(t, p.Equal(again))
		}
		if state, err := ParseState(s); err == nil {
			again, err := ParseState(state.String())
			require.NoError(t, err)
			require.True(t, state.Equal(again))
		}
	})
}
