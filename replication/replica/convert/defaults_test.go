package convert_test

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/replication/replica/convert"
)

// extraColumns are columns that a primary's table has not.
var extraColumns = []string{
	"int", "int not null", "int not null default 5", "int default -7", "bigint unsigned default 18446744073709551615", "tinyint not null default '3'", "int default null",
	"varchar(20)", "varchar(20) not null", "varchar(20) default 'it''s'", `varchar(20) default 'a\\b"c'`, "varchar(20) default ''", "varchar(20) default 'é€'", "char(5) not null default 'a'", "varchar(300) default 'x'",
	"text", "text not null", "blob not null", "varbinary(5) not null default 'ab'", "binary(4) not null", "json", "tinytext not null",
	"decimal(10,2)", "decimal(10,2) not null", "decimal(10,2) default -1.50", "decimal(10,2) default 1.005", "float not null", "float default 1.5", "double default -1e10", "double not null",
	"date", "date not null", "date default '2020-02-29'", "date default '0000-00-00'", "time not null", "time(2) default '-12:34:56.78'", "time default '838:59:59'",
	"datetime not null", "datetime(6) default '2020-02-29 12:34:56.789'", "datetime default '2020-02-29 12:34:56'", "datetime default '2020-02-29'", "datetime default '0000-00-00 00:00:00'", "datetime default current_timestamp", "datetime not null default current_timestamp",
	"timestamp", "timestamp null", "timestamp not null default '0000-00-00 00:00:00'", "timestamp not null default current_timestamp on update current_timestamp", "timestamp(3) not null default current_timestamp(3)", "timestamp not null default '2020-02-29 12:34:56'",
	"year not null", "year default 2020", "bit(9) not null", "bit(9) default b'101'", "enum('a','b') not null", "enum('a','b')", "enum('a','b') default 'b'", "set('a','b') not null", "set('a','b') default 'a,b'", "set('a','b') default ''",
	"varchar(36) default uuid()", "varchar(36) not null default (uuid())", "boolean not null default true", "uuid", "uuid not null", "inet6 not null", "point", "point not null",
}

// TestMariaDBDefaults compares what columns get that the primary has not.
func TestMariaDBDefaults(t *testing.T) {
	a := startAsked(t)
	a.exec("create table s.t0 (a int not null)")
	a.exec("insert into s.t0 values (1)")
	rows, maps := a.logged("s")
	for i, extra := range extraColumns {
		a.exec("create or replace table d.t0 (a int not null, e " + extra + ") engine=myisam")
		m := *maps[0]
		m.Schema = "d"
		require.Zero(t, a.apply(m, rows[0], ""), extra)
		logged, definition := a.logged("d")
		require.Len(t, logged, i+1)
		def := columnOf(t, a, &definition[i].Columns[1])
		p, err := convert.Compile(maps[0], table(t, catalog.ColumnDef{Name: "a", Type: mysql.MYSQL_TYPE_LONG}, def), 0)
		require.NoError(t, err)
		got, err := p.Insert(nil, rows[0], nil)
		var refused *convert.DefaultError
		if errors.As(err, &refused) {
			t.Errorf("%s: %v", extra, err)
			continue
		}
		require.NoError(t, err, extra)
		if hex.EncodeToString(got) != hex.EncodeToString(logged[i]) {
			t.Errorf("%s: %x, MariaDB %x", extra, got, logged[i])
		}
	}
}

// columnOf is the definition of d.t0's second column as the catalog would have it.
func columnOf(t *testing.T, a *asked, m *event.ColumnMeta) catalog.ColumnDef {
	t.Helper()
	var sqlType, null string
	var text sql.NullString
	err := a.conn.QueryRowContext(context.Background(), "select column_type, is_nullable, column_default from information_schema.columns where table_schema='d' and table_name='t0' and column_name='e'").Scan(&sqlType, &null, &text)
	require.NoError(t, err)
	c := catalog.ColumnDef{Name: "e", SQLType: sqlType, Type: m.Type, Meta: m.Meta, Unsigned: m.Unsigned, Collation: m.Charset, EnumValues: m.Values, Nullable: null == "YES"}
	c.HasDefault = text.Valid && text.String != "NULL"
	if c.HasDefault {
		c.Default = text.String
		c.DefaultLiteral = !strings.Contains(text.String, "(")
	}
	if at, err := time.Parse("'2006-01-02 15:04:05'", text.String); err == nil && m.Type == mysql.MYSQL_TYPE_TIMESTAMP2 {
		c.DefaultMoment = at.UnixMicro()
	}
	return c
}

