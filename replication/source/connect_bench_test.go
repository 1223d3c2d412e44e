package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
)

// BenchmarkConnect tells how long it takes to open a large log, and to serve the first event to a
// replica that connects somewhere in it: DURAMEN_BENCH_LOG_GIB gives the size, 1 unless set.
func BenchmarkConnect(b *testing.B) {
	size := int64(1)
	if n, err := strconv.ParseInt(os.Getenv("DURAMEN_BENCH_LOG_GIB"), 10, 64); err == nil {
		size = n
	}
	o := binlog.Options{FS: vfs.Default, Dir: b.TempDir(), ServerID: 7, NoPreallocate: true, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}
	last := fillLog(b, o, size<<30)
	open := func(b *testing.B) *binlog.Log {
		p, err := binlog.Scan(o, binlog.ScanSpec{Engine: logpos.Pos{Segment: 1<<64 - 1}})
		require.NoError(b, err)
		l, err := p.Open()
		require.NoError(b, err)
		return l
	}
	b.Run("open", func(b *testing.B) {
		var took time.Duration
		for range b.N {
			started := time.Now()
			l := open(b)
			took += time.Since(started)
			b.ReportMetric(float64(len(l.Segments())), "segments")
			require.NoError(b, l.Close())
		}
		b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/open")
	})
	rng := rand.New(rand.NewPCG(1, 2))
	for _, at := range []struct {
		name string
		seq  func() uint64
	}{
		{"end", func() uint64 { return last }},
		{"middle", func() uint64 { return 1 + rng.Uint64N(last) }},
		{"start", func() uint64 { return 0 }},
	} {
		b.Run(at.name, func(b *testing.B) {
			l := open(b)
			defer l.Close()
			for b.Loop() {
				connectAt(b, l, at.seq())
			}
			hits, misses := l.GTIDIndexStats()
			b.ReportMetric(float64(hits), "hits")
			b.ReportMetric(float64(misses), "misses")
		})
	}
	b.Run("middle, index files lost", func(b *testing.B) {
		l := open(b)
		defer l.Close()
		for b.Loop() {
			seq := 1 + rng.Uint64N(last)
			b.StopTimer()
			for _, s := range l.Segments() {
				_ = os.Remove(o.FS.PathJoin(o.Dir, s.Name+".idx"))
			}
			b.StartTimer()
			connectAt(b, l, seq)
		}
	})
}

// fillLog writes transactions of about 64 KiB, and returns the last one's number.
func fillLog(b *testing.B, o binlog.Options, size int64) (last uint64) {
	l, _, err := binlog.Open(o)
	require.NoError(b, err)
	text := string(make([]byte, 64<<10))
	started := time.Now()
	for done := int64(0); done < size; {
		last++
		group := event.AppendGTID(nil, meta, event.GTIDInfo{GTID: gtid.GTID{Server: 7, Seq: last}, Flags: event.FLTransactional})
		group = event.AppendAnnotateRows(group, meta, text)
		group = event.AppendXID(group, meta, last)
		require.NoError(b, l.Reserve(int64(len(group))))
		_, end, err := l.Append(group)
		require.NoError(b, err)
		l.SetVisible(end)
		done += int64(len(group))
	}
	require.NoError(b, l.Close())
	b.Logf("%d GiB in %v", size>>30, time.Since(started).Round(time.Millisecond))
	return last
}

// connectAt dumps until the first group that a replica which has seq lacks, or to the end.
func connectAt(b *testing.B, l *binlog.Log, seq uint64) {
	req := replica()
	req.GTIDMode, req.NonBlock, req.ConnectState = true, true, gtid.Position{}
	if seq > 0 {
		req.ConnectState[0] = gtid.GTID{Server: 7, Seq: seq}
	}
	arrived := errors.New("arrived")
	err := Dump(context.Background(), l, req, func(ev []byte) error {
		if event.Type(ev[offType]) != event.GTIDEvent {
			return nil
		}
		e, err := event.Decode(ev)
		if err != nil {
			return err
		}
		if info, ok := e.Body.(*event.GTIDInfo); !ok || info.GTID.Seq != seq+1 {
			return fmt.Errorf("%v after %d", e.Body, seq)
		}
		return arrived
	})
	if !errors.Is(err, arrived) {
		require.NoError(b, err)
	}
}
