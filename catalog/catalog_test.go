package catalog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/row"
)

func intColumn(name string) ColumnDef {
	return ColumnDef{Name: name, SQLType: "int(11)", Type: mysql.MYSQL_TYPE_LONG, Collation: 63}
}

func textColumn(name string) ColumnDef {
	return ColumnDef{Name: name, SQLType: "varchar(200)", Nullable: true, Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 200, Collation: 8}
}

func people(id uint32, name string) *TableDef {
	return &TableDef{ID: id, DB: "Test", Name: name, Columns: []ColumnDef{intColumn("id"), intColumn("k"), textColumn("U")},
		Primary: []IndexPart{{Column: 0}},
		Indexes: []IndexDef{{ID: 1, Name: "u", Unique: true, Parts: []IndexPart{{Column: 2}}}, {ID: 2, Name: "K", Parts: []IndexPart{{Column: 1}}},
			{ID: 3, Name: "words", Kind: "FULLTEXT", Parts: []IndexPart{{Column: 2}}}}, NextIndexID: 4}
}

func compile(t *testing.T, def *TableDef, coll Collations) *Table {
	tbl, err := NewTable(def, coll)
	require.NoError(t, err)
	return tbl
}

func encode(t *testing.T, tbl *Table, vals ...any) []byte {
	img, err := row.Encode(nil, tbl.Columns, vals)
	require.NoError(t, err)
	return img
}

func TestTableLookups(t *testing.T) {
	tbl := compile(t, people(7, "People"), nil)
	require.Equal(t, 1, tbl.IndexByName("k"))
	require.Equal(t, -1, tbl.IndexByName("PRIMARY"))
	require.Equal(t, 2, tbl.ColumnByName("u"))
	require.Equal(t, -1, tbl.AutoIncrement)
	require.False(t, tbl.Keyless())
	require.False(t, tbl.Indexes[2].Stored)
	require.True(t, tbl.HasIndex(2))
	require.True(t, tbl.HasIndex(RowsIndex))
	require.False(t, tbl.HasIndex(3))
	require.False(t, tbl.HasIndex(9))
	require.EqualValues(t, 7, tbl.MapInfo(event.RowMetadataNoLog).TableID)
	require.Len(t, tbl.MapInfo(event.RowMetadataNoLog).Columns, 3)
	require.Same(t, tbl.MapInfo(event.RowMetadataFull), tbl.MapInfo(event.RowMetadataFull))
	key, err := tbl.PrimaryKey(nil, encode(t, tbl, 5, 6, "x"))
	require.NoError(t, err)
	lower, upper := tbl.Span(-1)
	require.True(t, bytes.Compare(lower, key) <= 0 && bytes.Compare(key, upper) < 0)

	for name, bad := range map[string]func(*TableDef){
		"no id":       func(d *TableDef) { d.ID = 0 },
		"bad column":  func(d *TableDef) { d.Primary[0].Column = 9 },
		"bad column2": func(d *TableDef) { d.Indexes[0].Parts[0].Column = -1 },
		"index id":    func(d *TableDef) { d.Indexes[1].ID = 0 },
	} {
		d := people(1, "t")
		bad(d)
		_, err := NewTable(d, nil)
		require.Error(t, err, name)
	}
}

func TestPrefixEnd(t *testing.T) {
	for _, c := range []struct{ in, want []byte }{{nil, nil}, {[]byte{1}, []byte{2}}, {[]byte{1, 0xff}, []byte{2}}, {[]byte{0xff, 0xff}, nil}, {[]byte{0, 0}, []byte{0, 1}}} {
		require.Equal(t, c.want, PrefixEnd(c.in))
	}
}

// model of the engine: what Mutations leaves behind.
type keys map[string]string

func (k keys) emit(key, value []byte) error {
	if value == nil {
		delete(k, string(key))
	} else {
		k[string(key)] = string(value)
	}
	return nil
}

func upper(id uint16) (row.WeightFunc, bool) {
	return func(dst, s []byte) []byte { return append(dst, bytes.ToUpper(s)...) }, false
}

