package filter_test

import (
	"context"
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/replication/replica/filter"
	"github.com/duramendb/duramen/test/peer"
)

// variables are values of the variables, by what follows replicate_ in their names.
type variables map[string]string

// TestMariaDBFilters has a MariaDB follow another one under rules, and compares which rows and databases it then has.
func TestMariaDBFilters(t *testing.T) {
	quick := []string{"--sync-binlog=0", "--innodb-flush-log-at-trx-commit=0"}
	primary := peer.StartMariaDB(t, peer.Options{Binlog: true, Args: quick})
	replica := peer.StartMariaDB(t, peer.Options{ServerID: 2, Args: quick})
	pdb, rdb := primary.DB(""), replica.DB("")
	defer pdb.Close()
	defer rdb.Close()
	databases, tables := []string{"a", "A", "b", "x_y", "xzy"}, []string{"t", "T", "u"}
	for _, db := range databases {
		peer.Exec(t, pdb, "create database "+db)
		for _, table := range tables {
			peer.Exec(t, pdb, fmt.Sprintf("create table %s.%s (n int, what varchar(40))", db, table))
		}
	}
	for _, db := range []string{"a", "b"} {
		peer.Exec(t, pdb, fmt.Sprintf("create table %s.both (ab varchar(10), ba varchar(10))", db), fmt.Sprintf("insert into %s.both values ('', '')", db))
	}
	peer.Exec(t, pdb, "create user repl@'%'", "grant replication slave on *.* to repl@'%'")
	peer.Exec(t, rdb, fmt.Sprintf("change master to master_host='127.0.0.1', master_port=%d, master_user='repl', master_use_gtid=slave_pos", primary.Port), "start slave")
	await(t, pdb, rdb)

	for n, set := range []variables{
		{}, {"do_db": "a"}, {"ignore_db": "a"}, {"do_db": "a,b", "ignore_db": "a"}, {"do_table": "a.t"}, {"do_table": "A.T"}, {"ignore_table": "a.t,b.u"}, {"do_table": "a.t", "ignore_table": "a.t"},
		{"wild_do_table": "a.%"}, {"wild_ignore_table": "a.%"}, {"wild_do_table": "x_y.%"}, {"wild_do_table": `x\_y.%`}, {"wild_ignore_table": `x\_y.t`}, {"ignore_table": "a.u", "wild_do_table": "a.%"}, {"wild_do_table": "a.t", "wild_ignore_table": "a.%"},
		{"wild_do_table": "made%.%"}, {"wild_ignore_table": "made%.%"}, {"do_db": "made17"}, {"ignore_db": "made18"}, {"wild_do_table": "made19._%"}, {"do_db": "a", "ignore_table": "a.u"}, {"do_db": "b", "do_table": "a.t"},
		{"rewrite_db": "a->b"}, {"rewrite_db": "a->b,b->xzy", "do_db": "b"}, {"rewrite_db": "A->b", "ignore_table": "b.t"}, {"do_db": "a,made25", "wild_ignore_table": "made%.%"}, {"rewrite_db": "made26->other"},
		{"do_table": "b.both", "ignore_table": "a.both"}, {"do_table": "a.both", "ignore_table": "b.both"}, {"ignore_table": "b.both"}, {"wild_do_table": "a.%", "wild_ignore_table": "b.%"}, {"do_table": "b.both"},
	} {
		for _, name := range []string{"do_db", "ignore_db", "do_table", "ignore_table", "wild_do_table", "wild_ignore_table", "rewrite_db"} {
			if n == 0 {
				peer.Exec(t, rdb, "stop slave")
			}
			_, err := rdb.Exec("set global replicate_"+name+"=?", set[name])
			require.NoError(t, err)
		}
		f := compiled(t, set)
		var want []string
		add := func(db, table, what string) { want = append(want, fmt.Sprintf("%s.%s %s", db, table, what)) }
		run := session(t, pdb)
		for _, db := range append([]string{""}, databases...) { // the statements without a default database come first: there is no way back to none
			if db != "" {
				run("use " + db)
			}
			for _, on := range databases {
				for _, table := range tables {
					run("set binlog_format=statement")
					what := "by a statement in " + db
					run(fmt.Sprintf("insert into %s.%s values (%d, '%s')", on, table, n, what))
					if f.Statement(f.Rewritten(db)) && f.Tables([]filter.Name{{DB: on, Table: table}}) {
						add(on, table, what)
					}
					if db != "" {
						continue
					}
					run("set binlog_format=row")
					what = "by row of " + on
					run(fmt.Sprintf("insert into %s.%s values (%d, '%s')", on, table, n, what))
					if to := f.Rewritten(on); f.Rows(to, table) {
						add(to, table, what)
					}
				}
			}
		}
		run("set binlog_format=statement")
		for _, order := range []string{"ab", "ba"} { // the last default database was xzy
			first, second := order[:1], order[1:]
			run(fmt.Sprintf("update %s.both, %s.both set %s.both.%s='of %d', %s.both.%s='of %d'", first, second, first, order, n, second, order, n))
			if f.Statement(f.Rewritten("xzy")) && f.Tables([]filter.Name{{DB: first, Table: "both"}, {DB: second, Table: "both"}}) {
				add("a", "both", order)
				add("b", "both", order)
			}
		}
		made := fmt.Sprint("made", n)
		run("create database " + made)
		if f.DatabaseStatement(made) {
			want = append(want, made)
		}
		peer.Exec(t, rdb, "start slave")
		await(t, pdb, rdb)
		peer.Exec(t, rdb, "stop slave")
		var got []string
		for _, db := range databases {
			for _, table := range tables {
				got = append(got, column(t, rdb, fmt.Sprintf("select concat('%s.%s ', what) from %s.%s where n=%d", db, table, db, table, n))...)
			}
		}
		for _, db := range []string{"a", "b"} {
			for _, order := range []string{"ab", "ba"} {
				got = append(got, column(t, rdb, fmt.Sprintf("select '%s.both %s' from %s.both where %s='of %d'", db, order, db, order, n))...)
			}
		}
		got = append(got, column(t, rdb, "select schema_name from information_schema.schemata where schema_name='"+made+"'")...)
		sort.Strings(want)
		sort.Strings(got)
		require.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "%v", set)
	}
}

