package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/duramendb/duramen/bench/device"
	"github.com/duramendb/duramen/bench/load"
)

// turn runs one turn. Its result is a measurement or says why there is none.
func (r *runner) turn(ctx context.Context, t Turn) Result {
	m, err := r.tryTurn(ctx, t)
	if err != nil {
		return Result{Turn: t, Failed: err.Error()}
	}
	return Result{Turn: t, Measured: m}
}

func (r *runner) tryTurn(ctx context.Context, t Turn) (*Measured, error) {
	if err := r.broken[t.Contender]; err != nil {
		return nil, err
	}
	s := r.servers[t.Contender]
	w, err := load.Find(t.Workload)
	if err != nil {
		return nil, err
	}
	if err := s.Alive(ctx); err != nil {
		// The turn in which it ended has failed. It may do better in this one.
		if again := s.Restart(ctx); again != nil {
			r.broken[t.Contender] = fmt.Errorf("%w; it could not be started again: %w", err, again)
			return nil, r.broken[t.Contender]
		}
	}
	if err := r.flush(ctx, s); err != nil {
		return nil, err
	}
	measure := r.measure
	switch {
	case r.o.Replicas != nil:
		measure = r.apply
	case len(r.o.Pairs) > 0:
		measure = r.commit
	default:
		r.settle(ctx)
	}
	m, err := measure(ctx, s, w, t)
	if alive := s.Alive(ctx); alive != nil {
		return nil, alive // which is also why sysbench failed, if it did
	}
	if w.Restore && r.o.Replicas == nil {
		if rerr := r.sysbench.Restore(ctx, r.options(s, w, Turn{Workload: t.Workload, Clients: loaders})); rerr != nil {
			// The next turn would not find what it needs.
			r.broken[t.Contender] = fmt.Errorf("after %s: %w", t, rerr)
		}
	}
	return m, err
}

// options of sysbench for a turn.
func (r *runner) options(s server, w load.Workload, t Turn) load.Options {
	workload := t.Workload
	if workload == "" {
		workload = load.Workloads[0].Name // it does not matter for filling tables
	}
	return load.Options{
		Address: s.Address(), Workload: workload, Tables: r.o.tables(w), TableSize: r.o.TableSize, Clients: t.Clients,
		WarmUp: r.o.WarmUp, Time: r.o.Time, Events: r.o.Events, Prepared: r.o.Prepared,
		Seed: t.seed(),
	}
}

// measure runs sysbench, and reads all counters when the measured time begins and ends.
func (r *runner) measure(ctx context.Context, s server, w load.Workload, t Turn) (*Measured, error) {
	m := r.newMeters(s)
	defer m.close()
	end := func() { m.end(ctx) }
	ended := end
	if r.o.Flush {
		ended = func() {} // it ends with the flush
	}
	res, err := r.sysbench.Run(ctx, r.options(s, w, t), func(int) { m.begin(ctx) }, ended)
	if err != nil {
		return nil, err
	}
	if r.o.Flush {
		if err := r.flush(ctx, s); err != nil {
			return nil, err
		}
		r.settle(ctx) // compactions that the flush has caused
		end()
	}
	measured := &Measured{Transactions: res.Events, Errors: res.Errors, Elapsed: res.Elapsed, Latency: res.Latency, ClientCPU: res.ClientCPU}
	m.fill(measured)
	return measured, nil
}

func (r *runner) newMeters(s server) *meters {
	m := &meters{server: s, device: r.meter}
	if dir := s.DataDir(); dir != "" {
		m.device = device.NewMeter(dir)
	}
	return m
}

// flush makes the server write everything to the files of its engines, if the configuration says so: otherwise what one
// server puts off would not be counted, or for the next turn.
func (r *runner) flush(ctx context.Context, s server) error {
	if !r.o.Flush {
		return nil
	}
	return s.Flush(ctx)
}

const (
	settleTick = 200 * time.Millisecond
	// settledBytes in a tick are what an idle machine may write.
	settledBytes = 128 << 10
)

// settle waits until the device has nothing to do, for as long as the configuration
// allows: what a server puts off should not be paid for by the next one.
func (r *runner) settle(ctx context.Context) {
	if r.meter.Why != "" || r.o.Settle <= 0 {
		return
	}
	tick := time.NewTicker(settleTick)
	defer tick.Stop()
	before := r.meter.Read()
	for range r.o.Settle / settleTick {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := r.meter.Read()
		if written := now.Since(before).DeviceBytes; written.Known && written.N < settledBytes {
			return
		}
		before = now
	}
}