func TestMutations(t *testing.T) {
	tbl := compile(t, people(7, "t"), upper)
	img := func(id, k int, u any) []byte { return encode(t, tbl, id, k, u) }
	for _, c := range []struct {
		name          string
		before, after []byte
		changed       int // keys emitted
	}{
		{"insert", nil, img(1, 2, "x"), 3},
		{"insert null", nil, img(1, 2, nil), 3},
		{"delete", img(1, 2, "x"), nil, 3},
		{"nothing", img(1, 2, "x"), img(1, 2, "x"), 1},
		{"column without index value change", img(1, 2, "x"), img(1, 2, "X"), 1}, // equal under the collation
		{"k", img(1, 2, "x"), img(1, 3, "x"), 3},
		{"u", img(1, 2, "x"), img(1, 2, "y"), 3},
		{"u becomes null", img(1, 2, "x"), img(1, 2, nil), 3},
		{"u was null", img(1, 2, nil), img(1, 2, "x"), 3},
		{"key", img(1, 2, "x"), img(4, 2, "x"), 5}, // the unique entry is overwritten in place
		{"key with null", img(1, 2, nil), img(4, 2, nil), 6},
		{"all", img(1, 2, "x"), img(4, 5, "y"), 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, want := keys{}, keys{}
			if c.before != nil {
				require.NoError(t, tbl.Mutations(nil, c.before, nil, got.emit))
			}
			n := 0
			require.NoError(t, tbl.Mutations(c.before, c.after, nil, func(key, value []byte) error {
				n++
				return got.emit(key, value)
			}))
			require.Equal(t, c.changed, n)
			if c.after != nil {
				require.NoError(t, tbl.Mutations(nil, c.after, nil, want.emit))
			}
			require.Equal(t, want, got)
			checkEntries(t, tbl, got)
			// Again, as recovery would: nothing changes.
			require.NoError(t, tbl.Mutations(c.before, c.after, nil, got.emit))
			require.Equal(t, want, got)
		})
	}
}

// checkEntries follows every index entry to its row.
func checkEntries(t *testing.T, tbl *Table, all keys) {
	for k, v := range all {
		_, index, _, ok := ParsePrefix([]byte(k))
		require.True(t, ok)
		if index == RowsIndex {
			continue
		}
		i := slices.IndexFunc(tbl.Indexes, func(x Index) bool { return x.Def.ID == index })
		rowKey, err := tbl.EntryRowKey(nil, i, []byte(k), []byte(v))
		require.NoError(t, err)
		img, ok := all[string(rowKey)]
		require.True(t, ok, "dangling entry %x", k)
		match, err := tbl.Matches(i, []byte(k), []byte(v), []byte(img), rowKey)
		require.NoError(t, err)
		require.True(t, match)
	}
}

func TestMutationsKeyless(t *testing.T) {
	d := people(7, "t")
	d.Primary = nil
	tbl := compile(t, d, nil)
	a, b := encode(t, tbl, 1, 2, "x"), encode(t, tbl, 1, 3, nil)
	key := tbl.RowIDKey(nil, 1<<40)
	id, err := tbl.RowID(key)
	require.NoError(t, err)
	require.EqualValues(t, 1<<40, id)
	got := keys{}
	require.NoError(t, tbl.Mutations(nil, a, key, got.emit))
	checkEntries(t, tbl, got)
	require.NoError(t, tbl.Mutations(a, b, key, got.emit))
	checkEntries(t, tbl, got)
	require.Len(t, got, 3)
	require.NoError(t, tbl.Mutations(b, nil, key, got.emit))
	require.Empty(t, got)
	require.Error(t, tbl.Mutations(nil, a, nil, got.emit))
	_, err = tbl.RowID(key[:10])
	require.ErrorIs(t, err, ErrCorruptKey)
	_, err = tbl.EntryRowKey(nil, 1, tbl.Prefix(1), nil)
	require.ErrorIs(t, err, ErrCorruptKey)
	_, err = tbl.EntryRowKey(nil, 1, key, nil)
	require.ErrorIs(t, err, ErrCorruptKey)
}

// store is a sorted engine good enough for WriteChange and Load.
type store struct {
	keys map[string][]byte
}

func (s *store) Set(k, v []byte) error { s.keys[string(k)] = bytes.Clone(v); return nil }
func (s *store) Delete(k []byte) error { delete(s.keys, string(k)); return nil }
func (s *store) DeleteRange(lower, upper []byte) error {
	for k := range s.keys {
		if k >= string(lower) && k < string(upper) {
			delete(s.keys, k)
		}
	}
	return nil
}

type storeIter struct {
	s    *store
	keys []string
	at   int
}

func (s *store) iter(lower, upper []byte) *storeIter {
	it := &storeIter{s: s}
	for k := range s.keys {
		if k >= string(lower) && (upper == nil || k < string(upper)) {
			it.keys = append(it.keys, k)
		}
	}
	slices.Sort(it.keys)
	return it
}

