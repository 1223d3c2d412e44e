package apply

import (
	"errors"
	"slices"
	"testing"

	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/txn"
)

// reports notes how many groups were executed.
type reports struct{ executed int }

func (r *reports) Executed(*primary.Part)   { r.executed++ }
func (r *reports) Retried()                 {}
func (r *reports) Skips(*primary.Part) bool { return false }
func (r *reports) State(string)             {}

// TestAcknowledged: a primary is told of a group when its commit has ended, in the order of the groups, and of none from the first that fails on.
func TestAcknowledged(t *testing.T) {
	r := &reports{}
	f := newFlights(r)
	var told []int // by the goroutine of f only, until it is closed
	failure := errors.New("the disk is full")
	for n := range 4 {
		f.add(flight{part: &primary.Part{Bytes: 1, Acknowledge: func(logpos.Pos) { told = append(told, n) }}, wait: func() (txn.CommitInfo, error) {
			if len(told) > n {
				t.Errorf("group %d is acknowledged before it is durable", n)
			}
			if n == 2 {
				return txn.CommitInfo{}, failure
			}
			return txn.CommitInfo{}, nil
		}})
	}
	f.close()
	if !slices.Equal(told, []int{0, 1}) || r.executed != 2 || !errors.Is(f.failure(), failure) {
		t.Errorf("acknowledged %v, %d executed, failed with %v", told, r.executed, f.failure())
	}
}
