package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/plan"
)

func benchAll() *cobra.Command {
	var o plan.Options
	var names []string
	for _, s := range plan.Steps {
		names = append(names, s.Name)
	}
	cmd := &cobra.Command{
		Use:   "all --out DIR",
		Short: "All suites and benchmarks of servers and engines, in the time that you give",
		Long: `Run one benchmark after the other, each with a part of the time: ` + strings.Join(names, ", ") + `.
Each has a directory below --out with its measurements, tables (report.md, report.txt) and charts. What has ended is kept: the same
command goes on with what is missing, in the time that it is given then.

Needs sysbench 1.0.20 and, to compare with, mariadbd with its RocksDB plugin; as root, so that there is a slow disk and syncs are
counted; and about 15 GB below --data.`,
		Example: `  duramen bench all --out results --budget 50m
  duramen bench all --out results --only checkpoint,write-amplification --budget 8m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if o.Program, err = os.Executable(); err != nil {
				return benchFailed(err)
			}
			o.Progress = cmd.ErrOrStderr()
			err = plan.Run(ctx, o)
			if errors.Is(err, context.Canceled) {
				err = fmt.Errorf("interrupted; go on with: duramen bench all --out %s (%w)", o.Out, err)
			}
			if err != nil {
				return benchFailed(err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Out, "out", "", "directory for the results")
	f.StringVar(&o.Data, "data", "", "directory on the disk to be measured, for the servers' data; --out if not given")
	f.DurationVar(&o.Budget, "budget", time.Hour, "about how long it may take")
	f.StringSliceVar(&o.Names, "only", nil, "make only these")
	if err := cmd.MarkFlagRequired("out"); err != nil {
		panic(err) // it was defined above
	}
	return cmd
}
