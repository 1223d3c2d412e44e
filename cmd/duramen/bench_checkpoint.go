package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/checkpointbench"
	"github.com/duramendb/duramen/bench/target"
)

func benchCheckpoint() *cobra.Command {
	var o checkpointbench.Options
	o.EnsureDefaults()
	var out benchOutput
	server := string(target.Duramen)
	engines := []string{"ROCKSDB", "BTREE"}
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "What a checkpoint of a storage engine costs those who commit meanwhile",
		Long: `Start this program as a server, load tables in each engine, and change rows in turns: with checkpoints held off, and with one due each
second, the first of which has to write everything that was held off. Commits are told apart by whether they overlap a
checkpoint, as the server counts them. Needs sysbench 1.0.20, which fills the tables, and some GB below --dir, which it removes.`,
		Example: `  duramen bench checkpoint --dir /var/lib/mysql --json checkpoint.jsonl --svg checkpoint.svg
  duramen bench checkpoint --clients 64 --time 30s --engines BTREE`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return benchFailed(err)
			}
			if o.Server, err = target.ParseSpec(server, self); err != nil {
				return err
			}
			o.Server.Engines = engines
			if err := o.Validate(); err != nil {
				return err
			}
			return out.run(cmd, func(ctx context.Context, raw io.Writer) (benchResult, error) {
				o.Raw, o.Progress = raw, cmd.ErrOrStderr()
				res, err := checkpointbench.Run(ctx, o)
				if res == nil {
					return nil, err
				}
				return res, err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", o.Dir, "directory on the device")
	f.StringVar(&server, "server", server, "the Duramen: duramen or duramen:PATH")
	f.StringSliceVar(&engines, "engines", engines, "storage engines, at most three")
	f.IntSliceVar(&o.Clients, "clients", o.Clients, "numbers of clients, from 1 to 1024")
	f.IntVar(&o.Tables, "tables", o.Tables, "number of tables in each engine")
	f.IntVar(&o.TableSize, "table-size", o.TableSize, "rows of a table")
	f.DurationVar(&o.Time, "time", o.Time, "of each turn")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how often everything has its turn")
	f.StringVar(&o.Sysbench, "sysbench", o.Sysbench, "the sysbench program")
	out.flags(cmd)
	return cmd
}
