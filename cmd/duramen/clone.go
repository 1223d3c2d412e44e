package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/clone"
	"github.com/duramendb/duramen/option"
	"github.com/duramendb/duramen/server"
)

// cloneOptions are the options of duramen clone. Those about the source have the names of MariaDB's clients.
var cloneOptions = option.NewSet(
	option.Def{Name: "datadir", Short: 'h', Default: "data", Help: "directory to be made; it must be empty, or not there"},
	option.Def{Name: "port", Kind: option.Int, Short: 'P', Default: "3306", Help: "TCP port of the source"},
	option.Def{Name: "socket", Short: 'S', Help: "unix socket of the source, instead of HOST"},
	option.Def{Name: "user", Short: 'u', Default: "root", Help: "account on the source: it reads everything, and may FLUSH TABLES (RELOAD)"},
	option.Def{Name: "password", Short: 'p', Help: "its password; the environment variable MYSQL_PWD unless given"},
	option.Def{Name: "ssl", Kind: option.Bool, Default: "OFF", Help: "fail unless the source offers TLS; it is used in any case if it does"},
	option.Def{Name: "ssl_ca", Help: "PEM file of the authorities that the source's certificate is checked by"},
	option.Def{Name: "ssl_cert", Help: "PEM file of our own certificate"},
	option.Def{Name: "ssl_key", Help: "PEM file of its key"},
	option.Def{Name: "ssl_verify_server_cert", Kind: option.Bool, Default: "OFF", Help: "the source's certificate has to name HOST, too"},
	option.Def{Name: "method", Default: "auto", Help: "files copies those of a Duramen, sql reads rows by statements; auto is files where that can be done"},
	option.Def{Name: "threads", Kind: option.Int, Default: "4", Help: "tables, or parts of tables, that are copied at once"},
	option.Def{Name: "part_size", Kind: option.Int, Default: "32M", Help: "a larger table is copied in parts of this size, if its primary key begins with an integer"},
	option.Def{Name: "lock", Kind: option.Bool, Default: "OFF", Help: "keep everybody from writing on the source until all rows are copied, for tables without transactions"},
	option.Def{Name: "without_accounts", Kind: option.Bool, Default: "OFF", Help: "leave out users, roles and grants"},
	option.Def{Name: "skip_errors", Help: "what may be left out: KIND:NAME, KIND (event, view, grant ...) or all, separated by commas"},
	option.Def{Name: "verify", Kind: option.Bool, Default: "OFF", Help: "compare number and checksum of each table's rows; of files, all rows with their index entries"},
	option.Def{Name: "no_follow", Kind: option.Bool, Default: "OFF", Help: "make a server that follows nobody"},
	option.Def{Name: "server_id", Kind: option.Int, Help: "the new server's id, another than the source's; required unless --no-follow"},
	option.Def{Name: "replication_user", Help: "account that the new server follows with; --user unless given"},
	option.Def{Name: "replication_password", Help: "its password"},
	option.Def{Name: "progress_interval", Kind: option.Seconds, Default: "5", Help: "time between two lines that say how far it is; 0 for none"},
	option.Def{Name: "innodb_engine", Help: "as of duramen serve"},
	option.Def{Name: "innodb_buffer_pool_size", Kind: option.Int, Help: "as of duramen serve"},
	option.Def{Name: "log_bin", Help: "as of duramen serve"},
	option.Def{Name: "commit_protocol", Help: "as of duramen serve"},
	option.Def{Name: "default_character_set"}, // stands in many groups [client]
)

// cloneServerOptions are handed to the new server.
var cloneServerOptions = []string{"innodb_engine", "innodb_buffer_pool_size", "log_bin", "commit_protocol"}

func cloneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clone [--option=value ...] HOST",
		Short: "Make a new replica of a running MariaDB, MySQL or Duramen",
		Long: `Copy databases, tables, views, routines, triggers, events and accounts of the server on HOST, as they are at one moment,
into a new data directory, and have it follow that server from there: duramen serve --datadir=DIR starts doing so.
The source is locked for a moment at most. What Duramen cannot have is told with its reason, before any rows are copied.

Options are written with - or _. They may also stand in the groups [client] and [clone] of option files in my.cnf format:
` + server.SystemOptionFile + ` and --defaults-extra-file=FILE; --defaults-file=FILE instead of these, --no-defaults for none.

` + cloneOptions.Usage() + `
Exit codes: 0 the directory is complete, 1 it could not be made, and was removed again, 2 wrong option.`,
		Example: `  MYSQL_PWD=secret duramen clone --datadir=/srv/replica --server-id=2 --user=repl db1.example
  duramen clone --datadir=copy --no-follow --verify --socket=/run/mysqld/mysqld.sock`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, a := range args {
				if a == "--help" || a == "-?" {
					return cmd.Help()
				}
			}
			o, err := parseClone(args, cmd.ErrOrStderr())
			if err != nil {
				return &server.ExitError{Code: server.ExitUsage, Err: err, Hint: "See duramen clone --help."}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			result, err := clone.Run(ctx, o)
			if err != nil {
				if ctx.Err() != nil {
					err = errors.Join(errors.New("interrupted"), err)
				}
				var e *server.ExitError
				if errors.As(err, &e) {
					return err
				}
				return &server.ExitError{Code: server.ExitFailure, Err: err}
			}
			return tellClone(cmd.OutOrStdout(), o, result)
		},
	}
	cmd.Flags().BoolP("help", "?", false, "print this")
	return cmd
}

// parseClone reads option files and the command line.
func parseClone(args []string, progress io.Writer) (clone.Options, error) {
	v, hosts, err := cloneOptions.Parse(args, option.Search{System: server.SystemOptionFile, Groups: []string{"client", "clone"}})
	if err != nil {
		return clone.Options{}, err
	}
	if len(hosts) > 1 || len(hosts) == 0 && v.String("socket") == "" {
		return clone.Options{}, fmt.Errorf("%d hosts where there should be one", len(hosts))
	}
	o := clone.Options{
		Source: clone.Source{
			Port: int(v.Int("port")), Socket: v.String("socket"), User: v.String("user"), Password: cmp.Or(v.String("password"), os.Getenv("MYSQL_PWD")),
			RequireTLS: v.Bool("ssl"), CA: v.String("ssl_ca"), Cert: v.String("ssl_cert"), Key: v.String("ssl_key"), Verify: v.Bool("ssl_verify_server_cert"),
		},
		Dir: v.String("datadir"), Method: clone.Method(strings.ToLower(v.String("method"))), Threads: int(v.Int("threads")), PartBytes: v.Int("part_size"), Lock: v.Bool("lock"), WithoutAccounts: v.Bool("without_accounts"),
		Verify: v.Bool("verify"), NoFollow: v.Bool("no_follow"), ReplicationUser: v.String("replication_user"),
		ReplicationPassword: v.String("replication_password"), ProgressInterval: v.Duration("progress_interval"), Progress: progress,
		Logger: slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if len(hosts) == 1 {
		o.Source.Host = hosts[0]
	}
	if o.ProgressInterval == 0 {
		o.ProgressInterval = -1 // where 0 is the default
	}
	if list := v.String("skip_errors"); list != "" {
		o.SkipErrors = strings.Split(list, ",")
	}
	if _, given := v.Given("server_id"); given {
		id := v.Int("server_id")
		if id < 1 || id > 1<<32-1 {
			return o, fmt.Errorf("--server-id=%d is not between 1 and 4294967295", id)
		}
		o.ServerID = uint32(id)
	}
	for _, name := range cloneServerOptions {
		if _, given := v.Given(name); given {
			o.ServerArgs = append(o.ServerArgs, "--"+name+"="+v.String(name))
		}
	}
	if _, err := server.ParseConfig(append([]string{"--no-defaults"}, o.ServerArgs...)); err != nil {
		return o, err
	}
	o.EnsureDefaults()
	return o, o.Validate()
}

// tellClone says what was made.
func tellClone(out io.Writer, o clone.Options, r *clone.Result) error {
	what := fmt.Sprintf("%d tables with %d rows", r.Tables, r.Rows)
	if r.Method == clone.MethodFiles {
		what = fmt.Sprintf("%d tables in %d files", r.Tables, r.Files)
	}
	_, err := fmt.Fprintf(out, "%s: %s of %s, in %v\n", o.Dir, what, r.Source, r.Took.Round(time.Millisecond))
	if err == nil && r.File != "" {
		_, err = fmt.Fprintf(out, "place in its log: %s:%d, GTID %s (also in %s)\n", r.File, r.Position, cmp.Or(r.GTID, "none"), clone.InfoName)
	}
	if err == nil && !o.NoFollow {
		_, err = fmt.Fprintf(out, "duramen serve --datadir=%s follows it from there\n", o.Dir)
	}
	return err
}
