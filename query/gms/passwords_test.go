package gms

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/placeholder"
)

func TestWithoutPasswords(t *testing.T) {
	require.Equal(t, "create user a@b identified by PASSWORD '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7'",
		withoutPasswords("create user a@b identified by 'secret'"))
	require.Equal(t, "grant usage on *.* to a identified by '' , b IDENTIFIED BY PASSWORD '*667F407DE7C6AD07358FA38DAED7828A72014B4E' x",
		withoutPasswords("grant usage on *.* to a identified by '' , b IDENTIFIED BY \"a\" x"))
	require.Equal(t, "select 'identified by'", withoutPasswords("select 'identified by'"))
}

// FuzzText checks that no text makes what looks at whole statements panic.
func FuzzText(f *testing.F) {
	for _, s := range []string{"set password = 'a'", "select ?, '?' -- ?", "identified by", "'", "/*", "grant x to y identified by 'z\\'"} {
		f.Add(s, false, false)
	}
	f.Fuzz(func(_ *testing.T, sql string, ansi, noEscapes bool) {
		withoutPasswords(sql)
		placeholder.Of(sql, dialect.Mode{AnsiQuotes: ansi, NoBackslashEscapes: noEscapes})
	})
}
