package faulttest

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

var ctx = context.Background()

// stride is how many operations a slice of the run goes on at a time; all of them are tried with DURAMEN_TEST_SCALE=full.
func stride(t *testing.T) int {
	if os.Getenv("DURAMEN_TEST_SCALE") == "full" {
		return 1
	}
	if text := os.Getenv("STRIDE"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 97
}

// shape is a way to fail.
type shape struct {
	err            syscall.Errno
	forever, short bool
}

func (s shape) String() string {
	return fmt.Sprintf("%v,forever=%v,short=%v", s.err, s.forever, s.short)
}

func shapes(k Kind) []shape {
	list := []shape{{syscall.EIO, false, false}, {syscall.EIO, true, false}}
	if k == Write || k == Create || k == Sync {
		list = append(list, shape{syscall.ENOSPC, false, false}, shape{syscall.ENOSPC, true, false})
	}
	if k == Write {
		list = append(list, shape{syscall.EIO, false, true}, shape{syscall.ENOSPC, true, true})
	}
	return list
}

// TestFailingDisk lets every k-th operation of every kind fail, in the life of a new store and
// in that of one that has to be recovered. With -short every eighth case is tried.
func TestFailingDisk(t *testing.T) {
	cases := 0
	for _, where := range []string{"log", "lsm", "second", "btree"} {
		for _, restart := range []bool{false, true} {
			life := &Life{Restart: restart, Seed: 1}
			if where != "log" && where != "lsm" {
				life.Second = where
			}
			require.NoError(t, life.Prepare(ctx))
			whole, err := life.Run(ctx, Fault{Where: where})
			require.NoError(t, err)
			require.False(t, whole.Dead)
			for kind := range kinds {
				for _, s := range shapes(kind) {
					if cases++; testing.Short() && cases%8 != 1 {
						continue
					}
					t.Run(fmt.Sprintf("%s/restart=%v/%v/%v", where, restart, kind, s), func(t *testing.T) {
						loop(t, life, Fault{Where: where, Kind: kind, Err: s.err, Forever: s.forever, Short: s.short}, whole.Counts[kind])
					})
				}
			}
		}
	}
}

// loop tries every k, or a slice of them that differs from case to case.
func loop(t *testing.T, life *Life, f Fault, total int) {
	step := stride(t)
	runs, deaths := 0, 0
	first := 1 + (int(f.Kind)*7+int(f.Err)*3+total)%step
	for k := first; k <= total+step; k += step {
		f.N = k
		report, err := life.Run(ctx, f)
		require.NoError(t, err)
		runs++
		if report.Dead {
			deaths++
		}
	}
	t.Logf("%d operations, %d runs, the process ended in %d", total, runs, deaths)
}
