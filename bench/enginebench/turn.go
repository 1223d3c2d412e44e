package enginebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/duramendb/duramen/bench/usage"
	"github.com/duramendb/duramen/engine"
)

// Slice is one turn of one engine. Times are of one Get, or one row, in nanoseconds.
type Slice struct {
	Bench    string    `json:"bench"`
	Time     time.Time `json:"time"`
	Round    int       `json:"round"`
	Engine   string    `json:"engine"`
	Rows     int       `json:"rows"`
	KeyBytes int       `json:"key_bytes"`
	RowBytes int       `json:"row_bytes"`
	// Volatile engines have no files: figures about these are zero, and all rows are cached.
	Volatile bool `json:"volatile"`

	LoadSeconds float64 `json:"load_seconds"` // before the rounds; of a volatile engine, at the beginning of each turn

	GetUncached    float64  `json:"get_uncached_ns"`
	DeviceReads    *float64 `json:"uncached_device_bytes,omitempty"` // of one Get; nil: not known
	GetCached      float64  `json:"get_cached_ns"`
	ScanForwards   float64  `json:"scan_forwards_ns"`
	ScanBackwards  float64  `json:"scan_backwards_ns"`
	ApplyOne       float64  `json:"apply_1_ns"`
	ApplyHundred   float64  `json:"apply_100_ns"`
	PendingPerRow  float64  `json:"memory_pending_row_bytes"`
	RestingPerRow  float64  `json:"memory_resting_row_bytes"`
	CheckpointSecs float64  `json:"checkpoint_seconds"`
	// CheckpointRate is bytes of keys and values per second.
	CheckpointRate     float64 `json:"checkpoint_bytes_per_second"`
	WriteAmplification float64 `json:"write_amplification"`
	DiskBytesPerRow    float64 `json:"disk_row_bytes"`
}

// meter takes the measurements of a turn.
type meter struct {
	*contender
	ctx     context.Context
	spell   time.Duration
	slice   *Slice
	applied int // rows
}

func (c *contender) turn(ctx context.Context, o *Options) (s Slice, err error) {
	s = Slice{Time: time.Now(), Engine: c.kind.Dir(), Rows: c.rows, KeyBytes: c.table.keyBytes, RowBytes: c.table.rowBytes, Volatile: c.kind.Volatile()}
	m := &meter{contender: c, ctx: ctx, spell: o.spell(), slice: &s}
	if err := c.dropCaches(); err != nil {
		return s, c.close(err)
	}
	before := heap()
	if err := c.open(); err != nil {
		return s, c.close(err)
	}
	defer func() { err = c.close(err) }()
	if s.Volatile {
		if err := c.fill(ctx, o.Progress); err != nil {
			return s, err
		}
	}
	s.LoadSeconds = c.load.Seconds()
	if err := m.reads(); err != nil {
		return s, err
	}
	s.RestingPerRow = max(float64(heap())-float64(before), 0) / float64(c.rows)
	return s, m.writes()
}

// repeat calls f until the time is over, and returns the time of one of the n things that each call does.
func (m *meter) repeat(n int, f func() error) (float64, error) {
	began := time.Now()
	for calls := 1; ; calls++ {
		if err := f(); err != nil {
			return 0, err
		}
		// Asking for the time costs as much as some of what is measured.
		if n < 100 && calls%16 != 0 {
			continue
		}
		if elapsed := time.Since(began); elapsed >= m.spell {
			return float64(elapsed.Nanoseconds()) / float64(calls*n), nil
		}
		if err := m.ctx.Err(); err != nil {
			return 0, err
		}
	}
}

func (m *meter) hot() int { return min(m.rows, hotRows) }

// get reads a random row below a number.
func (m *meter) get(below int) error {
	row := m.table.rnd.IntN(below)
	value, ok, release, err := m.e.Get(m.table.key(row))
	if err != nil {
		return err
	}
	defer release()
	if !ok || len(value) != m.table.rowBytes {
		return fmt.Errorf("row %d is not there", row)
	}
	return nil
}

func (m *meter) reads() (err error) {
	s := m.slice
	read := usage.Read(os.Getpid())
	began := time.Now()
	for range uncachedGets {
		if err := m.get(m.rows); err != nil {
			return err
		}
	}
	s.GetUncached = float64(time.Since(began).Nanoseconds()) / uncachedGets
	if now := usage.Read(os.Getpid()); read.IOKnown && now.IOKnown {
		v := float64(now.ReadBytes-read.ReadBytes) / uncachedGets
		s.DeviceReads = &v
	}
	for range 2 { // the first one warms
		if s.ScanForwards, err = m.repeat(m.hot(), func() error { return m.scan(engine.Iterator.First, engine.Iterator.Next) }); err != nil {
			return err
		}
	}
	if s.ScanBackwards, err = m.repeat(m.hot(), func() error { return m.scan(engine.Iterator.Last, engine.Iterator.Prev) }); err != nil {
		return err
	}
	s.GetCached, err = m.repeat(1, func() error { return m.get(m.hot()) })
	return err
}

// scan reads the hot rows.
func (m *meter) scan(begin, step func(engine.Iterator) bool) (err error) {
	lower := append([]byte{}, m.table.key(0)...)
	it, err := m.e.NewIter(lower, m.table.key(m.hot()))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	rows := 0
	for ok := begin(it); ok; ok = step(it) {
		if len(it.Key()) != m.table.keyBytes || len(it.Value()) != m.table.rowBytes {
			return errors.New("a row has another size than it was given")
		}
		rows++
	}
	if rows != m.hot() && it.Error() == nil {
		return fmt.Errorf("%d rows were found of %d", rows, m.hot())
	}
	return it.Error()
}

func (m *meter) random() int { return m.table.rnd.IntN(m.rows) }

func (m *meter) change(rows int) error {
	m.applied += rows
	return m.apply(rows, m.random)
}

func (m *meter) writes() (err error) {
	s := m.slice
	written := m.e.Stats().WrittenBytes
	if s.ApplyOne, err = m.repeat(1, func() error { return m.change(1) }); err != nil {
		return err
	}
	if s.ApplyHundred, err = m.repeat(100, func() error { return m.change(100) }); err != nil {
		return err
	}
	if _, err := m.e.Checkpoint(); err != nil {
		return err
	}
	pending := min(m.rows, pendingRows)
	for done := 0; done < pending; done += 100 {
		if err := m.change(min(100, pending-done)); err != nil {
			return err
		}
	}
	s.PendingPerRow = float64(m.e.Stats().PendingBytes) / float64(pending)
	began := time.Now()
	if _, err := m.e.Checkpoint(); err != nil {
		return err
	}
	s.CheckpointSecs = time.Since(began).Seconds()
	s.CheckpointRate = float64(pending*m.table.bytes()) / s.CheckpointSecs
	stats := m.e.Stats()
	s.WriteAmplification = float64(stats.WrittenBytes-written) / float64(m.applied*m.table.bytes())
	s.DiskBytesPerRow = float64(stats.DiskBytes) / float64(m.rows)
	return nil
}
