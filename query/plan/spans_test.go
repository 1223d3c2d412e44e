package plan

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
	"github.com/duramendb/duramen/row"
)

// drawn is a value as package row takes it, and a literal of it.
type drawn struct {
	stored  any
	literal string
}

// indexed is a type of the column x of the property test.
type indexed struct {
	def  catalog.ColumnDef
	draw func(t *rapid.T) drawn
}

func indexedKinds() map[string]indexed {
	column := func(sql string, typ byte, meta uint16, coll string) catalog.ColumnDef {
		c, _ := charset.ByName(coll)
		return catalog.ColumnDef{Name: "x", SQLType: sql, Type: typ, Meta: meta, Collation: c.ID(), Nullable: true}
	}
	number := func(t *rapid.T) int64 { return rapid.Int64Range(-12, 12).Draw(t, "number") }
	integer := func(t *rapid.T) drawn { n := number(t); return drawn{n, fmt.Sprint(n)} }
	float := func(t *rapid.T) drawn { f := float64(number(t)) / 4; return drawn{f, fmt.Sprintf("%ge0", f)} }
	text := func(alphabet string) func(*rapid.T) drawn {
		return func(t *rapid.T) drawn {
			s := rapid.StringOfN(rapid.SampledFrom([]rune(alphabet)), 0, 3, -1).Draw(t, "text")
			return drawn{s, "'" + s + "'"}
		}
	}
	unsigned := column("bigint(20) unsigned", mysql.MYSQL_TYPE_LONGLONG, 0, "binary")
	unsigned.Unsigned = true
	return map[string]indexed{
		"tinyint": {column("tinyint(4)", mysql.MYSQL_TYPE_TINY, 0, "binary"), integer},
		"bigint":  {column("bigint(20)", mysql.MYSQL_TYPE_LONGLONG, 0, "binary"), integer},
		"unsigned": {unsigned, func(t *rapid.T) drawn {
			n := rapid.SampledFrom([]uint64{0, 1, 2, 5, 10, 1<<63 - 1, 1 << 63, 1<<64 - 1}).Draw(t, "number")
			return drawn{n, fmt.Sprint(n)}
		}},
		"decimal": {column("decimal(10,2)", mysql.MYSQL_TYPE_NEWDECIMAL, 10<<8|2, "binary"), func(t *rapid.T) drawn {
			s := fmt.Sprintf("%.2f", float64(number(t))/4)
			return drawn{s, s}
		}},
		"year": {column("year(4)", mysql.MYSQL_TYPE_YEAR, 4, "binary"), func(t *rapid.T) drawn {
			n := rapid.SampledFrom([]int64{0, 1901, 1970, 1999, 2000, 2001, 2020, 2155}).Draw(t, "year")
			return drawn{n, fmt.Sprint(n)}
		}},
		"float":     {column("float", mysql.MYSQL_TYPE_FLOAT, 4, "binary"), float},
		"fixed":     {column("float(7,1)", mysql.MYSQL_TYPE_FLOAT, 4, "binary"), float},
		"double":    {column("double", mysql.MYSQL_TYPE_DOUBLE, 8, "binary"), float},
		"general":   {column("varchar(20)", mysql.MYSQL_TYPE_VARCHAR, 80, "utf8mb4_general_ci"), text("aAäbB ßs\t1😀")},
		"unicode":   {column("varchar(20)", mysql.MYSQL_TYPE_VARCHAR, 80, "utf8mb4_unicode_ci"), text("aAäbB ßs\t1😀")},
		"bin":       {column("varchar(20)", mysql.MYSQL_TYPE_VARCHAR, 80, "utf8mb4_bin"), text("aAäbB \t1😀")},
		"latin1":    {column("varchar(20)", mysql.MYSQL_TYPE_VARCHAR, 20, "latin1_swedish_ci"), text("aAbB \t1")},
		"varbinary": {column("varbinary(20)", mysql.MYSQL_TYPE_VARCHAR, 20, "binary"), text("aAbB \t1")},
		"date":      {column("date", mysql.MYSQL_TYPE_DATE, 0, "binary"), func(t *rapid.T) drawn { return aDate(t, "date") }},
		"datetime":  {column("datetime(1)", mysql.MYSQL_TYPE_DATETIME2, 1, "binary"), func(t *rapid.T) drawn { return aDate(t, "datetime") }},
		"timestamp": {column("timestamp(1)", mysql.MYSQL_TYPE_TIMESTAMP2, 1, "binary"), aStamp},
		"time": {column("time(1)", mysql.MYSQL_TYPE_TIME2, 1, "binary"), func(t *rapid.T) drawn {
			d := time.Duration(number(t)) * 100 * time.Millisecond
			sign := ""
			if d < 0 {
				sign = "-"
			}
			return drawn{d, fmt.Sprintf("'%s00:00:0%.1f'", sign, d.Abs().Seconds())}
		}},
	}
}

