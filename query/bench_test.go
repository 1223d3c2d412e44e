package query_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/result"
)

func benchTable(b *testing.B) *client {
	srv := newServer(b)
	c := srv.connect()
	b.Cleanup(c.Close)
	c.exec("create database d; use d; create table sbtest1 (id int not null auto_increment, k int not null default 0, c char(120) not null default '', pad char(60) not null default '', primary key (id), key k_1 (k))")
	for i := range 20 {
		var rows []string
		for j := range 100 {
			rows = append(rows, fmt.Sprintf("(%d,'%s','%s')", i*100+j, strings.Repeat("c", 119), strings.Repeat("p", 59)))
		}
		c.exec("insert into sbtest1 (k,c,pad) values " + strings.Join(rows, ","))
	}
	return c
}

// BenchmarkUpdateNonIndex is the statement of sysbench's oltp_update_non_index, prepared.
func BenchmarkUpdateNonIndex(b *testing.B) {
	c := benchTable(b)
	ctx := context.Background()
	stmt, err := c.Prepare(ctx, "UPDATE sbtest1 SET c=? WHERE id=?")
	require.NoError(b, err)
	value := result.Text([]byte(strings.Repeat("x", 119)))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		id := result.Signed(int64(i%2000 + 1))
		require.NoError(b, c.ExecuteStmt(ctx, stmt, []result.Value{value, id}, &recorder{}))
	}
}

// BenchmarkPointSelect is the statement of sysbench's oltp_point_select, prepared.
func BenchmarkPointSelect(b *testing.B) {
	c := benchTable(b)
	ctx := context.Background()
	stmt, err := c.Prepare(ctx, "SELECT c FROM sbtest1 WHERE id=?")
	require.NoError(b, err)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		id := result.Signed(int64(i%2000 + 1))
		require.NoError(b, c.ExecuteStmt(ctx, stmt, []result.Value{id}, &recorder{}))
	}
}
