package enginetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func testCheckpoint(t *testing.T, h Harness) {
	e := h.Open(t)
	apply(t, e, 1, "a=1")
	apply(t, e, 2, "b=2")
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(2), m)
	require.Equal(t, mark(2), e.Durable())
	apply(t, e, 3, "-a")
	require.Equal(t, mark(3), e.Applied())
	h.Crash(t, e)

	e = h.Open(t)
	d := e.Durable()
	require.Equal(t, d, e.Applied())
	require.False(t, d.Position.Before(mark(2).Position))
	if d == mark(2) {
		require.Equal(t, []string{"a=1", "b=2"}, contents(t, e))
	}
	apply(t, e, 3, "-a") // replay
	_, err = e.Checkpoint()
	require.NoError(t, err)
	e = restart(t, h, e)
	require.Equal(t, mark(3), e.Durable())
	require.Equal(t, []string{"b=2"}, contents(t, e))
	require.NoError(t, e.Close())
}

// One goroutine applies; others read, take checkpoints and ingest.
func testConcurrent(t *testing.T, h Harness) {
	e := h.Open(t)
	const applies = 300
	done := make(chan struct{})
	var wg sync.WaitGroup
	worker := func(f func() error) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				if err := f(); err != nil {
					t.Errorf("concurrent use: %v", err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		}()
	}
	worker(func() error { // both keys are always written together
		s := e.Snapshot()
		a, b := get(t, s, "a"), get(t, s, "b")
		if a != b {
			return fmt.Errorf("torn batch: %s, %s", a, b)
		}
		return s.Close()
	})
	worker(func() error {
		before := e.Applied()
		m, err := e.Checkpoint()
		if err == nil && (m.Position.Before(before.Position) || e.Durable().Position.Before(m.Position)) {
			return fmt.Errorf("checkpoint at %s after apply at %s", m.Position, before.Position)
		}
		return err
	})
	worker(func() error {
		b := e.NewBatch()
		if err := b.Set([]byte("ingested"), []byte("1")); err != nil {
			return err
		}
		return e.Ingest(b)
	})
	for n := range uint64(applies) {
		v := fmt.Sprint(n)
		apply(t, e, n+1, "a="+v, "b="+v)
	}
	close(done)
	wg.Wait()
	require.NoError(t, e.Close())
}

// Readers see whole batches, and all of them, while checkpoints follow each other: the sum over all keys never changes.
func testCheckpointUnderLoad(t *testing.T, h Harness) {
	const keys, applies, readers = 500, 600, 2
	key := func(i int) []byte { return fmt.Appendf(nil, "k%04d", i) }
	e := h.Open(t)
	b := e.NewBatch()
	for i := range keys {
		require.NoError(t, b.Set(key(i), []byte("100")))
	}
	require.NoError(t, e.Apply(b, mark(1)))
	sum := func(r reader) (int, error) {
		it, err := r.NewIter(userLower, nil)
		if err != nil {
			return 0, err
		}
		total, n := 0, 0
		for ok := it.First(); ok; ok = it.Next() {
			v, err := strconv.Atoi(string(it.Value()))
			if err != nil {
				return 0, errors.Join(err, it.Close())
			}
			total += v
			n++
		}
		err = errors.Join(it.Error(), it.Close())
		if err == nil && n != keys {
			err = fmt.Errorf("%d keys", n)
		}
		return total, err
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	loop := func(f func() error) {
		wg.Go(func() {
			for first := true; first || !done.Load(); first = false {
				if err := f(); err != nil {
					t.Errorf("under load: %v", err)
					return
				}
			}
		})
	}
	for n := range readers {
		loop(func() error {
			total, err := 0, error(nil)
			if n == 0 {
				total, err = sum(e)
			} else {
				s := e.Snapshot()
				total, err = sum(s)
				err = errors.Join(err, s.Close())
			}
			if err == nil && total != 100*keys {
				err = fmt.Errorf("the sum is %d", total)
			}
			return err
		})
	}
	var checkpoints atomic.Int64
	loop(func() error {
		before := e.Applied()
		m, err := e.Checkpoint()
		if err == nil && m.Position.Before(before.Position) {
			err = fmt.Errorf("a checkpoint at %s after %s was applied", m.Position, before.Position)
		}
		checkpoints.Add(1)
		_, serr := e.Size(userLower, nil)
		_ = e.Stats() // beside everything else
		return errors.Join(err, serr)
	})
	values := make([]int, keys)
	for n := range uint64(applies) {
		from, to := int(n*7919)%keys, int(n*104729+1)%keys
		if from == to {
			to = (to + 1) % keys
		}
		values[from]--
		values[to]++
		b := e.NewBatch()
		for _, i := range []int{from, to} {
			require.NoError(t, b.Set(key(i), strconv.AppendInt(nil, int64(100+values[i]), 10)))
		}
		require.NoError(t, e.Apply(b, mark(n+2)))
	}
	done.Store(true)
	wg.Wait()
	require.Positive(t, checkpoints.Load())
	m, err := e.Checkpoint()
	require.NoError(t, err)
	require.Equal(t, mark(applies+1), m)
	e = crash(t, h, e)
	require.Equal(t, m, e.Durable())
	for i, v := range values {
		require.Equal(t, strconv.Itoa(100+v), get(t, e, string(key(i))))
	}
	require.NoError(t, e.Close())
}
