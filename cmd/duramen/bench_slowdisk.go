package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/slowdisk"
)

func benchSlowdisk() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "slowdisk",
		Short: "A disk whose flushes take as long as you like (Linux, root)",
		Long: `Mount an ext4 file system whose device answers each flush after a given time, for any program to use:
a file of a FUSE file system that delays FSYNC, under a loop device. Its contents are in DIR.slowdisk; they
survive a kill -9, not a crash of the machine. Reads and writes are as fast as the memory and the disk below.`,
		Example: `  duramen bench slowdisk up --latency 1ms --size 8G /mnt/slow
  duramen bench fsync --dir /mnt/slow
  duramen bench slowdisk set --latency 5ms /mnt/slow
  duramen bench slowdisk down /mnt/slow`,
	}
	cmd.AddCommand(slowdiskUp(), slowdiskSet(), slowdiskDown(), slowdiskServe())
	return cmd
}

func slowdiskUp() *cobra.Command {
	var o slowdisk.Options
	var size string
	cmd := &cobra.Command{
		Use:   "up DIR",
		Short: "Make the disk, and mount it on DIR",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Size, err = slowdisk.ParseSize(size); err != nil {
				return err
			}
			self, err := os.Executable()
			if err != nil {
				return benchFailed(err)
			}
			o.Dir, o.Serve = args[0], []string{self, "bench", "slowdisk", "serve"}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			device, err := slowdisk.Up(ctx, o)
			if err != nil {
				return slowdiskFailed(ctx, err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: ext4 on %s, a flush takes %v\n", o.Dir, device, o.Latency)
			return err
		},
	}
	cmd.Flags().DurationVar(&o.Latency, "latency", time.Millisecond, "how long a flush takes")
	cmd.Flags().StringVar(&size, "size", "8G", "size of the disk; it takes what is written to it")
	return cmd
}

func slowdiskSet() *cobra.Command {
	var latency time.Duration
	cmd := &cobra.Command{
		Use:   "set --latency TIME DIR",
		Short: "Change how long a flush takes, while the disk is in use",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := slowdisk.Set(args[0], latency); err != nil {
				return benchFailed(err)
			}
			n, err := slowdisk.Flushes(args[0])
			if err != nil {
				return benchFailed(err)
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: a flush takes %v from now on; there were %d so far\n", args[0], latency, n)
			return err
		},
	}
	cmd.Flags().DurationVar(&latency, "latency", 0, "how long a flush takes")
	_ = cmd.MarkFlagRequired("latency") // fails only if there is no such flag
	return cmd
}

func slowdiskDown() *cobra.Command {
	return &cobra.Command{
		Use:   "down DIR",
		Short: "Unmount the disk, and remove it with everything on it",
		Long: `Unmount the disk, and remove it with everything on it. If a process still uses it, nothing is changed. It also clears away
what is left if its process was killed.`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := slowdisk.Down(args[0]); err != nil {
				return benchFailed(err)
			}
			return nil
		},
	}
}

// slowdiskServe is the process behind a disk.
func slowdiskServe() *cobra.Command {
	return &cobra.Command{
		Use:    "serve",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := slowdisk.Serve(args); err != nil {
				return benchFailed(err)
			}
			return nil
		},
	}
}

func slowdiskFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return benchFailed(fmt.Errorf("interrupted; everything was removed: %w", err))
	}
	return benchFailed(err)
}
