package gtid

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoint(t *testing.T) {
	p := NewPoint()
	require.Equal(t, "", p.String())
	p.Update(GTID{0, 1, 5}, false)
	require.Equal(t, "0-1-5", p.String())
	p.Update(GTID{0, 2, 7}, true)
	p.Update(GTID{0, 1, 8}, false)
	p.Update(GTID{3, 2, 1}, true)
	require.Equal(t, "0-2-7,0-1-8,3-2-1|0-2-7,3-2-1", p.String())
	require.Equal(t, "0-2-7,0-1-8,3-2-1", StateText(p.String()))
	again, err := ParsePoint(p.String())
	require.NoError(t, err)
	require.True(t, p.State.Equal(again.State))
	require.Equal(t, p.Replicated, again.Replicated)
	plain, err := ParsePoint("0-1-5")
	require.NoError(t, err)
	require.Empty(t, plain.Replicated)
	for _, r := range []Reposition{{Pos: Position{0: {0, 9, 7}}, Merge: true}, {Pos: Position{0: {0, 9, 8}}, Merge: true}, {Pos: Position{4: {4, 4, 4}}}, {}} {
		same, err := ParseReposition(r.String())
		require.NoError(t, err)
		require.Equal(t, r.String(), same.String())
		p.Reposition(same)
		require.Equal(t, map[string]string{"+0-9-7": "0-2-7,3-2-1", "+0-9-8": "0-9-8,3-2-1", "4-4-4": "4-4-4", "": ""}[r.String()], p.Replicated.String())
	}
	p = NewPoint()
	p.Update(GTID{0, 20, 5}, false)
	one := MySQL{UUID{1}, 7}
	p.Execute(one)
	const u1, u2 = "01000000-0000-0000-0000-000000000000", "02000000-0000-0000-0000-000000000000"
	require.Equal(t, "0-20-5||"+u1+":7", p.String())
	p.Update(GTID{0, 20, 6}, true)
	p.Execute(MySQL{UUID{1}, 8})
	require.Equal(t, "0-20-6|0-20-6|"+u1+":7-8", p.String())
	require.Equal(t, "0-20-6", StateText(p.String()))
	again, err = ParsePoint(p.String())
	require.NoError(t, err)
	require.True(t, p.Executed.Equal(again.Executed) && p.Replicated.Equal(again.Replicated))
	moved := p.At(NewState())
	require.Equal(t, "|0-20-6|"+u1+":7-8", moved.String())
	again, err = ParsePoint(moved.String())
	require.NoError(t, err)
	require.Equal(t, moved.String(), again.String())
	for _, c := range []struct{ change, want string }{{"+" + u2 + ":1-3", u1 + ":7-8," + u2 + ":1-3"}, {u2 + ":1", u2 + ":1"}, {"", ""}} {
		same, err := ParseExecutedChange(c.change)
		require.NoError(t, err)
		require.Equal(t, c.change, same.String())
		before := p.At(p.State)
		p.SetExecuted(same)
		require.Equal(t, c.want, p.Executed.String())
		require.Equal(t, before.String() == p.String(), before.Executed.Equal(p.Executed), "a clone is independent")
	}
	require.True(t, moved.Executed.Contains(one))
	g, err := DecodeMySQL(one.AppendTo(nil))
	require.NoError(t, err)
	require.Equal(t, one, g)
	for _, b := range [][]byte{nil, make([]byte, 24), one.AppendTo([]byte{0}), MySQL{UUID{1}, 1 << 63}.AppendTo(nil)} {
		_, err := DecodeMySQL(b)
		require.ErrorIs(t, err, ErrSyntax)
	}
	for _, text := range []string{"0-1-5||", "0-1-5||0-1-1", "0-1-5||" + u1, "0-1-5|0-1-1|" + u1 + ":1|", "0-1-5|0-1", "0-1|", "0-1-5|0-1-1,0-2-1", "0-1-5|0-1-1|"} {
		_, err := ParsePoint(text)
		require.Error(t, err, text)
	}
}
