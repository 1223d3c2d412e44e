package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// After a crash the contents are those after the Apply whose mark is found.
func testCrash(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(1, 2))
	states := [][]string{nil}
	current := map[string]string{}
	n := uint64(0)
	checkpoint := uint64(0)
	for range 8 {
		e := h.Open(t)
		d := e.Durable()
		n = number(d)
		require.GreaterOrEqual(t, n, checkpoint)
		require.Equal(t, states[n], contents(t, e))
		states = states[:n+1]
		clear(current)
		for _, s := range states[n] {
			current[s[:1]] = s
		}
		for range 20 + rnd.IntN(30) {
			n++
			var changes []string
			for range 1 + rnd.IntN(5) {
				key := string(rune('a' + rnd.IntN(20)))
				if rnd.IntN(3) == 0 {
					changes = append(changes, "-"+key)
					delete(current, key)
				} else {
					changes = append(changes, fmt.Sprintf("%s=%d", key, n))
					current[key] = changes[len(changes)-1]
				}
			}
			apply(t, e, n, changes...)
			var s []string
			for _, v := range current {
				s = append(s, v)
			}
			slices.Sort(s)
			states = append(states, s)
			if rnd.IntN(10) == 0 {
				_, err := e.Checkpoint()
				require.NoError(t, err)
				checkpoint = n
			}
		}
		h.Crash(t, e)
	}
}

// What is not durable is applied again, and comes to the same, as often as there are crashes.
func testReplayAgain(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(13, 14))
	var log [][]change // of marks from 1 on
	states := []model{{}}
	for range 80 {
		changes := randomChanges(rnd, 1+rnd.IntN(10))
		log, states = append(log, changes), append(states, states[len(states)-1].with(changes))
	}
	low := uint64(0)
	for crash := range 6 {
		e := h.Open(t)
		require.Equal(t, e.Durable(), e.Applied())
		from := number(e.Durable())
		require.GreaterOrEqual(t, from, low)
		require.Equal(t, states[from], read(t, e), "after crash %d", crash)
		to := uint64(rnd.IntN(len(log)) + 1)
		if crash == 5 {
			to = uint64(len(log))
		}
		for n := from + 1; n <= to; n++ {
			require.NoError(t, e.Apply(batchOf(t, e, log[n-1]), mark(n)))
			require.Equal(t, states[n], read(t, e))
			if rnd.IntN(15) == 0 {
				m, err := e.Checkpoint()
				require.NoError(t, err)
				require.Equal(t, mark(n), m)
				low = n
			}
		}
		h.Crash(t, e)
	}
}