func compiled(t *testing.T, set variables) *filter.Filter {
	t.Helper()
	r := filter.Rules{DoDB: filter.ParseDatabases(set["do_db"]), IgnoreDB: filter.ParseDatabases(set["ignore_db"])}
	var err error
	for name, rules := range map[string]*[]string{"do_table": &r.DoTable, "ignore_table": &r.IgnoreTable, "wild_do_table": &r.WildDoTable, "wild_ignore_table": &r.WildIgnoreTable} {
		*rules, err = filter.ParseTables(set[name])
		require.NoError(t, err)
	}
	r.RewriteDB, err = filter.ParseRewrites(set["rewrite_db"])
	require.NoError(t, err)
	f, err := filter.Compile(r)
	require.NoError(t, err)
	return f
}

// session runs statements in one new session.
func session(t *testing.T, db *sql.DB) func(statement string) {
	t.Helper()
	db.SetMaxIdleConns(0)
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return func(statement string) {
		t.Helper()
		_, err := conn.ExecContext(context.Background(), statement)
		require.NoError(t, err, statement)
	}
}

func await(t *testing.T, pdb, rdb *sql.DB) {
	t.Helper()
	at := column(t, pdb, "select @@global.gtid_binlog_pos")[0]
	peer.Await(t, time.Minute, "the replica to reach "+at, func() (bool, error) {
		seen := column(t, rdb, "select @@global.gtid_slave_pos")[0]
		return seen == at, fmt.Errorf("it is at %s: %v", seen, peer.MustRows(t, rdb, "show slave status"))
	})
}

// column is the only column of an answer.
func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	var values []string
	for rows.Next() {
		var v string
		require.NoError(t, rows.Scan(&v))
		values = append(values, v)
	}
	require.NoError(t, rows.Err())
	return values
}
