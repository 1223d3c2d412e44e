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