func (i *storeIter) First() bool { i.at = 0; return i.Valid() }
func (i *storeIter) Next() bool  { i.at++; return i.Valid() }
func (i *storeIter) Valid() bool { return i.at < len(i.keys) }
func (i *storeIter) SeekGE(k []byte) bool {
	i.at, _ = slices.BinarySearch(i.keys, string(k))
	return i.Valid()
}
func (i *storeIter) Key() []byte   { return []byte(i.keys[i.at]) }
func (i *storeIter) Value() []byte { return i.s.keys[i.keys[i.at]] }
func (i *storeIter) Error() error  { return nil }
func (i *storeIter) Close() error  { return nil }

func dump(t *testing.T, s *Snapshot) string {
	type all struct {
		Next      uint32
		Databases []*DatabaseDef
		Tables    []*TableDef
		Objects   []*ObjectDef
	}
	a := all{Next: s.NextTableID(), Databases: s.Databases()}
	for _, x := range s.AllTables() {
		a.Tables = append(a.Tables, x.Def)
	}
	for _, o := range s.objects {
		a.Objects = append(a.Objects, o)
	}
	slices.SortFunc(a.Objects, func(x, y *ObjectDef) int { return strings.Compare(x.Kind+x.Name, y.Kind+y.Name) })
	b, err := json.Marshal(a)
	require.NoError(t, err)
	return string(b)
}

// A history of changes: the version, what is stored, the merged change, and
// the form in the log must all lead to the same catalog.
func TestChangesOverTime(t *testing.T) {
	renamed := people(1, "renamed")
	noIndex := people(1, "renamed")
	noIndex.Indexes = noIndex.Indexes[:1]
	swapA, swapB := people(1, "b"), people(2, "renamed")
	history := []Change{
		{Databases: []DatabaseDef{{Name: "Test", Collation: "utf8mb4_general_ci"}}},
		{Tables: []*TableDef{people(1, "a")}, NextTableID: 2, Counters: map[uint32]uint64{1: 5}},
		{Tables: []*TableDef{people(2, "b")}},
		{Tables: []*TableDef{renamed}},
		{Tables: []*TableDef{noIndex}},
		{Tables: []*TableDef{swapA, swapB}}, // RENAME TABLE renamed TO b, b TO renamed
		{Objects: []ObjectDef{{Kind: "view", DB: "Test", Name: "V", Body: []byte("SELECT 1")}, {Kind: "trigger", DB: "test", Name: "v"}}},
		{Objects: []ObjectDef{{Kind: "view", DB: "test", Name: "v", Body: []byte("SELECT 2")}}},
		{DropObjects: []ObjectKey{{"view", "TEST", "v"}}},
		{DropTables: []uint32{1}, Tables: []*TableDef{people(9, "b")}}, // TRUNCATE
		{DropTables: []uint32{2}},
		{DropTables: []uint32{2, 77}, DropDatabases: []string{"nowhere"}},
		{NextTableID: 90},
		{DropDatabases: []string{"test"}, DropTables: []uint32{9}, DropObjects: []ObjectKey{{"trigger", "test", "V"}}},
	}
	st := &store{keys: map[string][]byte{}}
	current, merged := Empty(), Change{}
	for i, c := range history {
		for id := uint32(1); id < 10; id++ { // rows and entries of every table there is
			if current.TableByID(id) != nil {
				for ix := range uint32(3) {
					require.NoError(t, st.Set(AppendPrefix(nil, id, ix), []byte("x")))
				}
			}
		}
		payload, err := c.Marshal()
		require.NoError(t, err)
		c, err = ParseChange(payload)
		require.NoError(t, err)
		next, err := current.Apply(c, nil)
		require.NoError(t, err, "change %d", i)
		for range 2 { // applying twice changes nothing
			require.NoError(t, current.WriteChange(st, c))
			again, err := next.Apply(c, nil)
			require.NoError(t, err)
			require.Equal(t, dump(t, next), dump(t, again))
		}
		merged.Merge(c)
		atOnce, err := Empty().Apply(merged, nil)
		require.NoError(t, err, "change %d", i)
		require.Equal(t, dump(t, next), dump(t, atOnce), "change %d", i)
		loaded, err := Load(st.iter(MetaSpan()), nil)
		require.NoError(t, err)
		require.Equal(t, dump(t, next), dump(t, loaded), "change %d", i)
		for k := range st.keys {
			id, _, _, _ := ParsePrefix([]byte(k))
			require.True(t, id == MetaTable || next.TableByID(id) != nil, "change %d left keys of table %d", i, id)
		}
		orphans, err := next.Orphans(st.iter(nil, nil))
		require.NoError(t, err)
		require.Empty(t, orphans)
		require.Greater(t, next.Version(), current.Version())
		current = next
		if i == 5 {
			require.EqualValues(t, 1, current.TableLike("TEST", "B").ID())
			require.EqualValues(t, 2, current.Table("Test", "renamed").ID())
			require.Len(t, current.Tables("Test"), 2)
		}
		if i == 7 {
			require.Equal(t, "SELECT 2", string(current.Object("view", "test", "V").Body))
			require.Len(t, current.Objects("view", "test"), 1)
			require.NotNil(t, current.DatabaseLike("TEST"))
		}
	}
	require.EqualValues(t, 90, current.NextTableID())
	require.Empty(t, current.AllTables())
	require.True(t, (&Change{}).Empty())
	require.False(t, merged.Empty())
	_, err := ParseChange([]byte("{"))
	require.Error(t, err)
}

