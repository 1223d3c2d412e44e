package tables_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	srv := newServer(t)
	s := srv.newSession()
	ctx := s.context("")
	s.exec(ctx, "CREATE DATABASE db")
	ctx.SetCurrentDatabase("db")
	s.exec(ctx,
		"CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20), KEY (name))",
		"INSERT INTO t VALUES (1,'one'),(2,'two'),(3,'three')",
	)
	require.Equal(t, []string{"1 one", "2 two", "3 three"}, s.rows(ctx, "SELECT * FROM t"))
	require.Equal(t, []string{"2 two"}, s.rows(ctx, "SELECT * FROM t WHERE id = 2"))
	require.Equal(t, []string{"2"}, s.rows(ctx, "SELECT id FROM t WHERE name = 'two'"))
	s.exec(ctx, "UPDATE t SET name = 'zwei' WHERE id = 2", "DELETE FROM t WHERE id = 1")
	require.Equal(t, []string{"3 three", "2 zwei"}, s.rows(ctx, "SELECT * FROM t ORDER BY name"))

	srv.restart()
	s = srv.newSession()
	ctx = s.context("db")
	require.Equal(t, []string{"3 three", "2 zwei"}, s.rows(ctx, "SELECT * FROM t ORDER BY name"))
}
