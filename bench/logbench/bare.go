package logbench

import (
	"context"
	"sync"

	"github.com/duramendb/duramen/bench/device"
)

// bare is the least a group commit can do.
type bare struct {
	ring ring

	mu struct {
		sync.Mutex
		head, tail *bareMember // the next group
	}

	logMu sync.Mutex // held by the leader; guards what follows
	buf   []byte
	t     task
	stats struct{ commits, groups, bytes int64 }
}

type bareMember struct {
	next *bareMember
	err  error
	wake chan struct{}
}

func openBare(path string, size int64) (*bare, error) {
	r, err := openRing(path, size, device.Buffered)
	return &bare{ring: r}, err
}

// commit joins a group, and leads it if it is the first.
func (b *bare) commit(m *bareMember, payload []byte) error {
	b.mu.Lock()
	leads := b.mu.head == nil
	if leads {
		b.mu.head = m
	} else {
		b.mu.tail.next = m
	}
	b.mu.tail = m
	b.mu.Unlock()
	if !leads {
		<-m.wake
		return m.err
	}

	b.logMu.Lock()
	b.mu.Lock()
	group := b.mu.head
	b.mu.head, b.mu.tail = nil, nil
	b.mu.Unlock()
	buf := append(b.buf[:0], payload[:int(b.t.shape.markBytes)]...)
	for m := group; m != nil; m = m.next {
		buf = append(buf, payload...)
		b.stats.commits++
	}
	b.buf = buf
	b.stats.groups++
	b.stats.bytes += int64(len(buf))
	err := b.ring.write(buf)
	b.logMu.Unlock()

	for m := group; m != nil; {
		next := m.next // m belongs to its committer once it is awake
		m.next, m.err = nil, err
		if m != group {
			m.wake <- struct{}{}
		}
		m = next
	}
	return err
}

func (b *bare) turn(ctx context.Context, t task) (Slice, error) {
	b.t, b.stats = t, struct{ commits, groups, bytes int64 }{}
	before := t.meter.Read()
	started, elapsed, err := t.drive(ctx, func(int) func() error {
		m := &bareMember{wake: make(chan struct{}, 1)}
		payload := make([]byte, int(t.shape.transactionBytes+0.5))
		return func() error {
			payload[len(payload)-1]++
			return b.commit(m, payload)
		}
	})
	if err != nil {
		return Slice{}, err
	}
	return Slice{
		Time: started, Elapsed: elapsed, Commits: b.stats.commits, Groups: b.stats.groups,
		EventBytes: b.stats.bytes - b.stats.groups*int64(t.shape.markBytes),
		Latency:    t.histograms.all.Latency(), Traffic: t.meter.Read().Since(before),
	}, nil
}

func (b *bare) close() error { return b.ring.close() }
