package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/report"
	"github.com/duramendb/duramen/bench/suite"
)

func benchReport() *cobra.Command {
	var o report.Options
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "Show the results of bench run: on screen, in report.md and in report.html",
		Long: `Show what "duramen bench run --out DIR" has measured until now: tables on the screen and in DIR/report.md, and
DIR/report.html, one page with charts that needs nothing else.`,
		Example: `  duramen bench report results
  duramen bench report results --base mariadb/nobinlog`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writeReport(cmd, args[0], o); err != nil {
				return benchFailed(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&o.Base, "base", "", "SERVER/PROFILE that throughput is compared with; the suite's choice if not given")
	return cmd
}

// writeReport prints the tables of a run and writes its two files.
func writeReport(cmd *cobra.Command, dir string, o report.Options) error {
	info, results, err := suite.Load(dir)
	if err != nil {
		return err
	}
	r, err := report.New(info, results, o)
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
