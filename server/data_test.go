package server

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// The engine of ENGINE=InnoDB is chosen when the data directory is made, and stays.
func TestInnoDBEngine(t *testing.T) {
	cfg := config(t, "--innodb-engine=btree")
	for _, restart := range []bool{false, true} {
		if restart {
			cfg.InnoDBEngine = ""
		}
		s := start(t, cfg)
		db := open(t, "root@tcp("+s.Addr()+")/")
		var name, value string
		require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'innodb_engine'").Scan(&name, &value))
		require.Equal(t, "BTREE", value)
		if !restart {
			_, err := db.Exec("CREATE DATABASE d")
			require.NoError(t, err)
			_, err = db.Exec("CREATE TABLE d.t (a INT PRIMARY KEY) ENGINE=InnoDB")
			require.NoError(t, err)
			_, err = db.Exec("INSERT INTO d.t VALUES (1), (2)")
			require.NoError(t, err)
		}
		engines := s.store.Engine().Engines()
		require.Equal(t, []string{"BTREE", "RocksDB", "MEMORY"}, []string{engines[0].Name(), engines[1].Name(), engines[2].Name()})
		it, err := engines[0].NewIter(s.store.Catalog().Current().Table("d", "t").Span(-1))
		require.NoError(t, err)
		require.True(t, it.First() && it.Next() && !it.Next(), "the rows are in the B+tree")
		require.NoError(t, it.Close())
		stop(t, s)
	}
	cfg.InnoDBEngine = "RocksDB"
	_, err := Start(context.Background(), cfg)
	require.ErrorContains(t, err, "the default engine is RocksDB, but of this directory it is the one in btree")

	_, err = ParseConfig([]string{"--no-defaults", "--innodb-engine=memory"})
	require.ErrorContains(t, err, "neither ROCKSDB nor BTREE")
}

// What a replica applies has its position in the engine that was asked for. SHOW STATUS counts what that cost, and check shows it.
func TestPositionInEngine(t *testing.T) {
	cfg := config(t, "--commit-protocol=2pc", "--gtid-pos-in-engine=BTREE")
	s := start(t, cfg)
	db := open(t, "root@tcp("+s.Addr()+")/")
	db.SetMaxOpenConns(1)
	show := func(what string) (value string) {
		var name string
		require.NoError(t, db.QueryRow("SHOW GLOBAL "+what).Scan(&name, &value))
		return value
	}
	require.Equal(t, "btree", show("VARIABLES LIKE 'gtid_pos_in_engine'"))
	for _, q := range []string{
		"CREATE DATABASE d", "CREATE TABLE d.lsm (a INT PRIMARY KEY) ENGINE=ROCKSDB", "CREATE TABLE d.btree (a INT PRIMARY KEY) ENGINE=BTREE",
		"SET server_id = 77, gtid_domain_id = 3, gtid_seq_no = 5", "INSERT INTO d.btree VALUES (1)",
		"SET gtid_seq_no = 6", "INSERT INTO d.lsm VALUES (1)", "SET gtid_seq_no = 7", "INSERT INTO d.lsm VALUES (2)",
	} {
		_, err := db.Exec(q)
		require.NoError(t, err, q)
	}
	require.Equal(t, "2", show("STATUS LIKE 'Transactions_gtid_foreign_engine'"))
	require.Equal(t, "2", show("STATUS LIKE 'Transactions_multi_engine'"))
	stop(t, s)
	var out bytes.Buffer
	require.NoError(t, CheckEngine(t.Context(), cfg.DataDir, "BTREE", &out))
	require.Contains(t, out.String(), "replication position of domain 3: 3-77-7 (sub_id 3)\n")
	out.Reset()
	require.NoError(t, CheckEngine(t.Context(), cfg.DataDir, "ROCKSDB", &out))
	require.NotContains(t, out.String(), "replication position")

	for _, args := range [][]string{{"--gtid-pos-in-engine=auto"}, {"--gtid-pos-in-engine=lsm", "--commit-protocol=engine"}} {
		_, err := Start(context.Background(), config(t, args...))
		require.ErrorContains(t, err, "the position is the log itself")
		require.Equal(t, ExitUsage, ExitCode(err))
	}
	_, err := ParseConfig([]string{"--no-defaults", "--gtid-pos-in-engine=memory"})
	require.ErrorContains(t, err, "none of lsm, btree and auto")
}
