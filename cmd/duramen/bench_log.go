package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/logbench"
)

func benchLog() *cobra.Command {
	var o logbench.Options
	o.EnsureDefaults()
	return logCommand(&cobra.Command{
		Use:   "log",
		Short: "Commits per second of the commit pipeline alone, beside the raw device (Linux)",
		Long: `Commit transactions that update one row, without SQL, at several numbers of clients, and print commits per second,
latencies, group sizes and the bytes that reached the device, for

  lsm         the pipeline with the LSM engine
  log         the pipeline with an engine that does nothing
  lsm-append  lsm with binlog_preallocate=OFF
  bare        the least a group commit can do: one write and one fdatasync for a group
  raw         one goroutine that writes as many bytes and calls fdatasync
  raw-direct  the same with O_DIRECT|O_DSYNC

and the ratios between them. Needs 1 to 2 GB below --dir, and removes them.`,
		Example: `  duramen bench log --dir /var/lib/mysql --duration 1m --svg log.svg
  duramen bench log --committers 1,64 --contenders lsm,bare --cpu-profile cpu.pprof`,
	}, o)
}

func benchPreallocation() *cobra.Command {
	// Files that grow are synced by fdatasync: the other ones are, too, so that there is one difference only.
	o := logbench.Options{Committers: []int{1, 20, 50}, Contenders: []string{"lsm", "lsm-append"}, SyncMethod: "fdatasync"}
	o.EnsureDefaults()
	return logCommand(&cobra.Command{
		Use:   "preallocation",
		Short: "Commits per second with binlog_preallocate ON and OFF (Linux)",
		Long: `duramen bench log with the contenders lsm, which preallocates, and lsm-append, which does not, at 1, 20 and 50 clients:
what it gains to write into a file that was filled with zeros before, instead of appending to one. Both are synced by fdatasync.`,
		Example: `  duramen bench preallocation --dir /var/lib/mysql --duration 1m`,
	}, o)
}

// logCommand gives cmd the flags of package logbench, with the defaults in o.
func logCommand(cmd *cobra.Command, o logbench.Options) *cobra.Command {
	var out benchOutput
	var profile string
	cmd.Args = cobra.NoArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if profile != "" {
			f, err := os.Create(profile)
			if err != nil {
				return benchFailed(err)
			}
			defer f.Close()
			o.CPUProfile = f
		}
		return out.run(cmd, func(ctx context.Context, raw io.Writer) (benchResult, error) {
			o.Raw, o.Progress = raw, cmd.ErrOrStderr()
			res, err := logbench.Run(ctx, o)
			if res == nil {
				return nil, err
			}
			return res, err
		})
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", o.Dir, "directory on the device")
	f.DurationVar(&o.Duration, "duration", o.Duration, "how long to measure; preparing files and background work take some more")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how often everything has its turn")
	f.IntSliceVar(&o.Committers, "committers", o.Committers, "clients at the same time")
	f.StringSliceVar(&o.Contenders, "contenders", o.Contenders, "any of: "+strings.Join(logbench.Contenders(), " "))
	f.StringVar(&o.SyncMethod, "sync-method", o.SyncMethod, "binlog_sync_method of the pipelines: auto, fdatasync or direct")
	f.StringVar(&profile, "cpu-profile", "", "write a CPU profile to this file, labelled by contender")
	out.flags(cmd)
	return cmd
}