// aDate is a date, or a date and time, close to others.
func aDate(t *rapid.T, kind string) drawn {
	d := row.Date{
		Year: rapid.SampledFrom([]int{0, 1000, 1970, 2020, 2024, 9999}).Draw(t, "year"), Month: rapid.SampledFrom([]int{0, 1, 2, 12}).Draw(t, "month"),
		Day: rapid.SampledFrom([]int{0, 1, 28}).Draw(t, "day"),
	}
	if kind == "date" {
		return drawn{d, fmt.Sprintf("'%04d-%02d-%02d'", d.Year, d.Month, d.Day)}
	}
	d.Hour, d.Second = rapid.SampledFrom([]int{0, 12, 23}).Draw(t, "hour"), rapid.IntRange(0, 2).Draw(t, "second")
	d.Microsecond = 100_000 * rapid.IntRange(0, 2).Draw(t, "fraction")
	return drawn{d, fmt.Sprintf("'%04d-%02d-%02d %02d:00:%02d.%d'", d.Year, d.Month, d.Day, d.Hour, d.Second, d.Microsecond/100_000)}
}

// aStamp is a moment near those at which Berlin's clocks are set; its literal is its time in Berlin.
func aStamp(t *rapid.T) drawn {
	turn := rapid.SampledFrom([]int64{1729990800, 1711846800, 86400}).Draw(t, "turn")
	at := time.Unix(turn+int64(900*rapid.IntRange(-12, 12).Draw(t, "quarters")), 0).UTC()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("there are no zones here")
	}
	return drawn{at, at.In(loc).Format("'2006-01-02 15:04:05.0'")}
}

// others are constants of other types than the column's.
var others = []string{
	"NULL", "0", "-3", "5", "2.5", "2.25", "-0.1", "1e0", "1e30", "99999999999999999999", "'2'", "'2.5'", "'a'", "'A '", "''", "'-3'",
	"x'61'", "0x61", "b'101'", "TRUE", "2020", "20", "'2020'",
	"DATE'2020-01-01'", "TIMESTAMP'2024-10-27 02:30:00'", "TIMESTAMP'2020-01-01 12:00:00.1'", "TIME'00:00:01'", "'2020-01-01'", "20200101",
	"'2020-1-1'", "'junk'", "_latin1'a'",
	"'a' COLLATE utf8mb4_bin", "'a' COLLATE utf8mb4_unicode_ci", "'00:00:00.15'", "'2024-03-31 02:30:00'", "'2024-10-27 02:30:00'",
	"'2020-01-01 12:00:00.15'",
}

// What a statement reads has every row in it for which its conditions hold.
func TestSpansHaveAllRows(t *testing.T) {
	for name, k := range indexedKinds() {
		t.Run(name, func(t *testing.T) {
			held := 0
			tables := []*relation.Table{indexedTable(t, k.def, false), indexedTable(t, k.def, true)}
			rapid.Check(t, func(rt *rapid.T) {
				table := rapid.SampledFrom(tables).Draw(rt, "table")
				value := k.draw(rt)
				if rapid.IntRange(0, 9).Draw(rt, "null") == 0 && table.Keyless() {
					value = drawn{nil, "NULL"}
				}
				condition := aCondition(rt, k, value)
				zone := rapid.SampledFrom([]string{"+00:00", "Europe/Berlin"}).Draw(rt, "zone")
				if holdsInSpans(rt, table, value, condition, zone) {
					held++
				}
			})
			require.Positive(t, held, "no condition held")
		})
	}
}

