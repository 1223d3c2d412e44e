package query_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// TestErrorNumbers compares numbers and states of errors with those of MariaDB
// 10.11, which testdata/errors.tsv recorded: number, SQLSTATE, statement.
func TestErrorNumbers(t *testing.T) {
	data, err := os.ReadFile("testdata/errors.tsv")
	require.NoError(t, err)
	srv := newServer(t)
	c := srv.connect()
	defer c.Close()
	for line := range strings.Lines(string(data)) {
		f := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		c.exec(`drop database if exists d; create database d; use d;
			create table t (id int primary key, k int not null default 0, c varchar(20), key (k)); insert into t values (1,1,'a'),(2,2,'b');
			create table parent (id int primary key); create table child (id int primary key, p int, foreign key (p) references parent (id));
			insert into parent values (1); insert into child values (1,1); create table checked (a int, check (a > 0))`)
		_, err := c.run(f[2])
		var e *mysqlerr.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: %v, want %s (%s)", f[2], err, f[0], f[1])
			continue
		}
		if got := strings.Join([]string{strconv.Itoa(int(e.Number)), e.State}, " "); got != f[0]+" "+f[1] {
			t.Errorf("%s: got %s, want %s %s: %s", f[2], got, f[0], f[1], e.Message)
		}
	}
}