// TestDefaultsNotUnderstood: an error, rather than another value. Updates do not need the default.
func TestDefaultsNotUnderstood(t *testing.T) {
	for _, c := range []catalog.ColumnDef{
		{Type: mysql.MYSQL_TYPE_LONG, Default: "TRUE"}, {Type: mysql.MYSQL_TYPE_LONG, Default: "(1 + 1)", Comment: "expression"}, {Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Default: "(uuid() || now())", Comment: "expression"},
		{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Default: "'é'", Collation: 8}, {Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 2, Default: "'long'", Collation: 8},
		{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 20, Default: "'a'", Collation: 35}, {Type: mysql.MYSQL_TYPE_TIMESTAMP2, Default: "'2020-01-01 00:00:00'"}, {Type: mysql.MYSQL_TYPE_TINY, Default: "300"},
		{Type: mysql.MYSQL_TYPE_STRING, Meta: uint16(mysql.MYSQL_TYPE_ENUM)<<8 | 1, EnumValues: []string{"a"}, Default: "'b'"}, {Type: mysql.MYSQL_TYPE_DATE, Default: "20200101"},
		{Type: mysql.MYSQL_TYPE_STRING, Meta: uint16(mysql.MYSQL_TYPE_SET)<<8 | 1, EnumValues: []string{"a"}, Default: "'a,b'"},
		{Type: mysql.MYSQL_TYPE_TIME2, Default: "'1'"}, {Type: mysql.MYSQL_TYPE_BIT, Meta: 1, Default: "b'2'"}, {SQLType: "uuid", Type: mysql.MYSQL_TYPE_STRING, Meta: mysql.StringMeta(16), Collation: 63, Default: "'123e4567-e89b-12d3-a456-426655440000'"},
	} {
		c.Name, c.HasDefault, c.DefaultLiteral = "e", true, c.Comment == ""
		p, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole), table(t, whole, c), 0)
		require.NoError(t, err)
		out, err := p.Insert([]byte("kept"), encode(t, table(t, whole), 1), nil)
		var e *convert.DefaultError
		require.ErrorAs(t, err, &e, "%v: %x", c, out)
		require.EqualValues(t, 1235, e.Number())
		require.Equal(t, "kept", string(out))
	}
}

// TestGeneratedNotSent: which generated columns the caller has to compute, and that nobody takes a NULL for one that cannot be NULL.
func TestGeneratedNotSent(t *testing.T) {
	stored := catalog.ColumnDef{Name: "s", Type: mysql.MYSQL_TYPE_LONG, Generated: "a + 1"}
	virtual := catalog.ColumnDef{Name: "v", Type: mysql.MYSQL_TYPE_LONG, Generated: "a + 2", Virtual: true}
	there := table(t, whole, stored, virtual)
	p, err := convert.Compile(infoOf(event.RowMetadataNoLog, whole, stored, virtual), table(t, whole, stored, virtual, stored, virtual), 0)
	require.NoError(t, err)
	for _, c := range []struct {
		present []byte
		update  bool
		want    []int
	}{
		{nil, false, []int{3, 4}}, {nil, true, []int{3, 4}}, {[]byte{1}, false, []int{1, 2, 3, 4}}, {[]byte{1}, true, []int{2, 3, 4}}, {[]byte{5}, false, []int{1, 3, 4}},
	} {
		var got []int
		for i := range 5 {
			if p.Generated(i, c.present, c.update) {
				got = append(got, i)
			}
		}
		require.Equal(t, c.want, got, "%+v", c)
	}
	out, err := p.Insert(nil, encode(t, there, 1, 2, 3), nil)
	require.NoError(t, err)
	require.Equal(t, []byte{0xf8, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, out)

	notNull, from := stored, stored
	from.Nullable = true
	p, err = convert.Compile(infoOf(event.RowMetadataNoLog, whole, from), table(t, whole, notNull), convert.AllLossy)
	require.NoError(t, err)
	_, err = p.Insert(nil, encode(t, table(t, whole, from), 1, nil), nil)
	var wrong *convert.ValueError
	require.ErrorAs(t, err, &wrong)
}
