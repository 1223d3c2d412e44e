package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/report"
	"github.com/duramendb/duramen/bench/suite"
)

func benchReport() *cobra.Command {
	var o report.Options
	charts := false
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Show the results of bench run: on screen, in report.md and in report.html",
		Long: `Show what "duramen bench run --out DIR" has measured until now: tables on the screen and in DIR/report.md, and
DIR/report.html, one page with charts that needs nothing else. With --charts, each chart as a file below DIR/charts, too.`,
		Example: `  duramen bench report results
  duramen bench report results --base mariadb/nobinlog
  duramen bench report --charts docs/results/2026-11-22/protocols docs/results/2026-11-22/engines`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, dir := range args {
				err := writeReport(cmd, dir, o)
				if err == nil && charts {
					err = writeCharts(cmd, dir, o)
				}
				if err != nil {
					return benchFailed(err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Base, "base", "", "SERVER/PROFILE that throughput is compared with; the suite's choice if not given")
	cmd.Flags().BoolVar(&charts, "charts", false, "write each chart as a file of its own, too")
	return cmd
}

// newReport reads the results of a run.
func newReport(dir string, o report.Options) (*report.Report, error) {
	info, results, err := suite.Load(dir)
	if err != nil {
		return nil, err
	}
	return report.New(info, results, o)
}

// writeCharts writes a file for each chart.
func writeCharts(cmd *cobra.Command, dir string, o report.Options) error {
	r, err := newReport(dir, o)
	if err != nil {
		return err
	}
	files, err := r.Charts()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "charts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "Written: %d charts in %s\n", len(files), dir)
	return err
}

// writeReport prints the tables of a run and writes its two files.
func writeReport(cmd *cobra.Command, dir string, o report.Options) error {
	r, err := newReport(dir, o)
	if err != nil {
		return err
	}
	if err := r.Text(cmd.OutOrStdout()); err != nil {
		return err
	}
	markdown, html := filepath.Join(dir, "report.md"), filepath.Join(dir, "report.html")
	if err := writeFile(markdown, r.Markdown); err != nil {
		return err
	}
	if err := writeFile(html, r.HTML); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "\nWritten: %s, %s\n", markdown, html)
	return err
}
