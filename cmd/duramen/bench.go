package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/chart"
	"github.com/duramendb/duramen/server"
)

func bench() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure servers side by side, this machine's disk, and the log on it",
		Long: `Measure what a log costs on this machine. All figures of one run are measured in turns, so compare them
with each other, not with those of another run. Ctrl-C ends a run early: it prints what it has, and removes its files.`,
	}
	cmd.AddCommand(benchRun(), benchReport(), benchAll(), benchFsync(), benchLog(), benchEngine(), benchCheckpoint(), benchPreallocation(), benchPosition(), benchSlowdisk())
	return cmd
}

// benchOutput are the flags that say where results go.
type benchOutput struct{ svg, json string }

func (o *benchOutput) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.svg, "svg", "", "write a picture to this file")
	cmd.Flags().StringVar(&o.json, "json", "", "write every single measurement to this file, a line of JSON each; - for stdout")
}

// benchResult is what every benchmark gives.
type benchResult interface {
	Tables() []chart.Table
	Figure() chart.Figure
}

// run calls measure with the writer for raw results, and shows what it
// returns, also if it was interrupted.
func (o *benchOutput) run(cmd *cobra.Command, measure func(ctx context.Context, raw io.Writer) (benchResult, error)) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	raw, closeRaw, err := o.openRaw(cmd)
	if err != nil {
		return benchFailed(err)
	}
	res, err := measure(ctx, raw)
	if cerr := closeRaw(); err == nil {
		err = cerr
	}
	interrupted := errors.Is(err, context.Canceled)
	if err != nil && (!interrupted || res == nil) {
		return benchFailed(err)
	}
	out := cmd.OutOrStdout()
	if o.json == "-" {
		out = cmd.ErrOrStderr()
	}
	for i, t := range res.Tables() {
		if i > 0 {
			if _, err := fmt.Fprintln(out); err != nil {
				return benchFailed(err)
			}
		}
		if err := t.Text(out); err != nil {
			return benchFailed(err)
		}
	}
	if interrupted {
		return benchFailed(errors.New("interrupted: these are the results until then"))
	}
	if o.svg != "" {
		f := res.Figure()
		if err := writeFile(o.svg, f.SVG); err != nil {
			return benchFailed(err)
		}
	}
	return nil
}

func (o *benchOutput) openRaw(cmd *cobra.Command) (w io.Writer, closeFile func() error, err error) {
	switch o.json {
	case "":
		return nil, func() error { return nil }, nil
	case "-":
		return cmd.OutOrStdout(), func() error { return nil }, nil
	}
	f, err := os.Create(o.json)
	if err != nil {
		return nil, nil, err
	}
	return f, f.Close, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	err = write(f)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// benchFailed keeps an error from being taken for wrong usage.
func benchFailed(err error) error {
	if code := server.ExitCode(err); code != server.ExitFailure {
		return err
	}
	return &server.ExitError{Code: server.ExitFailure, Err: err}
}
