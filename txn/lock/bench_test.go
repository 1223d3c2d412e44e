package lock

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
)

func BenchmarkLock(b *testing.B) {
	m := NewManager(Options{})
	var seq atomic.Uint64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var o Owner
		var key [8]byte
		for pb.Next() {
			binary.BigEndian.PutUint64(key[:], seq.Add(1))
			if _, err := m.Lock(ctx, &o, Request{Class: Rows, Key: key[:], Mode: Exclusive}); err != nil {
				b.Error(err)
			}
			m.Release(&o, Rows)
		}
	})
}

// The metadata lock of a statement: on a name of its own, or on one that others have too.
func BenchmarkName(b *testing.B) {
	for name, key := range map[string]func(worker uint64) []byte{
		"alone":    func(worker uint64) []byte { return binary.BigEndian.AppendUint64([]byte("t"), worker) },
		"together": func(uint64) []byte { return []byte("t") },
	} {
		b.Run(name, func(b *testing.B) {
			m := NewManager(Options{})
			var workers atomic.Uint64
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				key := key(workers.Add(1))
				var o Owner
				for pb.Next() {
					if _, err := m.Lock(ctx, &o, Request{Class: Metadata, Key: key, Mode: IntentShared}); err != nil {
						b.Error(err)
					}
					m.Release(&o, Metadata)
				}
			})
		})
	}
}

// The global lock of a statement that changes something.
func BenchmarkGlobal(b *testing.B) {
	m := NewManager(Options{})
	var workers atomic.Uint32
	key := []byte("everything")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		o := Owner{Thread: workers.Add(1)}
		for pb.Next() {
			if _, err := m.Lock(ctx, &o, Request{Class: Global, Key: key, Mode: IntentExclusive}); err != nil {
				b.Error(err)
			}
			m.Release(&o, Global)
		}
	})
}
