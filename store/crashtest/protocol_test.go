package crashtest

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/commit/protocol"
)

// modeProtocol stands before the name of a protocol.
const modeProtocol = "protocol:"

// useProtocol takes the commit protocol from the mode of a worker.
func (c *ExactConfig) useProtocol(mode string) {
	if name, ok := strings.CutPrefix(mode, modeProtocol); ok {
		c.Protocol, c.Engines = protocol.Name(name), everyOther(c.Seed)
		c.Positions = keepsPositions(c.Protocol, c.Seed)
	}
}

// keepsPositions says which seeds have a table of replication positions.
func keepsPositions(name protocol.Name, seed uint64) bool {
	return (name == protocol.TwoPC || name == protocol.TwoPCEager) && seed%3 != 0
}

// everyOther gives every other seed one of the sets of engines.
func everyOther(seed uint64) []string {
	if seed%2 == 1 {
		return nil
	}
	return EngineSets[seed/2%uint64(len(EngineSets))]
}

// otherProtocols runs a test for each protocol but onelog, or for PROTOCOL only.
func otherProtocols(t *testing.T, test func(t *testing.T, name protocol.Name)) {
	for _, name := range protocol.Names {
		if only := os.Getenv("PROTOCOL"); name == protocol.OneLog || only != "" && only != string(name) {
			continue
		}
		t.Run(string(name), func(t *testing.T) { test(t, name) })
	}
}

// TestProtocols is TestExact over the other commit protocols; with the same variables, and PROTOCOL for one of them only.
func TestProtocols(t *testing.T) {
	otherProtocols(t, func(t *testing.T, name protocol.Name) { runSeeds(t, modeProtocol+string(name), 30) })
}

// TestFreeProtocols is TestFree over the other commit protocols, with SEED, SEEDS and KEEP.
func TestFreeProtocols(t *testing.T) {
	first, count := envInt(t, "SEED", 1), envInt(t, "SEEDS", 10)
	otherProtocols(t, func(t *testing.T, name protocol.Name) {
		t.Parallel()
		var total Stats
		for seed := first; seed < first+count; seed++ {
			stats, err := RunFree(context.Background(), Config{Seed: seed, KeepDir: keepDir(seed), Protocol: name, Engines: everyOther(seed), Positions: keepsPositions(name, seed)})
			require.NoError(t, err, "again: SEED=%d SEEDS=1 PROTOCOL=%s go test -tags gms_pure_go -run TestFreeProtocols$ ./store/crashtest", seed, name)
			total.Add(stats)
		}
		t.Logf("%d seeds from %d: %+v", count, first, total)
	})
}
