package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/enginebench"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/btree"
	"github.com/duramendb/duramen/engine/lsm"
	"github.com/duramendb/duramen/engine/memory"
)

// benchedKinds are the engines that can be measured.
var benchedKinds = []engine.Kind{
	lsm.Kind{},
	btree.Kind{},
	memory.Kind{},
}

func benchEngine() *cobra.Command {
	var o enginebench.Options
	var out benchOutput
	var all []string
	for _, k := range benchedKinds {
		all = append(all, k.Dir())
	}
	names := all
	cmd := &cobra.Command{
		Use:   "engine",
		Short: "What storage engines cost below SQL: reads, scans, changes, checkpoints",
		Long: `Load each engine with rows, and measure them in turns: a Get of a row that is cached and of one that is not, a row of a
scan forwards and backwards, a row applied in batches of 1 and of 100, the memory that rows take, a checkpoint, and what is
written to files for each byte that was applied.

Needs room for all rows of all engines below --dir, and removes them: 1,000,000 rows of 190 bytes take about 0.3 GB.`,
		Example: `  duramen bench engine --dir /var/lib/mysql --json engine.jsonl
  duramen bench engine --rows 100000,1000000,10000000 --duration 5m
  duramen bench engine --rows 1000000 --row-bytes 1000 --svg engine.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Kinds = nil
			for _, name := range names {
				i := slices.Index(all, name)
				if i < 0 {
					return benchFailed(fmt.Errorf("there is no engine %q; known are: %s", name, strings.Join(all, " ")))
				}
				o.Kinds = append(o.Kinds, benchedKinds[i])
			}
			return out.run(cmd, func(ctx context.Context, raw io.Writer) (benchResult, error) {
				o.Raw, o.Progress = raw, cmd.ErrOrStderr()
				res, err := enginebench.Run(ctx, o)
				if res == nil {
					return nil, err
				}
				return res, err
			})
		},
	}
	o.EnsureDefaults()
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", o.Dir, "directory on the device")
	f.DurationVar(&o.Duration, "duration", o.Duration, "how long to measure; loading takes some more")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how often everything has its turn")
	f.IntSliceVar(&o.Rows, "rows", o.Rows, "rows of a table")
	f.IntVar(&o.KeyBytes, "key-bytes", o.KeyBytes, "bytes of a key")
	f.IntVar(&o.RowBytes, "row-bytes", o.RowBytes, "bytes of a row")
	f.StringSliceVar(&names, "engines", all, "any of: "+strings.Join(all, " "))
	out.flags(cmd)
	return cmd
}
