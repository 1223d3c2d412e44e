package applying

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/logpos"
	"github.com/duramendb/duramen/replication/replica/apply"
	"github.com/duramendb/duramen/replication/replica/primary"
)

// TestDuplicates: several appliers that get the same groups, and are stopped and started again all the time, apply each of them once and in order, also
// with gtid_strict_mode, in which a second time would be an error.
func TestDuplicates(t *testing.T) {
	for _, strict := range []bool{false, true} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("strict %v, seed %d", strict, seed), func(t *testing.T) {
				source, target, from := pair(t)
				change(source, rand.New(rand.NewPCG(seed, 1)), 300)
				parts, _ := source.parts(from)
				position := func() gtid.Position { return target.engine.SlavePos().Clone() }
				d := apply.NewDuplicates(position)
				var wg sync.WaitGroup
				for n := range 3 {
					wg.Go(func() {
						rng := rand.New(rand.NewPCG(seed, uint64(n)))
						for last := parts[len(parts)-1].GTID.GTID; position()[0] != last; {
							next := 0
							for at := position()[0].Seq; next < len(parts) && parts[next].GTID.GTID.Seq <= at; {
								next++
							}
							next = max(next-rng.IntN(20), 0) // another applier was faster
							end := min(next+1+rng.IntN(60), len(parts))
							a := target.applier(&reports{}, apply.Options{Duplicates: d, GTIDs: true, Strict: strict})
							err := a.Run(context.Background(), func(context.Context) (*primary.Part, error) {
								if next++; next > end {
									return nil, errEnd
								}
								return parts[next-1], nil
							})
							if closed := a.Close(); closed != nil || err != errEnd { //nolint:errorlint // it is given back as it is
								t.Errorf("an applier has ended: %v, %v", err, closed)
								return
							}
						}
					})
				}
				wg.Wait()
				requireEqual(t, source, target)
				logged, _ := target.parts(logpos.At(1, 0))
				require.Len(t, logged, len(parts))
				for i, p := range logged {
					require.Equal(t, parts[i].GTID.GTID, p.GTID.GTID)
				}
			})
		}
	}
}

// TestDuplicatesLeftOut: what a connection leaves out by its own settings, another one still applies.
func TestDuplicatesLeftOut(t *testing.T) {
	source, target, from := pair(t)
	source.exec("INSERT INTO d.keyless VALUES (1, 'a')", "INSERT INTO d.keyless VALUES (2, 'b')")
	parts, _ := source.parts(from)
	d := apply.NewDuplicates(func() gtid.Position { return target.engine.SlavePos().Clone() })
	for _, o := range []apply.Options{{IgnoreDomains: []uint32{0}}, {IgnoreServerIDs: []uint32{1}}, {DoDomains: []uint32{5}}, {}, {}} {
		o.Duplicates, o.GTIDs = d, true
		applyAll(t, target, parts, o)
	}
	requireEqual(t, source, target)
	logged, _ := target.parts(logpos.At(1, 0))
	require.Len(t, logged, len(parts))
}
