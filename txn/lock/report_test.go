package lock

import (
	"encoding/binary"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A deadlock names who waited for what and for whom, also where a lock is in a set.
func TestDeadlockReport(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	m := NewManager(Options{Now: func() time.Time { return at }})
	require.Nil(t, m.LastDeadlock())
	m.SetEscalationMinForTesting(2)
	a, b := Owner{ID: 1, Thread: 11}, Owner{ID: 2, Thread: 22}
	for key := range uint64(10) { // the last ones go into a set
		_, err := m.Lock(ctx, &a, row(key, Exclusive, -1))
		require.NoError(t, err)
	}
	name := Request{Class: Metadata, Key: []byte("name"), Mode: Shared, Timeout: time.Hour, Statement: "ALTER"}
	_, err := m.Lock(ctx, &b, name)
	require.NoError(t, err)
	done := make(chan error)
	go func() {
		r := row(9, Exclusive, time.Hour)
		r.Statement = "UPDATE"
		_, err := m.Lock(ctx, &b, r)
		done <- err
	}()
	require.Eventually(t, func() bool { return m.Stats().Waits == 1 }, 30*time.Second, time.Millisecond)
	waitOfB := Wait{Party: Party{2, 22, Exclusive}, Class: Rows, Key: binary.BigEndian.AppendUint64(nil, 9), Statement: "UPDATE", Since: at,
		Blockers: []Party{{1, 11, Exclusive}}}
	require.Equal(t, []Wait{waitOfB}, m.Waits())
	name.Mode = Exclusive
	_, err = m.Lock(ctx, &a, name)
	require.ErrorIs(t, err, ErrDeadlock)
	require.Equal(t, &Deadlock{At: at, Waits: []Wait{
		{Party: Party{1, 11, Exclusive}, Class: Metadata, Key: []byte("name"), Statement: "ALTER", Since: at, Blockers: []Party{{2, 22, Shared}}},
		waitOfB,
	}}, m.LastDeadlock())
	m.Release(&a, Rows)
	require.NoError(t, <-done)
	require.Empty(t, m.Waits())
	m.Release(&b, Rows)
	m.Release(&b, Metadata)
	require.Zero(t, m.Count())
}

// Every wait is told when it begins, with those in the way.
func TestWaitsAreTold(t *testing.T) {
	var mu sync.Mutex
	var told []Wait
	m := NewManager(Options{Waiting: func(w Wait) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, w)
	}})
	a, b, c := Owner{ID: 1}, Owner{ID: 2}, Owner{ID: 3}
	_, err := m.Lock(ctx, &a, row(1, Shared, time.Hour))
	require.NoError(t, err)
	_, err = m.Lock(ctx, &b, row(1, Shared, time.Hour))
	require.NoError(t, err)
	done := make(chan error, 2)
	for i, o := range []*Owner{&b, &c} {
		go func() { _, err := m.Lock(ctx, o, row(1, Exclusive, time.Hour)); done <- err }()
		require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(told) == i+1 }, 30*time.Second, time.Millisecond)
	}
	require.Equal(t, []Party{{1, 0, Shared}}, told[0].Blockers)
	require.Equal(t, []Party{{1, 0, Shared}, {2, 0, Shared}, {2, 0, Exclusive}}, told[1].Blockers)
	m.Release(&a, Rows)
	require.NoError(t, <-done)
	m.Release(&b, Rows)
	require.NoError(t, <-done)
	m.Release(&c, Rows)
}
