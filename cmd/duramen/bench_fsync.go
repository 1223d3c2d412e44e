package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/device"
)

func benchFsync() *cobra.Command {
	var o device.Options
	var out benchOutput
	var methods strings.Builder
	var names []string
	for _, m := range device.Methods() {
		names = append(names, m.Name)
		methods.WriteString("  " + m.Name + strings.Repeat(" ", 10-len(m.Name)) + m.What + "\n")
	}
	cmd := &cobra.Command{
		Use:   "fsync",
		Short: "What the files of a log cost on a device (Linux)",
		Long: `Write to log files of several kinds, each write made durable before the next, and print how many the device takes.

` + methods.String() + `
Needs some 300 MB below --dir, and removes them.`,
		Example: `  duramen bench fsync --dir /var/lib/mysql --duration 2m --svg fsync.svg
  duramen bench fsync --sizes 4096 --in-flight 1,8 --methods append,settled,direct --duration 10s`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return out.run(cmd, func(ctx context.Context, raw io.Writer) (benchResult, error) {
				o.Raw, o.Progress = raw, cmd.ErrOrStderr()
				res, err := device.Run(ctx, o)
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
	f.DurationVar(&o.Duration, "duration", o.Duration, "how long to measure; preparing files takes some more")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how often everything has its turn")
	f.IntSliceVar(&o.Sizes, "sizes", o.Sizes, "bytes of a write")
	f.IntSliceVar(&o.InFlight, "in-flight", o.InFlight, "writers at the same time")
	f.StringSliceVar(&o.Methods, "methods", names, "kinds of files")
	out.flags(cmd)
	return cmd
}
