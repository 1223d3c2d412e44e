package lsm

import (
	"fmt"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/logpos"
)

// Keys that were changed many times since the last flush are sought, after a few that were gone over version by version.
func TestStepsOverVersions(t *testing.T) {
	const keys, versions = 400, 100
	tests := []struct {
		name string
		many func(key int) bool // has many versions
		most int                // versions that a scan may go over
	}{
		{"none", func(int) bool { return false }, keys},
		// Each run of seeks is followed by a step that finds out that there are still many.
		{"all", func(int) bool { return true }, (keys/seekRun + 2) * versions},
		{"one", func(key int) bool { return key == keys/2 }, keys + versions},
		// Up to intervalMax keys are gone over before anybody looks.
		{"the second half", func(key int) bool { return key >= keys/2 }, keys/2 + (intervalMax+keys/2/seekRun+2)*versions},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := Open(Options{Dir: t.TempDir(), NoCompactions: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, e.Close()) }()
			for version := range versions {
				b := e.NewBatch()
				for key := range keys {
					if version == 0 || test.many(key) {
						require.NoError(t, b.Set(fmt.Appendf(nil, "key%04d", key), fmt.Append(nil, version)))
					}
				}
				require.NoError(t, e.Apply(b, engine.Mark{Position: logpos.At(1, uint64(version))}))
			}
			scan := func(begin, step func(engine.Iterator) bool, nth func(i int) int) int {
				it, err := e.NewIter([]byte("key"), []byte("kez"))
				require.NoError(t, err)
				n := 0
				for ok := begin(it); ok; ok = step(it) {
					key, value := nth(n), "0"
					if test.many(key) {
						value = fmt.Sprint(versions - 1)
					}
					require.Equal(t, fmt.Sprintf("key%04d", key), string(it.Key()))
					require.Equal(t, value, string(it.Value()))
					n++
				}
				require.Equal(t, keys, n)
				stats := it.(*iterator).it.Stats()
				require.NoError(t, it.Close())
				return stats.ForwardStepCount[pebble.InternalIterCall] + stats.ReverseStepCount[pebble.InternalIterCall]
			}
			most := test.most + 2*versions // where a walk begins and ends
			require.LessOrEqual(t, scan(engine.Iterator.First, engine.Iterator.Next, func(i int) int { return i }), most)
			// Of a key that is reached from behind all versions are gone over, even when it was sought.
			scan(engine.Iterator.Last, engine.Iterator.Prev, func(i int) int { return keys - 1 - i })
		})
	}
}
