package binlog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"
)

// BenchmarkAppendSync commits one group at a time and, turn by turn in the same run, writes as
// many bytes to a zero-filled file of its own with nothing but pwrite and
// fdatasync. The metric log/raw is what the log costs above the device.
func BenchmarkAppendSync(b *testing.B) {
	for _, size := range []int{200, 4000, 60000} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) { benchAppendSync(b, size) })
	}
}

func benchAppendSync(b *testing.B, size int) {
	o := testOptions(vfs.Default)
	o.Dir, o.MaxSize, o.nowForTesting = b.TempDir(), DefaultMaxSize, nil
	l, _ := mustOpen(b, o)
	raw, err := vfs.Default.OpenReadWrite(filepath.Join(b.TempDir(), "raw"), vfs.WriteCategoryUnspecified)
	require.NoError(b, err)
	defer raw.Close()
	for at := int64(0); at < DefaultMaxSize; at += int64(len(zeroChunk)) {
		_, err := raw.WriteAt(zeroChunk, at)
		require.NoError(b, err)
	}
	require.NoError(b, raw.Sync())

	group := transaction(1, size)
	block := make([]byte, len(group)+markSize)
	var inLog, inRaw time.Duration
	at := int64(0)
	for n := 0; b.Loop(); n++ {
		if at+int64(len(block)) > DefaultMaxSize {
			at = 0
		}
		block[0]++
		t0 := time.Now()
		if _, err := raw.WriteAt(block, at); err != nil {
			b.Fatal(err)
		}
		if err := raw.SyncData(); err != nil {
			b.Fatal(err)
		}
		at += int64(len(block))
		t1 := time.Now()
		if err := l.Reserve(int64(len(group))); err != nil {
			b.Fatal(err)
		}
		_, end, err := l.Append(group)
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Sync(); err != nil {
			b.Fatal(err)
		}
		l.SetVisible(end)
		inRaw += t1.Sub(t0)
		inLog += time.Since(t1)
	}
	n := float64(b.N)
	b.ReportMetric(float64(inRaw.Nanoseconds())/n, "raw-ns/op")
	b.ReportMetric(float64(inLog.Nanoseconds())/n, "log-ns/op")
	b.ReportMetric(float64(inLog)/float64(inRaw), "log/raw")
}

// BenchmarkScan is the speed of recovery over a full segment.
func BenchmarkScan(b *testing.B) {
	o := testOptions(vfs.Default)
	o.Dir, o.MaxSize = b.TempDir(), DefaultMaxSize
	l, _ := mustOpen(b, o)
	for n := uint64(1); l.End().Offset < 64<<20; n++ {
		g := transaction(n, 400)
		require.NoError(b, l.Reserve(int64(len(g))))
		_, _, err := l.Append(g)
		require.NoError(b, err)
	}
	require.NoError(b, l.Sync())
	path := filepath.Join(o.Dir, l.live.seg.name)
	fi, err := os.Stat(path)
	require.NoError(b, err)
	b.SetBytes(fi.Size())
	for b.Loop() {
		f, s, err := l.dir.openScanner(l.live.seg.name)
		require.NoError(b, err)
		c, err := scanSegment(s, path)
		require.NoError(b, err)
		_, err = scanTail(f, c.evEnd, s.limit)
		require.NoError(b, err)
		require.NoError(b, f.Close())
	}
}
