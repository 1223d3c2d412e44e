package enginetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
)

func testIngest(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	require.NoError(t, e.Ingest(batch(t, e, "x=1", "y=1")))
	require.Equal(t, mark(1), e.Applied())
	require.Equal(t, []string{"a=1", "x=1", "y=1"}, contents(t, e))
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(1), m)
	b := e.NewBatch()
	require.NoError(t, b.DeleteRange([]byte("y"), []byte("z")))
	require.NoError(t, e.Ingest(b))
	require.NoError(t, e.Ingest(batch(t, e, "z=1")))
	_, err = e.Checkpoint() // the mark has not moved, and yet there is something to do
	require.NoError(t, err)
	e = crash(t, h, e)
	require.Equal(t, []string{"a=1", "x=1", "z=1"}, contents(t, e))
	require.NoError(t, e.Ingest(e.NewBatch()))
	require.NoError(t, e.Close())
}

// Key spaces come and go: a space is written, removed by one range, and written again, beside others.
func testKeySpaces(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(15, 16))
	e := h.Open(t)
	want := model{}
	for n := range uint64(60) {
		space := fmt.Sprintf("space%d", rnd.IntN(5))
		changes := []change{{key: space, upper: space + "/\xff"}}
		if rnd.IntN(3) > 0 { // written anew, in the batch that removes what there was
			for i := range 20 {
				changes = append(changes, setTo(fmt.Sprintf("%s/%02d", space, i), fmt.Sprint(n)))
			}
		}
		want = want.with(changes)
		require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n+1)))
		require.Equal(t, want, read(t, e))
		switch rnd.IntN(8) {
		case 0:
			_, err := e.Checkpoint()
			require.NoError(t, err)
		case 1:
			m, err := e.Checkpoint()
			require.NoError(t, err)
			e = crash(t, h, e)
			require.Equal(t, m, e.Durable())
			require.Equal(t, want, read(t, e))
		}
	}
	require.NoError(t, e.Close())
}

func testDeleteRangeOfMany(t *testing.T, h Harness) {
	const keys = 30_000
	key := func(i int) string { return fmt.Sprintf("many/%06d", i) }
	e := h.Open(t)
	want := model{"lower": "1", "upper": "1"}
	var fresh []change
	for i := range keys {
		fresh = append(fresh, setTo(key(i), fmt.Sprint(i)))
	}
	want = want.with(fresh)
	apply(t, e, 1, "lower=1", "upper=1")
	require.NoError(t, e.Apply(batchOf(t, e, fresh), mark(2)))
	_, err := e.Checkpoint()
	require.NoError(t, err)
	s := e.Snapshot()
	range1 := []change{{key: "many/", upper: "many0"}}
	require.NoError(t, e.Apply(batchOf(t, e, range1), mark(3)))
	require.Equal(t, model{"lower": "1", "upper": "1"}, read(t, e))
	again := []change{}
	for i := 0; i < keys; i += 3 {
		again = append(again, setTo(key(i), "again"))
	}
	require.NoError(t, e.Apply(batchOf(t, e, again), mark(4)))
	after := model{"lower": "1", "upper": "1"}.with(again)
	check := func() {
		t.Helper()
		require.True(t, maps.Equal(after, read(t, e)))
		require.Equal(t, "again", get(t, e, key(3)))
		require.Equal(t, "-", get(t, e, key(4)))
		it, err := e.NewIter([]byte("many/"), []byte("many0"))
		require.NoError(t, err)
		n := 0
		for ok := it.Last(); ok; ok = it.Prev() {
			n++
		}
		require.Len(t, again, n)
		require.True(t, it.SeekLT([]byte(key(keys/2))))
		require.NoError(t, it.Close())
	}
	check()
	require.True(t, maps.Equal(want, read(t, s)))
	require.NoError(t, s.Close())
	_, err = e.Checkpoint()
	require.NoError(t, err)
	check()
	e = crash(t, h, e)
	require.Equal(t, mark(4), e.Durable())
	check()
	require.NoError(t, e.Close())
}

// What was ingested may be there after a crash or not. Nothing else is lost by that.
func testIngestAndCrash(t *testing.T, h Harness) {
	rnd := rand.New(rand.NewPCG(17, 18))
	sure := model{} // was ingested before a checkpoint
	low := uint64(0)
	states := map[uint64]model{0: {}}
	for crash := range 8 {
		e := h.Open(t)
		got := read(t, e)
		n := number(e.Durable())
		require.GreaterOrEqual(t, n, low)
		applied := states[n]
		want := applied.with(nil)
		maps.Copy(want, sure)
		maps.DeleteFunc(got, func(k, v string) bool { return k[0] == 'x' && sure[k] != v })
		require.Equal(t, want, got, "after crash %d", crash)
		for range 30 {
			switch rnd.IntN(4) {
			case 0:
				key, value := fmt.Sprintf("x%d-%d", crash, rnd.IntN(1_000_000)), fmt.Sprint(n)
				require.NoError(t, e.Ingest(batch(t, e, key+"="+value)))
				if rnd.IntN(2) == 0 {
					_, err := e.Checkpoint()
					require.NoError(t, err)
					sure[key], low = value, n
				}
			case 1:
				require.Equal(t, mark(n), pick(n, e.Applied()))
			default:
				n++
				changes := []change{setTo(fmt.Sprintf("k%d", rnd.IntN(20)), fmt.Sprint(n))}
				applied = applied.with(changes)
				states[n] = applied
				require.NoError(t, e.Apply(batchOf(t, e, changes), mark(n)))
			}
		}
		h.Crash(t, e)
	}
}

// pick is the mark of nothing under its number.
func pick(n uint64, m engine.Mark) engine.Mark {
	if n == 0 && m == (engine.Mark{}) {
		return mark(0)
	}
	return m
}
