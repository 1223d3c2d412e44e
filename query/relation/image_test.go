package relation_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/decimal"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

const (
	utf8mb4 = 45
	binary  = mysql.Collation_binary
)

// pair is one value as package assign gives it, and as package row takes it, whose encoding was compared with MariaDB's.
type pair struct {
	own    types.Value
	stored any
}

type kindOfColumn struct {
	def   catalog.ColumnDef
	pairs []pair
}

func whole(n int64) pair                        { return pair{types.Value{Int: n}, n} }
func unsigned(n uint64) pair                    { return pair{types.Value{Int: int64(n)}, n} }
func float(f float64) pair                      { return pair{types.Value{Float: f}, f} }
func text(s string) pair                        { return pair{types.Value{Text: []byte(s)}, s} }
func moment(p temporal.Packed, stored any) pair { return pair{types.Value{Time: p}, stored} }

func dec(t *testing.T, s string) pair {
	d, used, cond := decimal.Parse([]byte(s))
	require.Equal(t, len(s), used)
	require.Zero(t, cond)
	return pair{types.Value{Dec: d}, s}
}

func kindsOfColumns(t *testing.T) []kindOfColumn {
	column := func(sql string, typ byte, meta uint16, collation uint16) catalog.ColumnDef {
		return catalog.ColumnDef{SQLType: sql, Type: typ, Meta: meta, Collation: collation, Nullable: true}
	}
	day := temporal.Parts{Year: 2024, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 58, Micro: 123456}
	long := temporal.Parts{Negative: true, Hour: 838, Minute: 1, Second: 2, Micro: 345000}
	stamp := time.Date(2024, 2, 29, 12, 30, 1, 250_000_000, time.UTC)
	at := row.Date{Year: 2024, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 58, Microsecond: 123456}
	members := column("enum('a','b')", mysql.MYSQL_TYPE_ENUM, 1, utf8mb4)
	members.EnumValues = []string{"a", "b"}
	set := column("set('a','b','c')", mysql.MYSQL_TYPE_SET, 1, utf8mb4)
	set.EnumValues = []string{"a", "b", "c"}
	bigint := column("bigint(20) unsigned", mysql.MYSQL_TYPE_LONGLONG, 0, binary)
	bigint.Unsigned = true
	tiny := column("tinyint(3) unsigned", mysql.MYSQL_TYPE_TINY, 0, binary)
	tiny.Unsigned = true
	return []kindOfColumn{
		{column("tinyint(4)", mysql.MYSQL_TYPE_TINY, 0, binary), []pair{whole(-128), whole(127)}},
		{tiny, []pair{unsigned(0), unsigned(255)}},
		{column("smallint(6)", mysql.MYSQL_TYPE_SHORT, 0, binary), []pair{whole(-32768), whole(1)}},
		{column("mediumint(9)", mysql.MYSQL_TYPE_INT24, 0, binary), []pair{whole(-8388608), whole(8388607)}},
		{column("int(11)", mysql.MYSQL_TYPE_LONG, 0, binary), []pair{whole(math.MinInt32), whole(77)}},
		{column("bigint(20)", mysql.MYSQL_TYPE_LONGLONG, 0, binary), []pair{whole(math.MinInt64), whole(math.MaxInt64)}},
		{bigint, []pair{unsigned(math.MaxUint64), unsigned(1)}},
		{column("float", mysql.MYSQL_TYPE_FLOAT, 4, binary), []pair{float(1.5), float(-math.MaxFloat32)}},
		{column("double", mysql.MYSQL_TYPE_DOUBLE, 8, binary), []pair{float(1e300), float(-0.1)}},
		{column("decimal(20,5)", mysql.MYSQL_TYPE_NEWDECIMAL, 20<<8|5, binary), []pair{dec(t, "-123456789012345.54321"), dec(t, "0.00001")}},
		{column("bit(10)", mysql.MYSQL_TYPE_BIT, 1<<8|2, binary), []pair{unsigned(1023), unsigned(1)}},
		{column("year(4)", mysql.MYSQL_TYPE_YEAR, 0, binary), []pair{whole(2155), whole(0)}},
		{column("date", mysql.MYSQL_TYPE_DATE, 0, binary), []pair{
			moment(day.PackDate().Date(), row.Date{Year: 2024, Month: 2, Day: 29}), moment(0, row.Date{}),
		}},
		{column("datetime(6)", mysql.MYSQL_TYPE_DATETIME2, 6, binary), []pair{moment(day.PackDate(), at), moment(0, row.Date{})}},
		{column("time(3)", mysql.MYSQL_TYPE_TIME2, 3, binary), []pair{
			moment(long.PackTime(), -(838*time.Hour + time.Minute + 2345*time.Millisecond)), moment(0, time.Duration(0)),
		}},
		{column("timestamp(2)", mysql.MYSQL_TYPE_TIMESTAMP2, 2, binary), []pair{
			{types.Value{Int: stamp.UnixMicro()}, stamp}, {types.Value{}, time.Time{}},
		}},
		{column("char(10)", mysql.MYSQL_TYPE_STRING, uint16(mysql.MYSQL_TYPE_STRING)<<8|40, utf8mb4), []pair{text("ab  "), text("")}},
		{column("binary(4)", mysql.MYSQL_TYPE_STRING, uint16(mysql.MYSQL_TYPE_STRING)<<8|4, binary), []pair{text("a\x00\x00\x00"), text("abcd")}},
		{column("varchar(20)", mysql.MYSQL_TYPE_VARCHAR, 80, utf8mb4), []pair{text("käse "), text("")}},
		{column("varchar(200)", mysql.MYSQL_TYPE_VARCHAR, 800, utf8mb4), []pair{text("longer"), text("x")}},
		{column("mediumtext", mysql.MYSQL_TYPE_BLOB, 3, utf8mb4), []pair{text("t"), text("much more text than before")}},
		{column("longblob", mysql.MYSQL_TYPE_BLOB, 4, binary), []pair{text("\x00\xff"), text("")}},
		// With it the number of columns is odd: the bitmap has bits that no column has.
		{column("tinyblob", mysql.MYSQL_TYPE_BLOB, 1, binary), []pair{text("\x01"), text("")}},
		{members, []pair{unsigned(0), unsigned(2)}},
		{set, []pair{unsigned(7), unsigned(0)}},
	}
}

