package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/server"
)

func main() {
	if err := root().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "duramen:", err)
		os.Exit(exitCode(err))
	}
}

// exitCode is server.ExitCode, except that what cobra complains about is usage.
func exitCode(err error) int {
	var e *server.ExitError
	if errors.As(err, &e) {
		return e.Code
	}
	if code := server.ExitCode(err); code != server.ExitFailure {
		return code
	}
	return server.ExitUsage
}

func root() *cobra.Command {
	cmd := &cobra.Command{
		Use:           "duramen",
		Short:         "A MariaDB-compatible SQL server whose binary log is its only write-ahead log",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.AddCommand(serve(), check(), cloneCommand(), binlogCommand(), bench(), version())
	return cmd
}

const exitCodes = `Exit codes: 0 clean shutdown, 1 other failure, 2 wrong option, 3 cannot listen (port or socket in use),
4 data directory in use by another server, 5 unknown data directory format, 6 damaged log or tables,
7 disk full, 8 the log could not be written, 9 refused to listen publicly while root has no password.`

func serve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve [--option=value ...]",
		Short: "Run the server",
		Long: `Run the server in the foreground until SIGTERM or SIGINT.

Options are MariaDB's, written with - or _. They may also stand in option files in my.cnf format, in the groups
[mariadbd], [server] and [duramen]: ` + server.SystemOptionFile + `, then my.cnf in the data directory, then
--defaults-extra-file=FILE; --defaults-file=FILE instead of all these, --no-defaults for none. The command line
wins. Besides the options below, every global system variable is an option (SHOW GLOBAL VARIABLES lists them).

` + server.Options().Usage() + "\n" + exitCodes,
		// MariaDB's options are not those of pflag: they are parsed by package option.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, a := range args {
				if a == "--help" || a == "-?" {
					return cmd.Help()
				}
			}
			cfg, err := server.ParseConfig(args)
			if err != nil {
				return err
			}
			return server.Run(cmd.Context(), cfg)
		},
	}
	// -h is MariaDB's short form of --datadir.
	cmd.Flags().BoolP("help", "?", false, "print this")
	return cmd
}

func check() *cobra.Command {
	engine := ""
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "Verify a data directory that no server uses",
		Long: `Verify the log and every table of a data directory that no server uses: log events by their checksums, rows by their
format, every row against every index of its table and every index entry against its row.

The directory is not changed. It is recovered in memory, exactly as a start of the server would recover it, and what
that does is reported; it takes as much memory as a start would write. Exit code 0: everything is in order; 6: damage;
4: a server runs on it; 5: not a data directory of this format.

With --engine only one storage engine is looked at, as its own files are: nothing is recovered, and neither the log nor
the other engines are needed. What is printed is the engine's place in the log, its GTIDs, the definitions of all
tables as it has them, and what was found in the tables that it holds.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("engine") {
				return server.CheckEngine(cmd.Context(), args[0], engine, cmd.OutOrStdout())
			}
			return server.Check(cmd.Context(), args[0], cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&engine, "engine", "", "look at this storage engine only, by itself (RocksDB, BTREE)")
	return cmd
}

func version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "duramen %s (%s), as MariaDB %s\n", server.Version, server.Build(), server.MariaDBVersion)
			return err
		},
	}
}
