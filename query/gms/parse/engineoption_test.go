package parse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
)

func TestEngineOption(t *testing.T) {
	for text, want := range map[string]string{
		"CREATE TABLE t (a INT)":                                                              "",
		"CREATE TABLE t (a INT) ENGINE=BTREE":                                                 "BTREE",
		"create table t (a int) engine lsm":                                                   "lsm",
		"CREATE TABLE t (a INT) ENGINE 'BTREE' COMMENT='x'":                                   "BTREE",
		"CREATE TABLE t (a INT) ENGINE=`b tree`":                                              "b tree",
		"CREATE OR REPLACE TEMPORARY TABLE IF NOT EXISTS d.t (engine INT) ENGINE = BTREE":     "BTREE",
		"CREATE TABLE t (engine INT, b INT)":                                                  "",
		"CREATE TABLE t (a INT) COMMENT='ENGINE=BTREE'":                                       "",
		"CREATE TABLE t (a INT) /* ENGINE=BTREE */ ENGINE=MEMORY":                             "MEMORY",
		"CREATE TABLE t (a INT) ENGINE=MEMORY, ENGINE=BTREE":                                  "BTREE",
		"CREATE TABLE t ENGINE=BTREE SELECT engine FROM x":                                    "BTREE",
		"CREATE TABLE t SELECT engine x FROM y":                                               "",
		"CREATE TABLE t (a INT) AS SELECT engine FROM x":                                      "",
		"CREATE TABLE t LIKE engine":                                                          "",
		"CREATE TABLE t (a INT) PARTITION BY HASH (a) (PARTITION p ENGINE=BTREE)":             "",
		"CREATE TABLE t (a INT) UNION=(engine, x) ENGINE=BTREE":                               "BTREE",
		"CREATE TABLE engine (a INT)":                                                         "",
		"CREATE TABLE d.engine (a INT) ENGINE=BTREE":                                          "BTREE",
		"ALTER TABLE t ENGINE=BTREE":                                                          "BTREE",
		"ALTER TABLE engine ENGINE BTREE":                                                     "BTREE",
		"ALTER TABLE t WAIT 5 ADD COLUMN engine INT":                                          "",
		"ALTER TABLE t NOWAIT ENGINE=BTREE":                                                   "BTREE",
		"ALTER ONLINE TABLE IF EXISTS d.t ADD engine INT, ENGINE=BTREE":                       "BTREE",
		"ALTER TABLE t ADD engine INT, ADD b INT":                                             "",
		"ALTER TABLE t CHANGE a engine INT":                                                   "",
		"ALTER TABLE t RENAME COLUMN a TO engine":                                             "",
		"ALTER TABLE t RENAME engine":                                                         "",
		"ALTER TABLE t COMMENT='x' ENGINE=BTREE AUTO_INCREMENT=5, DROP COLUMN engine":         "BTREE",
		"ALTER TABLE t ADD CONSTRAINT c CHECK (engine = innodb)":                              "",
		"ALTER TABLE t ADD COLUMN (a INT, engine INT), ENGINE=MEMORY ENGINE=BTREE, ADD b INT": "BTREE",
		"ALTER DATABASE engine COLLATE = utf8mb4_bin":                                         "",
		"INSERT INTO t (engine) VALUES (1)":                                                   "",
	} {
		require.Equal(t, want, EngineOption(text, dialect.Mode{}), text)
	}
}

func TestWithEngines(t *testing.T) {
	ours := func(name string) string {
		if name == "BTREE" || name == "b tree" {
			return "InnoDB"
		}
		return ""
	}
	for text, want := range map[string]string{
		"CREATE TABLE btree (BTREE INT COMMENT 'ENGINE=BTREE', KEY (a) USING BTREE) /* ENGINE=BTREE */ ENGINE=BTREE COMMENT='BTREE'": "CREATE TABLE btree (BTREE INT COMMENT 'ENGINE=BTREE', KEY (a) USING BTREE) /* ENGINE=BTREE */ ENGINE=InnoDB COMMENT='BTREE'",
		"CREATE TABLE t (a INT) ENGINE='b tree'":              "CREATE TABLE t (a INT) ENGINE=InnoDB",
		"CREATE TABLE t (a INT) ENGINE=ROCKSDB":               "CREATE TABLE t (a INT) ENGINE=ROCKSDB",
		"ALTER TABLE t ENGINE = BTREE, ADD engine INT":        "ALTER TABLE t ENGINE = InnoDB, ADD engine INT",
		"ALTER TABLE t ADD KEY BTREE (a) USING BTREE":         "ALTER TABLE t ADD KEY BTREE (a) USING BTREE",
		"CREATE INDEX i ON t (a) USING BTREE":                 "CREATE INDEX i ON t (a) USING BTREE",
		"ALTER TABLE t ENGINE=MEMORY ENGINE=BTREE, ADD a INT": "ALTER TABLE t ENGINE=MEMORY ENGINE=InnoDB, ADD a INT",
	} {
		require.Equal(t, want, WithEngines(text, dialect.Mode{}, ours), text)
	}
}

func TestAlterEngineWithin(t *testing.T) {
	for text, want := range map[string]bool{
		"CREATE PROCEDURE p() ALTER TABLE t ENGINE=MEMORY":                                                   true,
		"CREATE PROCEDURE p() BEGIN SELECT 1; ALTER TABLE t ADD a INT, ENGINE=MEMORY; SELECT 2; END":         true,
		"CREATE PROCEDURE p() BEGIN ALTER TABLE t ADD a INT; CREATE TABLE u (a INT) ENGINE=MEMORY; END":      false,
		"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO ALTER TABLE t ENGINE 'MEMORY'":                            true,
		"CREATE PROCEDURE p() BEGIN SELECT 'ALTER TABLE t ENGINE=MEMORY'; ALTER TABLE t ADD engine INT; END": false,
	} {
		require.Equal(t, want, alterEngineWithin(dialect.Tokens(text, dialect.Mode{}, 0)), text)
	}
}
