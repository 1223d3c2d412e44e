package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/binlog/inspect"
	"github.com/duramendb/duramen/server"
)

var errDamage = errors.New("damage was found")

const binlogExitCodes = `Exit codes: 0 everything is in order, 1 damage was found, 2 wrong usage, or a file that cannot be read.`

// binlogCommand is "duramen binlog".
func binlogCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "binlog",
		Short: "List, show and verify binary log files",
		Long: `List, show and verify binary log files: those of Duramen, also of a server that is running, and those of MariaDB.

PATH is a data directory, an index file, or one or more log files. Nothing is changed, no lock is taken, and
standard input is not read.

` + binlogExitCodes,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().String("basename", "", "name of the log in a directory that holds several, without number (log_bin)")
	cmd.PersistentFlags().Bool("no-progress", false, "do not tell on standard error how far a long run has come")
	cmd.AddCommand(binlogList(), binlogShow(), binlogVerify())
	return cmd
}

// inspection is what the subcommands have in common.
type inspection struct {
	cmd      *cobra.Command
	ctx      context.Context
	set      *inspect.Set
	out      *bufio.Writer
	progress *inspect.Progress
	log      *slog.Logger
}

// runInspection opens the paths, runs f, and turns its error into the exit code.
func runInspection(cmd *cobra.Command, paths []string, what string, f func(*inspection) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	basename, err := cmd.Flags().GetString("basename")
	if err != nil {
		return err
	}
	quiet, err := cmd.Flags().GetBool("no-progress")
	if err != nil {
		return err
	}
	set, err := inspect.Open(vfs.Default, paths, basename)
	if err != nil {
		return binlogError(err)
	}
	in := &inspection{cmd: cmd, ctx: ctx, set: set, out: bufio.NewWriterSize(cmd.OutOrStdout(), 64<<10)}
	errOut := cmd.ErrOrStderr()
	if !quiet {
		in.progress = &inspect.Progress{Out: errOut, What: what, Terminal: isTerminal(errOut)}
	}
	in.log = slog.New(slog.NewTextHandler(errOut, &slog.HandlerOptions{
		Level: slog.LevelWarn,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	err = f(in)
	if ferr := in.out.Flush(); err == nil {
		err = ferr
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil // whoever read has had enough, as head does
	}
	return binlogError(err)
}

// binlogError gives an error the exit code of these commands.
func binlogError(err error) error {
	var e *server.ExitError
	switch {
	case err == nil || errors.As(err, &e):
		return err
	case errors.Is(err, binlog.ErrCorrupt):
		return &server.ExitError{Code: server.ExitFailure, Err: err}
	}
	return &server.ExitError{Code: server.ExitUsage, Err: err}
}

// isTerminal reports whether w is a terminal (or another device: /dev/null does not mind a bar).
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}

func binlogShow() *cobra.Command {
	var o inspect.ShowOptions
	var gtids, tables []string
	var start, stop, after, before string
	cmd := &cobra.Command{
		Use:   "show [flags] PATH...",
		Short: "Print the events, with their rows",
		Long: `Print the events of binary log files in the manner of mariadb-binlog -v: statements as they were logged, rows as pseudo SQL.
Columns have their names where the log knows them: Duramen's log holds the definitions of its tables, and MariaDB
writes names with binlog_row_metadata=FULL. Otherwise they are called @1, @2, ...

GTIDs are chosen as 0-1-42, as a range 0-1-42..99 (either end may be left out), or 0-*-42..99 for any server.
Tables are chosen as table or db.table; of statements (DDL) those that name the table.
All kinds of choice have to agree. Lists are separated by commas, or the flag is given several times.

` + binlogExitCodes,
		Example: `  duramen binlog show data
  duramen binlog show --gtid=0-1-100..200 --table=shop.item data
  duramen binlog show --from=binlog.000007 --start-position=4711 --json data
  duramen binlog show --start-datetime='2026-11-21 11:00:00' /var/lib/mysql/mysql-bin.000042`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if err := parseFilter(&o.Filter, gtids, tables, start, stop, after, before); err != nil {
				return binlogError(err)
			}
			return runInspection(cmd, paths, "show", func(in *inspection) error {
				o.Progress, o.Logger = in.progress, in.log
				if isTerminal(cmd.OutOrStdout()) {
					o.Progress = nil // the events themselves tell
				}
				return inspect.Show(in.ctx, in.set, o, in.out)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&gtids, "gtid", nil, "show only these transactions")
	flags.StringArrayVar(&tables, "table", nil, "show only what touches these tables ([db.]table)")
	flags.StringSliceVar(&o.Filter.Databases, "database", nil, "show only what touches these databases")
	flags.StringVar(&start, "start-position", "", "begin at this offset of the first file, or after this GTID position")
	flags.StringVar(&stop, "stop-position", "", "end before this offset of the last file, or with this GTID position")
	flags.StringVar(&after, "start-datetime", "", "show only events from this time on (local time, or RFC 3339)")
	flags.StringVar(&before, "stop-datetime", "", "show only events before this time")
	flags.StringVar(&o.From, "from", "", "first file of a directory to be shown")
	flags.StringVar(&o.To, "to", "", "last file of a directory to be shown")
	flags.BoolVar(&o.JSON, "json", false, "one JSON object for each event, and for each row")
	flags.BoolVar(&o.Plain, "no-names", false, "columns and values as mariadb-binlog shows them: no names, no ENUM members")
	flags.BoolVar(&o.Private, "private", false, "show Duramen's private records too: table definitions, local transactions, write marks")
	return cmd
}

// parseFilter reads the flags that choose events.
func parseFilter(f *inspect.Filter, gtids, tables []string, start, stop, after, before string) (err error) {
	for _, text := range gtids {
		list, err := inspect.ParseGTIDRanges(text)
		if err != nil {
			return err
		}
		f.GTIDs = append(f.GTIDs, list...)
	}
	for _, text := range tables {
		list, err := inspect.ParseTables(text)
		if err != nil {
			return err
		}
		f.Tables = append(f.Tables, list...)
	}
	if start != "" {
		if f.Start, err = inspect.ParseBound(start); err != nil {
			return err
		}
	}
	if stop != "" {
		if f.Stop, err = inspect.ParseBound(stop); err != nil {
			return err
		}
	}
	if after != "" {
		if f.After, err = inspect.ParseTime(after); err != nil {
			return err
		}
	}
	if before != "" {
		f.Before, err = inspect.ParseTime(before)
	}
	return err
}

func binlogList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ls [flags] PATH...",
		Short: "List the files with their sizes, times and GTIDs",
		Long: `List binary log files: state, size, first and last time, and which transactions they hold.

States: live (in use; the server is running, or did not shut down cleanly), closed, torn (in use, and its end is being
written, or was torn by a crash), unclosed (not the last file, but never closed: a crash of MariaDB), damaged.
Only the last file is read as a whole; verify reads all.

` + binlogExitCodes,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			return runInspection(cmd, paths, "ls", func(in *inspection) error {
				return inspect.List(in.ctx, in.set, inspect.ListOptions{JSON: asJSON, Progress: in.progress}, in.out)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object for each file")
	return cmd
}

func binlogVerify() *cobra.Command {
	var o inspect.VerifyOptions
	cmd := &cobra.Command{
		Use:   "verify [flags] PATH...",
		Short: "Check every event of the files, and that they follow each other",
		Long: `Check binary log files: the checksum, size and position of every event; that events form complete transactions; that each file
goes on where the one before ended (names, ROTATE or STOP, GTID list). Of a data directory of Duramen the index and the
end of the last file are judged by the rules of recovery: what a start of the server would refuse is damage, what it
would cut off silently is not.

GTIDs that go back or leave a gap are only told, since gtid_seq_no makes them; --strict calls them damage.

` + binlogExitCodes,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			return runInspection(cmd, paths, "verify", func(in *inspection) error {
				o.Progress = in.progress
				damaged, err := inspect.Verify(in.ctx, in.set, o, in.out)
				if err == nil && damaged > 0 { // the report has told
					err = &server.ExitError{Code: server.ExitFailure, Err: errDamage}
				}
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&o.JSON, "json", false, "one JSON object for each file")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "GTIDs that go back or leave a gap are damage")
	return cmd
}
