package plan

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/relation"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/row"
)

// integersTable has the primary key (a, b), and the index (c, a).
func integersTable(t *testing.T, id uint32) *relation.Table {
	t.Helper()
	def := &catalog.TableDef{ID: id, DB: "d", Name: "t", Engine: "InnoDB", NextIndexID: 3, Primary: []catalog.IndexPart{{Column: 0}, {Column: 1}}}
	def.Indexes = []catalog.IndexDef{{ID: 2, Name: "k", Parts: []catalog.IndexPart{{Column: 2}, {Column: 0}}}}
	def.Columns = []catalog.ColumnDef{
		{Name: "a", SQLType: "bigint(20)", Type: mysql.MYSQL_TYPE_LONGLONG, Collation: mysql.Collation_binary},
		{Name: "b", SQLType: "bigint(20) unsigned", Type: mysql.MYSQL_TYPE_LONGLONG, Unsigned: true, Collation: mysql.Collation_binary},
		{Name: "c", SQLType: "tinyint(4)", Type: mysql.MYSQL_TYPE_TINY, Nullable: true, Collation: mysql.Collation_binary},
	}
	tbl, err := catalog.NewTable(def, func(uint16) (row.WeightFunc, bool) { return nil, false })
	require.NoError(t, err)
	return relation.Of(tbl)
}

// given is a parameter: an integer, or NULL.
type given struct {
	value    int64
	unsigned bool
	null     bool
}

var someIntegers = []int64{math.MinInt64, math.MinInt64 + 1, -129, -128, -2, -1, 0, 1, 2, 126, 127, 128, 255, 256, math.MaxInt64 - 1, math.MaxInt64}

func drawGiven(t *rapid.T) given {
	return given{rapid.SampledFrom(someIntegers).Draw(t, "value"), rapid.IntRange(0, 3).Draw(t, "unsigned") == 0, rapid.IntRange(0, 15).Draw(t, "null") == 0}
}

func frameOf(env *types.Env, params []given) (*eval.Frame, []types.Type) {
	f := &eval.Frame{Env: env, Diag: &types.Diagnostics{Most: 64}, MaxPacket: 1 << 24}
	var kinds []types.Type
	for _, p := range params {
		kind := types.BigintType(20, p.unsigned).OrNull()
		f.Params, kinds = append(f.Params, types.Value{Int: p.value, Null: p.null}), append(kinds, kind)
	}
	return f, kinds
}

// TestKeysAgain: whatever the integers are, the rows that keys made anew lead to, and for which the conditions that are left hold, are those for which
// all conditions hold; and they lead to no others than a plan for these integers does.
func TestKeysAgain(t *testing.T) {
	table := integersTable(t, 7)
	env := environment()
	made, left, found := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var conditions []string
		for range rapid.IntRange(1, 4).Draw(rt, "conditions") {
			column := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "column")
			conditions = append(conditions, rapid.SampledFrom([]string{
				"x = ?", "x = ?", "? = x", "x BETWEEN ? AND ?", "x < ?", "x <= ?", "? < x", "x >= ?", "x <> ?", "x <=> ?", "x IN (?, ?)", "x IS NOT NULL", "x + 1 = ?",
			}).Draw(rt, "condition"))
			last := &conditions[len(conditions)-1]
			*last = strings.ReplaceAll(*last, "x", column)
		}
		text := "SELECT c FROM t WHERE " + strings.Join(conditions, " AND ")
		var before []given
		for range strings.Count(text, "?") {
			before = append(before, drawGiven(rt))
		}
		compile := func(params []given) (*Select, *eval.Frame) {
			f, kinds := frameOf(env, params)
			st, _, err := grammar.Parse(text, grammar.Options{})
			require.NoError(rt, err, text)
			b := &bind.Binder{Builder: eval.Builder{Env: env, Scratch: f}, Params: kinds}
			p, err := CompileSelect(b, st.(*tree.Select), &Source{Table: table, Alias: "t"}, text)
			require.NoError(rt, err, text)
			return p, f
		}
		kept, _ := compile(before)
		if kept.choice.keys == nil {
			return
		}
		for range 10 {
			now := slices.Clone(before)
			for i := range now {
				now[i].value, now[i].null = rapid.SampledFrom(someIntegers).Draw(rt, "value"), rapid.IntRange(0, 15).Draw(rt, "null") == 0
			}
			fresh, f := compile(now)
			var again Select
			if !kept.Again(f, &again) || len(again.Where) == len(kept.Where) {
				continue
			}
			made++
			left += len(again.Where)
			require.Equal(rt, fresh.Access.Index, again.Access.Index, text)
			require.Equal(rt, fresh.Access.Row, again.Access.Row, text)
			if fresh.Access.Row == nil {
				require.ElementsMatch(rt, fresh.Access.Spans, again.Access.Spans, text)
			}
			for range 30 {
				values := []any{rapid.SampledFrom(someIntegers).Draw(rt, "a"), uint64(rapid.SampledFrom(someIntegers).Draw(rt, "b")), nil}
				if n := rapid.SampledFrom(someIntegers).Draw(rt, "c"); n >= math.MinInt8 && n <= math.MaxInt8 {
					values[2] = n
				}
				image, err := row.Encode(nil, table.Layout.Columns(), values)
				require.NoError(rt, err)
				reader := row.NewReader(table.Layout)
				reader.Set(image)
				f.Rows = []*row.Reader{reader}
				want := allHold(f, append(fresh.Once, fresh.Where...))
				got := reaches(&again.Access, keyOf(rt, table, again.Access.Index, image)) && allHold(f, append(again.Once, again.Where...))
				require.Equal(rt, want, got, "%s with %v: %v", text, now, values)
				if want {
					found++
				}
			}
		}
	})
	require.Positive(t, made)
	require.Positive(t, left)
	require.Positive(t, found)
}

func allHold(f *eval.Frame, conditions []Condition) bool {
	for _, holds := range conditions {
		if !holds(f) {
			return false
		}
	}
	return true
}

// reaches reports whether an access comes to a key.
func reaches(a *Access, key []byte) bool {
	if a.Row != nil {
		return bytes.Equal(a.Row, key)
	}
	for _, s := range a.Spans {
		if bytes.Compare(s.Lower, key) <= 0 && (s.Upper == nil || bytes.Compare(key, s.Upper) < 0) {
			return true
		}
	}
	return false
}
