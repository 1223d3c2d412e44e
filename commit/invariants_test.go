//go:build invariants

package commit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/logpos"
)

// endOnly is a log of which only the end is asked for.
type endOnly struct {
	Log
	end, synced logpos.Pos
}

func (l endOnly) End() logpos.Pos       { return l.end }
func (l endOnly) Synced() logpos.Pos    { return l.synced }
func (endOnly) SetVisible(_ logpos.Pos) {}
func (endOnly) Offer(_ logpos.Pos)      {}

// finished is a Write of nothing.
type finished struct{}

func (finished) Finish() error { return nil }

func TestInvariantsOfCursors(t *testing.T) {
	l := endOnly{end: logpos.At(1, 100), synced: logpos.At(1, 50)}
	var c positions
	c.advance(l, logpos.At(1, 60))
	require.PanicsWithError(t, "invariant violated: applied up to 000001:101, but the log ends at 000001:100", func() { c.advance(l, logpos.At(1, 101)) })
	c = positions{}
	c.advance(l, logpos.At(1, 60))
	require.PanicsWithError(t, "invariant violated: applied goes back from 000001:60 to 000001:59", func() { c.advance(l, logpos.At(1, 59)) })
	p := &Pipeline{log: l}
	require.PanicsWithError(t, "invariant violated: the group that ends at 000001:60 is applied, and the log is durable up to 000001:50",
		func() { p.applyGroup(&group{write: finished{}, end: logpos.At(1, 60)}) })
}
