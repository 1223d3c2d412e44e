package logbench

import (
	"context"

	"github.com/duramendb/duramen/bench/device"
)

// ring is a file that is written from its start to its end, again and again,
// each write durable before the next.
type ring struct {
	file *device.File
	mode device.Mode
	size int64
	unit int // Direct: bytes of a block
	end  int64
	buf  []byte // Direct: from the block that end lies in
}

func openRing(path string, size int64, mode device.Mode) (ring, error) {
	if err := device.CreateZeroed(path, size); err != nil {
		return ring{}, err
	}
	if err := device.Settle(path); err != nil {
		return ring{}, err
	}
	f, err := device.Open(path, mode)
	return ring{file: f, mode: mode, size: size}, err
}

func (r *ring) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// write appends b and makes it durable.
func (r *ring) write(b []byte) error {
	if r.end+int64(len(b))+device.BlockBytes > r.size {
		r.end = 0
	}
	if r.mode == device.Direct {
		return r.writeBlocks(b)
	}
	if err := r.file.WriteAt(b, r.end); err != nil {
		return err
	}
	r.end += int64(len(b))
	return r.file.Sync()
}

// writeBlocks writes the blocks that b touches. The first one begins with what
// was written there before, which is still in the buffer.
func (r *ring) writeBlocks(b []byte) error {
	block := r.unit
	head := int(r.end % int64(block))
	n := (head + len(b) + block - 1) / block * block
	if len(r.buf) < n {
		buf := device.Aligned(2 * n)
		copy(buf, r.buf[:min(len(r.buf), head)])
		r.buf = buf
	}
	copy(r.buf[head:], b)
	clear(r.buf[head+len(b) : n])
	if err := r.file.WriteAt(r.buf[:n], r.end-int64(head)); err != nil {
		return err
	}
	r.end += int64(len(b))
	if tail := int(r.end % int64(block)); tail > 0 { // is what the next write begins with
		copy(r.buf, r.buf[(head+len(b))/block*block:][:tail])
	}
	return nil
}

// raw is one goroutine that writes groups.
type raw struct{ ring ring }

// openRaw: unit is for Direct only.
func openRaw(path string, size int64, mode device.Mode, unit int) (*raw, error) {
	r, err := openRing(path, size, mode)
	r.unit = unit
	return &raw{ring: r}, err
}

func (r *raw) turn(ctx context.Context, t task) (Slice, error) {
	shape := t.shape
	group := make([]byte, shape.groupBytes())
	t.committers = 1
	before := t.meter.Read()
	started, elapsed, err := t.drive(ctx, func(int) func() error {
		return func() error {
			group[len(group)-1]++
			return r.ring.write(group)
		}
	})
	if err != nil {
		return Slice{}, err
	}
	writes := int64(t.histograms.all.Count())
	return Slice{
		Time: started, Elapsed: elapsed, Groups: writes, Commits: int64(float64(writes)*shape.perGroup + 0.5),
		EventBytes: int64(float64(writes) * shape.perGroup * shape.transactionBytes),
		Latency:    t.histograms.all.Latency(), Traffic: t.meter.Read().Since(before),
	}, nil
}

func (r *raw) close() error { return r.ring.close() }