func TestApplyRefusesTakenNames(t *testing.T) {
	s, err := Empty().Apply(Change{Tables: []*TableDef{people(1, "a")}}, nil)
	require.NoError(t, err)
	_, err = s.Apply(Change{Tables: []*TableDef{people(2, "A")}}, nil)
	require.ErrorIs(t, err, ErrExists)
	require.NotNil(t, s.TableByID(1))
}

// TestNamesAreExact: databases and tables are found by their exact names, and by those with letters of another case only where that is asked for.
func TestNamesAreExact(t *testing.T) {
	s, err := Empty().Apply(Change{
		Databases: []DatabaseDef{{Name: "Shop"}}, Tables: []*TableDef{people(1, "Orders")},
		Objects: []ObjectDef{{Kind: "view", DB: "Shop", Name: "V"}},
	}, nil)
	require.NoError(t, err)
	db := s.TableByID(1).Def.DB
	require.NotNil(t, s.Table(db, "Orders"))
	require.Nil(t, s.Table(db, "orders"))
	require.Nil(t, s.Table(strings.ToUpper(db), "Orders"))
	require.Same(t, s.TableByID(1), s.TableLike(strings.ToUpper(db), "ORDERS"))
	require.Len(t, s.Tables(db), 1)
	require.Empty(t, s.Tables(strings.ToUpper(db)))
	require.NotNil(t, s.Database("Shop"))
	require.Nil(t, s.Database("shop"))
	require.Equal(t, "Shop", s.DatabaseLike("SHOP").Name)
	require.NotNil(t, s.Object("view", "Shop", "v"))
	require.Nil(t, s.Object("view", "shop", "V"))
	require.Empty(t, s.Objects("view", "shop"))
}

func TestOrphans(t *testing.T) {
	s, err := Empty().Apply(Change{Tables: []*TableDef{people(3, "a")}}, nil)
	require.NoError(t, err)
	st := &store{keys: map[string][]byte{}}
	for _, k := range [][2]uint32{{0, 1}, {2, 0}, {2, 5}, {3, 0}, {3, 1}, {3, 3}, {3, 8}, {4, 1}, {^uint32(0), 7}} {
		require.NoError(t, st.Set(append(AppendPrefix(nil, k[0], k[1]), "x"...), nil))
	}
	got, err := s.Orphans(st.iter(nil, nil))
	require.NoError(t, err)
	require.Equal(t, []KeySpace{{2, 0, true}, {3, 3, false}, {3, 8, false}, {4, 1, true}, {^uint32(0), 7, true}}, got)
	for _, k := range got {
		require.NoError(t, st.DeleteRange(func() ([]byte, []byte) {
			lower, upper := k.Span()
			if upper == nil {
				upper = bytes.Repeat([]byte{0xff}, 20)
			}
			return lower, upper
		}()))
	}
	require.Len(t, st.keys, 3)
}

func TestRegistry(t *testing.T) {
	r := NewRegistry(Empty(), nil)
	require.EqualValues(t, 1, r.NewTableID())
	require.EqualValues(t, 2, r.NewTableID())
	s, err := r.Prepare(Change{Tables: []*TableDef{people(8, "a")}})
	require.NoError(t, err)
	require.Nil(t, r.Current().TableByID(8))
	r.Publish(s)
	require.NotNil(t, r.Current().TableByID(8))
	require.EqualValues(t, 9, r.NewTableID())
}