func indexedTable(t *testing.T, x catalog.ColumnDef, primary bool) *relation.Table {
	t.Helper()
	id := catalog.ColumnDef{Name: "id", SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: mysql.Collation_binary}
	def := &catalog.TableDef{ID: 7, DB: "d", Name: "t", Engine: "InnoDB", NextIndexID: 3}
	if primary {
		x.Nullable = false
		def.Primary = []catalog.IndexPart{{Column: 1}, {Column: 0}}
	} else {
		def.Indexes = []catalog.IndexDef{{ID: 2, Name: "k", Parts: []catalog.IndexPart{{Column: 1}, {Column: 0}}}}
	}
	def.Columns = []catalog.ColumnDef{id, x}
	tbl, err := catalog.NewTable(def, func(id uint16) (row.WeightFunc, bool) { return collation.Lookup(id) })
	require.NoError(t, err)
	return relation.Of(tbl)
}

// aCondition is one on x, or two, in which value is a constant more often than others.
func aCondition(t *rapid.T, k indexed, value drawn) string {
	constant := func() string {
		switch rapid.IntRange(0, 4).Draw(t, "constant") {
		case 0:
			return rapid.SampledFrom(others).Draw(t, "other")
		case 1, 2:
			return k.draw(t).literal
		}
		return value.literal
	}
	one := func() string {
		op := rapid.SampledFrom([]string{"=", "<", "<=", ">", ">=", "<=>"}).Draw(t, "operator")
		switch rapid.IntRange(0, 5).Draw(t, "form") {
		case 0:
			return "x BETWEEN " + constant() + " AND " + constant()
		case 1:
			return "x IN (" + constant() + "," + constant() + "," + constant() + ")"
		case 2:
			return constant() + op + "x"
		case 3:
			return rapid.SampledFrom([]string{"x IS NULL", "x IS NOT NULL"}).Draw(t, "is")
		}
		return "x" + op + constant()
	}
	condition := one()
	if rapid.Bool().Draw(t, "two") {
		condition += " AND " + one()
	}
	if rapid.IntRange(0, 3).Draw(t, "with id") == 0 {
		condition += " AND id=1"
	}
	return condition
}

// environment is that of a session of utf8mb4.
func environment() *types.Env {
	env := &types.Env{Mode: types.ModeNamed("STRICT_TRANS_TABLES"), Names: "en_US", ConcatMax: 1 << 20, Utf8mb3: true}
	env.Connection, _ = charset.ByName("utf8mb4_general_ci")
	env.Client, env.Results = env.Connection.Set(), env.Connection.Set()
	env.Server, env.Database = env.Connection, env.Connection
	return env
}

// holdsInSpans compiles SELECT id FROM t WHERE condition, and looks for the row with the value, if the condition holds for it.
func holdsInSpans(t *rapid.T, table *relation.Table, value drawn, condition, zoneName string) bool {
	env := environment()
	zone, err := temporal.ParseZone(zoneName)
	if err != nil {
		t.Skip("the zone is not known here")
	}
	f := &eval.Frame{
		Env: env, Diag: &types.Diagnostics{Most: 64}, MaxPacket: 1 << 24, Started: 1_700_000_000_000_000, Zone: zone, Names: temporal.English,
		Random: rand.New(rand.NewPCG(1, 2)),
	}
	text := "SELECT id FROM t WHERE " + condition
	st, _, err := grammar.Parse(text, grammar.Options{})
	require.NoError(t, err, text)
	b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: f}}
	p, err := CompileSelect(b, st.(*tree.Select), &Source{Table: table, Alias: "t"}, text)
	if err != nil {
		return false // what is not comparable
	}
	image, err := row.Encode(nil, table.Layout.Columns(), []any{int64(1), value.stored})
	require.NoError(t, err)
	reader := row.NewReader(table.Layout)
	reader.Set(image)
	f.Rows = []*row.Reader{reader}
	for _, holds := range append(p.Once, p.Where...) {
		if !holds(f) || f.Diag.Failed() != nil {
			return false
		}
	}
	key := keyOf(t, table, p.Access.Index, image)
	require.True(t, reaches(&p.Access, key), "%s with x=%v, zone %s: key %x, row %x, spans %x", text, value.stored, zoneName, key, p.Access.Row, p.Access.Spans)
	return true
}

// keyOf is the key by which an index finds a row.
func keyOf(t *rapid.T, table *relation.Table, index int, image []byte) []byte {
	var rowKey []byte
	var err error
	if table.Keyless() {
		rowKey = table.RowIDKey(nil, 9)
	} else {
		rowKey, err = table.PrimaryKey(nil, image)
		require.NoError(t, err)
	}
	if index < 0 {
		return rowKey
	}
	entry, err := table.Entry(index, image, rowKey)
	require.NoError(t, err)
	return entry.Key
}
