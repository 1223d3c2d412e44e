package plan

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// Step is one benchmark.
type Step struct {
	Name string
	// Weight is its part of the whole time: about how many minutes it takes if all have enough.
	Weight float64
	// Slow: it needs the disk with a flush latency of 1 ms.
	Slow bool
	// Suite is what `bench run` runs, with further Args; "" if Command is what runs.
	Suite string
	Args  []string
	// Command gives the command line of another benchmark, for a budget, a directory for results and one for data.
	Command func(budget time.Duration, out, data string) []string
}

// protocolArgs and impactArgs leave out numbers of clients.
var (
	protocolArgs = []string{"--clients=1,4,16,64,256,1024", "--table-size=10000"}
	impactArgs   = []string{"--clients=1,16,64,256,1024", "--table-size=10000"}
	groupArgs    = []string{"--table-size=20000"}
)

// Steps are all there are, in their order: what others are compared with comes first.
var Steps = []Step{
	{Name: "protocols-1ms", Weight: 13, Slow: true, Suite: "protocols", Args: protocolArgs},
	{Name: "protocols", Weight: 10, Suite: "protocols", Args: protocolArgs},
	{Name: "engines", Weight: 9, Suite: "engines", Args: []string{"--profiles=sync", "--table-size=20000"}},
	{Name: "checkpoint", Weight: 4, Command: checkpointStep},
	{Name: "write-amplification", Weight: 6, Suite: "write-amplification"},
	{Name: "engine", Weight: 7, Command: engineStep},
	{Name: "group-commit", Weight: 4, Suite: "group-commit", Args: groupArgs},
	{Name: "binlog-impact", Weight: 7, Suite: "binlog-impact", Args: impactArgs},
	{Name: "position", Weight: 4, Command: positionStep},
	{Name: "replica", Weight: 5, Suite: "replica", Args: []string{"--replica-modes=serial,optimistic-4"}},
	{Name: "group-commit-1ms", Weight: 4, Slow: true, Suite: "group-commit", Args: groupArgs},
}

func files(out, name string) []string {
	return []string{"--json=" + filepath.Join(out, "results.jsonl"), "--svg=" + filepath.Join(out, name+".svg")}
}

// scaled is n for a budget of whole, less for less, more for more, and at least least.
func scaled(n int, budget, whole time.Duration, least int) string {
	return strconv.Itoa(max(int(float64(n)*budget.Seconds()/whole.Seconds()), least))
}

// checkpointStep has 8 cells and 3 rounds; each turn takes about 2 s more than its time.
func checkpointStep(budget time.Duration, out, data string) []string {
	const turns, overhead, loading = 8 * 3, 2 * time.Second, 30 * time.Second
	t := min(max(((budget-loading)/turns-overhead).Truncate(time.Second), 2*time.Second), 30*time.Second)
	return append([]string{"checkpoint", "--dir=" + data, "--rounds=3", fmt.Sprintf("--time=%v", t)}, files(out, "checkpoint")...)
}

// largeTable is how much time 10,000,000 rows need: loading them, and filling the engine in memory again in each round.
const largeTable = 4 * time.Minute

func engineStep(budget time.Duration, out, data string) []string {
	rows, measured := "100000,1000000", budget/2
	if budget >= largeTable {
		rows, measured = "100000,1000000,10000000", budget/3
	}
	return append([]string{"engine", "--dir=" + data, "--rounds=3", "--rows=" + rows, fmt.Sprintf("--duration=%v", measured.Truncate(time.Second))}, files(out, "engine")...)
}

func positionStep(budget time.Duration, out, data string) []string {
	return append([]string{"position", "--dir=" + data, "--rounds=2", "--transactions=" + scaled(1200, budget, 4*time.Minute, 200)}, files(out, "position")...)
}
