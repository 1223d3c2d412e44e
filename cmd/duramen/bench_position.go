package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/duramendb/duramen/bench/position"
	"github.com/duramendb/duramen/bench/target"
)

func benchPosition() *cobra.Command {
	var o position.Options
	o.EnsureDefaults()
	var out benchOutput
	server := string(target.MariaDB)
	cmd := &cobra.Command{
		Use:   "position",
		Short: "What a replica pays for keeping its position in a table (MariaDB with RocksDB, beside Duramen)",
		Long: `A MariaDB primary makes a log of transactions that update one row each, in InnoDB and in RocksDB. MariaDB replicas apply it with their position
(mysql.gtid_slave_pos) in InnoDB, in RocksDB, and in the engine of each transaction (gtid_pos_auto_engines); the log is fetched before the time begins.
Beside them stands the rate at which Duramen's commit pipeline takes in the same transactions, one after the other, which needs no table for the position; and that of
its commit protocol 2pc, with the position in the one engine and in the other. As a replica Duramen does not wait for each: "duramen bench run --suite replica".

Needs mariadbd with its RocksDB plugin (on Debian: apt-get install mariadb-server mariadb-plugin-rocksdb), and some GB below --dir, which it removes.`,
		Example: `  duramen bench position --dir /var/lib/mysql
  duramen bench position --transactions 1000 --rounds 5 --log-updates --svg position.svg`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return benchFailed(err)
			}
			spec, err := target.ParseSpec(server, self)
			if err != nil {
				return err
			}
			if spec.Kind == target.MariaDB {
				if spec.Engines, _, err = target.FindEngines(cmd.Context(), spec); err != nil {
					return err
				}
			}
			o.Server = spec
			if err := o.Validate(); err != nil {
				return err
			}
			return out.run(cmd, func(ctx context.Context, raw io.Writer) (benchResult, error) {
				o.Raw, o.Progress = raw, cmd.ErrOrStderr()
				res, err := position.Run(ctx, o)
				if res == nil {
					return nil, err
				}
				return res, err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Dir, "dir", o.Dir, "directory on the device")
	f.StringVar(&server, "server", server, "the MariaDB: mariadb or mariadb:PATH")
	f.IntVar(&o.Rows, "rows", o.Rows, "rows of each table")
	f.IntVar(&o.Transactions, "transactions", o.Transactions, "of each turn")
	f.IntVar(&o.Rounds, "rounds", o.Rounds, "how often everything has its turn")
	f.StringSliceVar(&o.Profiles, "profiles", o.Profiles, "any of: sync nosync")
	f.BoolVar(&o.LogUpdates, "log-updates", false, "MariaDB's replicas keep a binary log of their own, as Duramen does")
	out.flags(cmd)
	return cmd
}