func tableOf(t *testing.T, kinds []kindOfColumn) *relation.Table {
	def := &catalog.TableDef{ID: 1, DB: "d", Name: "t", Engine: "InnoDB"}
	for i, k := range kinds {
		k.def.Name = "c" + string(rune('a'+i))
		def.Columns = append(def.Columns, k.def)
	}
	tbl, err := catalog.NewTable(def, nil)
	require.NoError(t, err)
	return relation.Of(tbl)
}

// TestImages makes images of drawn values, of rows that are new and of rows of which some columns change, and compares them with those of
// package row.
func TestImages(t *testing.T) {
	kinds := kindsOfColumns(t)
	table := tableOf(t, kinds)
	for i := range table.Columns {
		require.Empty(t, table.Columns[i].Unknown, table.Columns[i].Def.SQLType)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(k *kindOfColumn) pair {
		if rng.IntN(4) == 0 {
			return pair{types.Value{Null: true}, nil}
		}
		return k.pairs[rng.IntN(len(k.pairs))]
	}
	reader, image := row.NewReader(table.Layout), relation.NewImage(table)
	for range 2000 {
		stored := make([]any, len(kinds))
		image.Reset()
		for i := range kinds {
			p := draw(&kinds[i])
			stored[i] = p.stored
			require.NoError(t, image.Set(i, p.own))
		}
		before, err := image.Append(nil, nil)
		require.NoError(t, err)
		want, err := row.Encode(nil, table.Layout.Columns(), stored)
		require.NoError(t, err)
		require.Equal(t, want, before)

		image.Reset()
		share := 1 + rng.IntN(len(kinds))
		for i := range kinds {
			if rng.IntN(share) == 0 {
				p := draw(&kinds[i])
				stored[i] = p.stored
				require.NoError(t, image.Set(i, p.own))
			}
		}
		reader.Set(before)
		reader.Value(rng.IntN(len(kinds))) // what was read before makes no difference
		after, err := image.Append([]byte("kept"), reader)
		require.NoError(t, err)
		want, err = row.Encode([]byte("kept"), table.Layout.Columns(), stored)
		require.NoError(t, err)
		require.Equal(t, want, after)
	}
}

// TestValuesThatDoNotFit says that what a column cannot hold is an error, and leaves the image as it was.
func TestValuesThatDoNotFit(t *testing.T) {
	kinds := kindsOfColumns(t)
	table := tableOf(t, kinds)
	negative := dec(t, "-1")
	big := dec(t, "1234567890123456")
	for _, c := range []struct {
		sql string
		v   types.Value
		err error
	}{
		{"tinyint(4)", types.Value{Int: 128}, row.ErrRange},
		{"tinyint(3) unsigned", types.Value{Int: -1}, row.ErrRange},
		{"mediumint(9)", types.Value{Int: -8388609}, row.ErrRange},
		{"float", types.Value{Float: 1e39}, row.ErrRange},
		{"double", types.Value{Float: math.NaN()}, row.ErrRange},
		{"decimal(20,5)", big.own, row.ErrRange},
		{"bit(10)", types.Value{Int: 1024}, row.ErrRange},
		{"year(4)", types.Value{Int: 1900}, row.ErrRange},
		{"binary(4)", types.Value{Text: []byte("abcde")}, row.ErrTooLong},
		{"set('a','b','c')", types.Value{Int: 256}, row.ErrRange},
	} {
		at := -1
		for i := range kinds {
			if kinds[i].def.SQLType == c.sql {
				at = i
			}
		}
		require.NotEqual(t, -1, at, c.sql)
		image := relation.NewImage(table)
		require.ErrorIs(t, image.Set(at, c.v), c.err, c.sql)
		_, err := image.Append(nil, nil)
		require.ErrorContains(t, err, "no value for column")
	}
	def := catalog.ColumnDef{SQLType: "decimal(5,0) unsigned", Type: mysql.MYSQL_TYPE_NEWDECIMAL, Meta: 5 << 8, Unsigned: true}
	image := relation.NewImage(tableOf(t, []kindOfColumn{{def: def}}))
	require.ErrorIs(t, image.Set(0, negative.own), row.ErrRange)
}

// TestImagesCutOff says that an image that ends too early is an error, wherever it ends.
func TestImagesCutOff(t *testing.T) {
	kinds := kindsOfColumns(t)
	table := tableOf(t, kinds)
	stored := make([]any, len(kinds))
	for i := range kinds {
		stored[i] = kinds[i].pairs[0].stored
	}
	whole, err := row.Encode(nil, table.Layout.Columns(), stored)
	require.NoError(t, err)
	reader, image := row.NewReader(table.Layout), relation.NewImage(table)
	require.NoError(t, image.Set(0, kinds[0].pairs[1].own))
	for n := range whole {
		reader.Set(whole[:n])
		out, err := image.Append([]byte("kept"), reader)
		require.ErrorIs(t, err, row.ErrCorrupt)
		require.Equal(t, "kept", string(out))
	}
}
