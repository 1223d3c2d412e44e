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
	text := []byte(strings.Repeat("x", 119))
	params := make([]result.Value, 2)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		text[i%10] = byte('a' + i/2000%26) // what a row has already is not written
		params[0], params[1] = result.Text(text), result.Signed(int64(i%2000+1))
		require.NoError(b, c.ExecuteStmt(ctx, stmt, params, &recorder{}))
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

// BenchmarkRange are the ranges of sysbench's oltp_read_only, prepared.
func BenchmarkRange(b *testing.B) {
	for name, text := range map[string]string{
		"simple":   "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ?",
		"sum":      "SELECT SUM(k) FROM sbtest1 WHERE id BETWEEN ? AND ?",
		"order":    "SELECT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
		"distinct": "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN ? AND ? ORDER BY c",
	} {
		b.Run(name, func(b *testing.B) {
			c := benchTable(b)
			ctx := context.Background()
			stmt, err := c.Prepare(ctx, text)
			require.NoError(b, err)
			out := &packets{binary: true}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				id := int64(i%1900 + 1)
				require.NoError(b, c.ExecuteStmt(ctx, stmt, []result.Value{result.Signed(id), result.Signed(id + 99)}, out))
			}
		})
	}
}

// BenchmarkExpression is a SELECT without tables, which runs natively, from its text.
func BenchmarkExpression(b *testing.B) {
	c := newServer(b).connect()
	b.Cleanup(c.Close)
	ctx := context.Background()
	c.exec("set native_sql = on")
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, c.Execute(ctx, "SELECT 1, 'abc', 2.5 AS x", &recorder{}))
	}
}

// BenchmarkRows reads a table of 2,000 rows with columns of four types, as both protocols send them.
func BenchmarkRows(b *testing.B) {
	for _, binary := range []bool{false, true} {
		name := "text"
		if binary {
			name = "binary"
		}
		b.Run(name, func(b *testing.B) {
			c := benchRows(b)
			ctx := context.Background()
			stmt, err := c.Prepare(ctx, rowsQuery)
			require.NoError(b, err)
			out := &packets{binary: binary}
			b.ReportAllocs()
			for b.Loop() {
				if binary {
					err = c.ExecuteStmt(ctx, stmt, nil, out)
				} else {
					err = c.Execute(ctx, rowsQuery, out)
				}
				require.NoError(b, err)
			}
			require.Equal(b, 2000*b.N, out.rows)
			b.ReportMetric(float64(out.rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

const rowsQuery = "SELECT i, f, at, s FROM r"

func benchRows(b *testing.B) *client {
	srv := newServer(b)
	c := srv.connect()
	b.Cleanup(c.Close)
	c.exec("create database d; use d; create table r (i bigint primary key, f double, at datetime(6), s varchar(40))")
	for i := range 20 {
		var rows []string
		for j := range 100 {
			n := i*100 + j
			rows = append(rows, fmt.Sprintf("(%d, %d.125, '2024-02-29 01:02:03.%06d', '%030d')", n*1000003, n, n, n))
		}
		c.exec("insert into r values " + strings.Join(rows, ","))
	}
	return c
}

// packets encodes rows as a connection does.
type packets struct {
	binary bool
	buf    []byte
	rows   int
}

func (p *packets) Columns([]result.Column) error { return nil }
func (p *packets) EndRows(result.Status) error   { return nil }
func (p *packets) OK(result.OK) error            { return nil }

func (p *packets) Row(r result.Row) (err error) {
	p.rows++
	if p.binary {
		p.buf, err = r.AppendBinary(p.buf[:0])
		return err
	}
	p.buf = r.AppendText(p.buf[:0])
	return nil
}

// BenchmarkText runs statements from texts that are new each time, as clients send them that do not prepare.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]func(i int) string{
		"point":  func(i int) string { return fmt.Sprintf("SELECT c FROM sbtest1 WHERE id=%d", i) },
		"update": func(i int) string { return fmt.Sprintf("UPDATE sbtest1 SET k=k+1 WHERE id=%d", i) },
		"insert": func(i int) string {
			return fmt.Sprintf("INSERT INTO sbtest1 (id, k, c, pad) VALUES (%d, 4993, '68487932199-96439406143-93774651418', '22195207048-70116052123')", 10000+i)
		},
		"rows": func(i int) string {
			return "REPLACE INTO sbtest1 VALUES " + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("(%d, 4993, '68487932199-96439406143-93774651418', '22195207048'),", i), 100), ",")
		},
	} {
		b.Run(name, func(b *testing.B) {
			c := benchTable(b)
			ctx := context.Background()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				require.NoError(b, c.Execute(ctx, text(i), &recorder{}))
			}
		})
	}
}

// BenchmarkSession runs statements that cost next to nothing to run, as sessions send many of them.
func BenchmarkSession(b *testing.B) {
	for _, test := range []struct{ name, before, text string }{
		{name: "begin", text: "BEGIN"},
		{name: "commit", text: "COMMIT"},
		{name: "rollback", text: "ROLLBACK"},
		{name: "savepoint", before: "BEGIN", text: "SAVEPOINT a"},
		{name: "autocommit", text: "SET autocommit=1"},
		{name: "names", text: "SET NAMES utf8mb4"},
		{name: "isolation", text: "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"},
		{name: "mode", text: "SET sql_mode='STRICT_TRANS_TABLES'"},
		{name: "user", text: "SET @x=1"},
		{name: "use", text: "USE mysql"},
		{name: "one", text: "SELECT 1"},
		{name: "system", text: "SELECT @@version_comment LIMIT 1"},
		{name: "database", text: "SELECT DATABASE()"},
	} {
		for _, prepared := range []bool{false, true} {
			name := test.name + "/text"
			if prepared {
				name = test.name + "/prepared"
			}
			b.Run(name, func(b *testing.B) {
				c := newServer(b).connect()
				b.Cleanup(c.Close)
				ctx := context.Background()
				if test.before != "" {
					c.exec(test.before)
				}
				out := &packets{binary: prepared}
				if !prepared {
					b.ReportAllocs()
					for b.Loop() {
						require.NoError(b, c.Execute(ctx, test.text, out))
					}
					return
				}
				stmt, err := c.Prepare(ctx, test.text)
				require.NoError(b, err)
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, c.ExecuteStmt(ctx, stmt, nil, out))
				}
			})
		}
	}
}
