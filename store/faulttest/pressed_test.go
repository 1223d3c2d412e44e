package faulttest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/internal/crashfs"
	"github.com/duramendb/duramen/store"
)

// TestEngineCannotFlush: an engine whose files cannot be written holds what it gets in memory. Before
// that is full, transactions are refused, nobody waits, and it goes on by itself when the disk is well again.
func TestEngineCannotFlush(t *testing.T) {
	for _, kind := range []Kind{Create, Write, Sync} {
		for _, errno := range []syscall.Errno{syscall.ENOSPC, syscall.EIO} {
			t.Run(kind.String()+" "+errno.Error(), func(t *testing.T) {
				fs, rng := crashfs.New(), rand.New(rand.NewPCG(1, 1))
				d := &disk{FS: fs}
				led := &ledger{fate: map[int]fate{}}
				dead := make(chan struct{})
				var once sync.Once
				s, err := store.Open(ctx, options(store.Options{FS: d, Fatal: func(err error) {
					led.die()
					d.kill()
					once.Do(func() { close(dead) })
					select {} // the process has ended
				}}))
				require.NoError(t, err)
				c := &session{s: s, led: led}
				c.tables(ctx)
				c.transact(ctx, 1, 10)
				require.Empty(t, led.log)

				d.mu.Lock()
				d.fault = Fault{Kind: kind, N: d.counts[kind] + 1, Forever: true, Err: errno, Where: "lsm"}
				d.counts = [kinds]int{}
				d.fault.N = 1
				d.mu.Unlock()
				n := 2
				filled := make(chan struct{})
				go func() {
					defer close(filled)
					for ; n < 3000 && led.of(n-1) == acked; n++ {
						c.transact(ctx, n, 200)
					}
				}()
				select {
				case <-filled:
				case <-dead: // its MANIFEST could not be written
					require.NoError(t, restart(ctx, fs.Crash(crashfs.Loss{}, rng), led))
					return
				}
				require.Equal(t, refused, led.fate[n-1], "nothing was refused")
				require.Len(t, led.log, 1)
				require.Contains(t, led.log[0], errno.Error())
				x, hot, err := rows(ctx, s, s.Catalog().Current().Table("test", "a"))
				require.NoError(t, err, "reading still works")
				require.Equal(t, n-2, hot)
				require.NotContains(t, x, n-1)

				d.heal()
				require.Eventually(t, func() bool {
					n++
					c.transact(ctx, n, 1)
					return led.of(n) == acked
				}, hangMax, time.Millisecond)
				require.NoError(t, s.Close())
				require.NoError(t, restart(ctx, fs.Crash(crashfs.Loss{}, rng), led))
			})
		}
	}
}

// TestStartCannotFlush: a replay that is larger than memory does not wait for ever either.
func TestStartCannotFlush(t *testing.T) {
	fs, rng := crashfs.New(), rand.New(rand.NewPCG(1, 1))
	led := &ledger{fate: map[int]fate{}}
	s, err := store.Open(ctx, options(store.Options{FS: fs, MaxTransactionBytes: 1 << 30}))
	require.NoError(t, err)
	c := &session{s: s, led: led}
	c.tables(ctx)
	for n := 1; n <= 8; n++ {
		c.transact(ctx, n, 1500)
	}
	require.Empty(t, led.log)
	log := s.Log()
	require.NoError(t, log.Sync())
	image := fs.Crash(crashfs.KeepAll, rng)
	require.NoError(t, s.Close())
	done := make(chan error, 1)
	d := &disk{FS: image, fault: Fault{Kind: Write, N: 1, Forever: true, Err: syscall.EIO, Where: "lsm", Suffix: ".sst"}}
	go func() {
		s, err := store.Open(ctx, options(store.Options{FS: d}))
		if err == nil {
			err = errors.Join(errors.New("it has started"), s.Close())
		}
		done <- err
	}()
	select {
	case err := <-done:
		require.ErrorIs(t, err, syscall.EIO)
	case <-time.After(hangMax):
		t.Fatal("the start hangs")
	}
	d.kill()
	require.NoError(t, restart(ctx, image.Crash(crashfs.Loss{}, rng), led))
}
