package apply

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
)

// TestDuplicates: a domain is one applier's while it has groups under way; another one leaves out what has become durable, and goes on with what has not.
func TestDuplicates(t *testing.T) {
	d := NewDuplicates(func() gtid.Position { return gtid.Position{0: {Domain: 0, Server: 1, Seq: 10}} })
	a, b := &Applier{}, &Applier{}
	d.enter()
	d.enter()
	never := func() { t.Error("it waits") }
	ctx := context.Background()
	group := func(domain uint32, seq uint64) gtid.GTID { return gtid.GTID{Domain: domain, Server: 1, Seq: seq} }
	claim := func(of *Applier, g gtid.GTID, want bool) {
		t.Helper()
		mine, err := d.claim(ctx, of, g, never)
		require.NoError(t, err)
		require.Equal(t, want, mine)
	}
	type answer struct {
		mine bool
		err  error
	}
	waits := func(ctx context.Context, g gtid.GTID) <-chan answer {
		t.Helper()
		waiting, got := make(chan struct{}, 100), make(chan answer, 1)
		go func() {
			mine, err := d.claim(ctx, b, g, func() { waiting <- struct{}{} })
			got <- answer{mine, err}
		}()
		select {
		case <-waiting:
		case early := <-got:
			t.Fatalf("%s: %v, and has not waited", g, early)
		}
		return got
	}

	claim(a, group(0, 10), false) // as gtid_slave_pos says
	claim(a, group(0, 11), true)
	claim(a, group(0, 12), true)
	claim(b, group(0, 10), false) // known, whoever has the domain
	claim(b, group(4, 1), true)
	got := waits(ctx, group(0, 11))
	d.release(group(0, 11), true)
	require.Equal(t, answer{false, nil}, <-got, "it is durable, though the domain is not free")

	got = waits(ctx, group(0, 12))
	d.release(group(0, 12), false)
	require.Equal(t, answer{true, nil}, <-got, "the other applier has failed")
	d.release(group(0, 12), true)
	claim(a, group(0, 12), false)
	claim(a, group(0, 15), true)

	ended, end := context.WithCancelCause(ctx)
	got = waits(ended, group(0, 13))
	why := errors.New("the thread was stopped")
	end(why)
	require.Equal(t, answer{false, why}, <-got)
	got = waits(ctx, group(0, 13))
	d.note(group(0, 14), true) // of a connection without GTIDs
	require.Equal(t, answer{false, nil}, <-got)
	d.release(group(0, 15), true)
	d.release(group(4, 1), false)

	d.leave()
	d.leave()
	d.enter() // gtid_slave_pos may have been set back meanwhile
	claim(b, group(0, 11), true)
}
