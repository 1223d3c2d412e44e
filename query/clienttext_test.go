package query_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClientTexts: what a client sends in another character set means the same wherever the statement runs, and names, values and messages go back
// in the character set of results.
func TestClientTexts(t *testing.T) {
	c := newServer(t).connect()
	c.exec("create database d; use d; set names latin1")
	c.exec("create table t (`\xe4` varchar(9) character set utf8mb4, e enum('\xe9', 'b') default '\xe9' comment '\xe5')")
	c.exec("create trigger g before insert on t for each row set new.`\xe4` = concat(new.`\xe4`, '\xfc')")
	c.exec("create view v as select `\xe4`, '\xdf' as \xdf from t")
	c.exec("insert into t (`\xe4`) select '\xe4' union select '\xe5'")
	require.Equal(t, "E4FC\nE5FC", c.query("select hex(convert(`\xe4` using latin1)) from t order by 1"))
	require.Equal(t, "\xe4\xfc|\xdf", c.query("select * from v where hex(`\xe4`) = 'C3A4C3BC'"))
	require.Equal(t, "1", c.query("select count(*) from t x, t y where hex(x.`\xe4`) = hex(convert('\xe4\xfc' using utf8mb4)) and hex(y.`\xe4`) = 'C3A5C3BC' and x.`\xe4` < 'z'"))
	require.Contains(t, c.query("show create table t"), "  `\xe4` varchar(9) DEFAULT NULL,\n  `e` enum('\xe9','b') DEFAULT '\xe9' COMMENT '\xe5'")
	require.Contains(t, c.fails(1054, "select x.\xe5 from t x, t y").Message, "Unknown column 'x.\xe5'")
	require.Contains(t, c.fails(1054, "select `\xe5`").Message, "Unknown column '\xe5'")

	// What follows SET NAMES is read by the character set that it names.
	require.Equal(t, "9|C3A9", c.query("set names utf8mb4; select 9, hex('\u00e9')"))
	c.exec("set names sjis")
	require.Equal(t, "\x95\x5c", c.query("select x.a from (select '\x95\x5c' as a) x, (select 1) y"))
	c.fails(1235, "select '\xf0\x40' union select 1") // without a code point the fallback cannot tell it
	c.exec("set names latin1; create database `\xe9`")
	require.NoError(t, c.UseDB(context.Background(), "\xe9"))
	require.Equal(t, "C3A9", c.query("select hex(convert(database() using utf8mb4))"))
}
