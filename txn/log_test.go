package txn

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
)

func TestEventsOfOneStatement(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	second := accounts()
	second.Name = "second"
	tbl2 := h.create(second)
	h.load(tbl, acc(1, 1, nil), acc(2, 2, nil))
	a := h.m.Begin(Options{ServerID: 3})
	a.BeginStatement("UPDATE both", true)
	h.update(a, tbl, 1, acc(1, 10, nil)...)
	h.update(a, tbl, 2, acc(3, 20, nil)...)
	a.Savepoint("inside")
	h.insert(a, tbl2, acc(5, 5, nil)...) // its table map goes before the rows
	h.update(a, tbl, 3, acc(3, 30, nil)...)
	require.NoError(t, a.RollbackTo("inside"))
	h.insert(a, tbl2, acc(6, 6, nil)...)
	h.insert(a, tbl2, acc(7, 7, nil)...)
	h.delete(a, tbl, 1)
	a.EndStatement()
	a.BeginStatement("SELECT 1", true)
	a.EndStatement()
	a.BeginStatement("DELETE", false)
	h.delete(a, tbl, 3)
	a.EndStatement()
	h.commit(a)
	r := h.p.last()
	require.Equal(t, []string{"Annotate_rows UPDATE both", "Table_map", "Table_map", "Update_rows_v1 1>1,2>3",
		"Write_rows_v1 6,7", "Delete_rows_v1 1 end", "Table_map", "Delete_rows_v1 3 end", "Xid"}, describe(t, tbl, r.Events))
	head, err := event.ParseHeader(r.Events)
	require.NoError(t, err)
	require.Equal(t, uint32(3), head.ServerID)
	require.Equal(t, r.Timestamp, head.Timestamp)
	require.NotZero(t, r.Timestamp)
}

// A savepoint inside a statement that has ended since.
func TestRollbackIntoEndedStatement(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	for _, more := range []bool{false, true} {
		a := h.begin(Options{})
		h.insert(a, tbl, acc(1, 1, nil)...)
		a.Savepoint("s")
		if more {
			h.insert(a, tbl, acc(2, 2, nil)...)
		}
		a.EndStatement()
		a.BeginStatement("", false)
		require.NoError(t, a.RollbackTo("s"))
		h.insert(a, tbl, acc(3, 3, nil)...)
		h.commit(a)
		require.Equal(t, []string{"Table_map", "Write_rows_v1 1 end", "Table_map", "Write_rows_v1 3 end", "Xid"}, describe(t, tbl, h.p.last().Events))
		require.Equal(t, rows(acc(1, 1, nil), acc(3, 3, nil)), h.table(tbl))
		b := h.begin(Options{})
		h.delete(b, tbl, 1)
		h.delete(b, tbl, 3)
		h.commit(b)
	}
}

func TestRowsEventsAreSplit(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	a := h.begin(Options{})
	for i := range 100 {
		h.insert(a, tbl, acc(i, i, strings.Repeat("x", 190)+string(rune('0'+i%10))+string(rune('0'+i/10)))...)
	}
	h.commit(a)
	got := describe(t, tbl, h.p.last().Events)
	require.Len(t, got, 5)
	for i, ev := range got[1:4] {
		require.True(t, strings.HasPrefix(ev, "Write_rows_v1 "), ev)
		require.Equal(t, i == 2, strings.HasSuffix(ev, " end"), ev)
	}
	for rest := h.p.last().Events; len(rest) > 0; {
		var ev []byte
		var err error
		ev, rest, err = event.Next(rest)
		require.NoError(t, err)
		require.LessOrEqual(t, len(ev), 8192+64)
	}
	require.Len(t, h.table(tbl), 100)
}

func TestRowImages(t *testing.T) {
	blob := catalog.ColumnDef{Name: "b", SQLType: "blob", Nullable: true, Type: mysql.MYSQL_TYPE_BLOB, Meta: 2, Collation: 63}
	type images struct{ before, after string } // bitmaps, first column first; "" for all
	for _, c := range []struct {
		name                   string
		mode                   RowImage
		keyless                bool
		insert, update, delete images
	}{
		{name: "full", mode: ImageFull},
		{name: "minimal", mode: ImageMinimal, insert: images{"1111", ""}, update: images{"1000", "0100"}, delete: images{"1000", ""}},
		{name: "minimal without key", mode: ImageMinimal, keyless: true, insert: images{"1111", ""}, update: images{"1111", "0100"}, delete: images{"1111", ""}},
		{name: "noblob", mode: ImageNoBlob, insert: images{"1111", ""}, update: images{"1110", "1110"}, delete: images{"1110", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			def := accounts()
			def.Columns = append(def.Columns, blob)
			if c.keyless {
				def.Primary = nil
			}
			tbl := h.create(def)
			a := h.begin(Options{RowImage: c.mode})
			h.insert(a, tbl, i64(1), i64(1), "x", []byte("blob"))
			cur, err := a.Scan(ctx, ScanSpec{Table: tbl, Index: -1, Mode: LockExclusive})
			require.NoError(t, err)
			require.True(t, cur.Next())
			after := image(t, tbl, i64(1), i64(2), "x", []byte("blob"))
			require.NoError(t, a.Update(ctx, tbl, cur.RowKey(), cur.Image(), after))
			require.NoError(t, a.Delete(ctx, tbl, cur.RowKey(), nil))
			require.NoError(t, cur.Close())
			h.commit(a)
			var got []images
			for rest := h.p.last().Events; len(rest) > 0; {
				var ev []byte
				ev, rest, err = event.Next(rest)
				require.NoError(t, err)
				d, err := event.Decode(ev)
				require.NoError(t, err)
				if b, ok := d.Body.(*event.RowsInfo); ok {
					got = append(got, images{bits(b.BitmapBefore), bits(b.BitmapAfter)})
				}
			}
			want := []images{c.insert, c.update, c.delete}
			if c.mode == ImageFull {
				want = []images{{"1111", ""}, {"1111", "1111"}, {"1111", ""}}
			}
			require.Equal(t, want, got)
			require.Empty(t, h.table(tbl))
		})
	}
}

func bits(b []byte) string {
	if b == nil {
		return ""
	}
	var s strings.Builder
	for i := range 4 {
		s.WriteByte('0' + b[0]>>i&1)
	}
	return s.String()
}

func TestDDLEvents(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	require.Equal(t, []string{"catalog", "Query"}, describe(t, tbl, h.p.last().Events))

	a := h.m.Begin(Options{}) // CREATE TABLE ... SELECT
	def := accounts()
	def.ID, def.Name = a.NewTableID(), "copy"
	require.NoError(t, a.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{def}}))
	a.SetDDL(event.Query{SQL: "CREATE TABLE copy"})
	a.BeginStatement("", false)
	own := a.Catalog().Table("test", "copy")
	require.NotNil(t, own)
	require.Nil(t, h.reg.Current().Table("test", "copy"))
	h.insert(a, own, acc(1, 1, "a")...)
	require.Equal(t, rows(acc(1, 1, "a")), h.scan(a, own, byU, Snapshot))
	h.commit(a)
	require.Equal(t, []string{"catalog", "Query", "Table_map", "Write_rows_v1 1 end", "Xid"}, describe(t, tbl, h.p.last().Events))
	require.Equal(t, event.FLDDL|event.FLTransactional, h.p.last().Flags)

	b := h.m.Begin(Options{}) // a statement without effect here
	b.SetDDL(event.Query{SQL: "CREATE TABLE IF NOT EXISTS copy"})
	require.True(t, b.Changed())
	h.commit(b)
	require.Equal(t, []string{"Query"}, describe(t, tbl, h.p.last().Events))

	c := h.m.Begin(Options{})
	require.NoError(t, c.ChangeCatalog(catalog.Change{Objects: []catalog.ObjectDef{{Kind: "privileges", Name: "mysql"}}}))
	h.commit(c)
	require.True(t, h.p.last().LocalOnly)
	require.NotNil(t, h.reg.Current().Object("privileges", "", "MYSQL"))
}

func TestDropTable(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	h.load(tbl, acc(1, 1, "a"), acc(2, 2, "b"))
	a := h.m.Begin(Options{})
	require.NoError(t, a.ChangeCatalog(catalog.Change{DropTables: []uint32{tbl.ID()}}))
	a.SetDDL(event.Query{SQL: "DROP TABLE accounts"})
	require.Nil(t, a.Catalog().Table("test", "accounts"))
	require.NotNil(t, h.reg.Current().Table("test", "accounts"))
	h.commit(a)
	require.Nil(t, h.reg.Current().Table("test", "accounts"))
	it, err := h.eng.NewIter(catalog.TableSpan(tbl.ID()))
	require.NoError(t, err)
	require.False(t, it.First())
	require.NoError(t, it.Close())
	again := h.create(accounts())
	require.Greater(t, again.ID(), tbl.ID())
	h.restart()
	require.Greater(t, h.reg.NewTableID(), again.ID())
	require.Empty(t, h.table(h.reg.Current().Table("test", "accounts")))
}

func TestAutoIncrement(t *testing.T) {
	h := newHarness(t)
	def := accounts()
	def.Columns[0].AutoIncrement = true
	def.AutoIncrement = 100
	tbl := h.create(def)
	next := func(x *Txn, count, inc, off uint64) uint64 {
		v, err := x.NextAutoIncrement(tbl, count, inc, off)
		require.NoError(t, err)
		return v
	}
	peek := func() uint64 {
		x := h.m.Begin(Options{})
		defer x.Rollback()
		v, err := x.PeekAutoIncrement(tbl)
		require.NoError(t, err)
		return v
	}
	a := h.begin(Options{})
	require.EqualValues(t, 100, next(a, 3, 1, 1))
	require.EqualValues(t, 103, next(a, 1, 0, 0))
	require.EqualValues(t, 105, next(a, 2, 10, 5)) // 105, 115
	require.EqualValues(t, 125, peek(), "as InnoDB: the next of this sequence")
	require.EqualValues(t, 125, next(a, 1, 2, 9), "an offset above the increment")
	a.Rollback()
	require.EqualValues(t, 126, peek(), "not given back; the next of the sequence that has no such offset")

	h.load(tbl, acc(200, 0, nil))
	require.EqualValues(t, 201, peek(), "an explicit value raises it")
	b := h.begin(Options{})
	next(b, 9, 1, 1)
	h.insert(b, tbl, acc(5, 0, nil)...)
	h.commit(b)
	require.EqualValues(t, 210, peek())
	h.restart()
	tbl = h.reg.Current().TableByID(tbl.ID())
	require.EqualValues(t, 210, peek(), "survives a restart")

	c := h.begin(Options{})
	require.NoError(t, c.SetAutoIncrement(tbl, 50))
	c.SetDDL(event.Query{SQL: "ALTER TABLE accounts AUTO_INCREMENT=50"})
	h.commit(c)
	require.EqualValues(t, 201, peek(), "never below what is there")
	d := h.begin(Options{})
	require.NoError(t, d.SetAutoIncrement(tbl, 1<<63))
	h.commit(d)
	require.EqualValues(t, uint64(1<<63), peek())
	e := h.begin(Options{})
	_, err := e.NextAutoIncrement(tbl, 1<<63, 1, 1)
	require.ErrorIs(t, err, ErrAutoIncrementExhausted)
	e.Rollback()
}

func TestBulkWriter(t *testing.T) {
	h := newHarness(t)
	tbl := h.create(accounts())
	var all [][]any
	for i := range 3000 {
		all = append(all, acc(i, i%7, strings.Repeat("u", 100)+string(rune('a'+i%26))+string(rune('a'+i/26%26))+string(rune('a'+i/676))))
	}
	h.load(tbl, all...)
	// ALTER TABLE by copy, with k as the primary key: fails.
	copyTo := func(change func(*catalog.TableDef)) (*Txn, *BulkWriter, error) {
		a := h.m.Begin(Options{})
		def := accounts()
		def.ID = a.NewTableID()
		change(def)
		require.NoError(t, a.ChangeCatalog(catalog.Change{DropTables: []uint32{tbl.ID()}, Tables: []*catalog.TableDef{def}}))
		to := a.Catalog().Table("test", "accounts")
		w, err := a.BulkWriter(to, true, []int{byU, byK})
		require.NoError(t, err)
		c, err := a.Scan(ctx, ScanSpec{Table: tbl, Index: -1, Mode: Latest})
		require.NoError(t, err)
		for c.Next() && err == nil {
			err = w.Add(nil, c.Image())
		}
		require.NoError(t, c.Err())
		require.NoError(t, c.Close())
		return a, w, err
	}
	a, _, err := copyTo(func(d *catalog.TableDef) { d.Primary[0].Column = 1 })
	var dup *DuplicateKeyError
	require.ErrorAs(t, err, &dup)
	require.Equal(t, -1, dup.Index)
	require.Equal(t, all[0], values(t, tbl, dup.Existing))
	a.Rollback()
	require.Empty(t, h.orphans())

	a, w, err := copyTo(func(d *catalog.TableDef) { d.Primary = []catalog.IndexPart{{Column: 1}, {Column: 0}} })
	require.NoError(t, err)
	require.NoError(t, w.Finish(ctx))
	require.NotEmpty(t, h.orphans())
	a.SetDDL(event.Query{SQL: "ALTER TABLE"})
	h.commit(a)
	require.Empty(t, h.orphans())
	tbl = h.reg.Current().Table("test", "accounts")
	require.Equal(t, sorted(all), sorted(h.table(tbl)))

	// CREATE UNIQUE INDEX on k fails, CREATE INDEX works.
	for _, unique := range []bool{true, false} {
		b := h.m.Begin(Options{})
		def := *tbl.Def
		def.Indexes = append(append([]catalog.IndexDef(nil), def.Indexes...),
			catalog.IndexDef{ID: def.NextIndexID, Name: "new", Unique: unique, Parts: []catalog.IndexPart{{Column: 1}}})
		def.NextIndexID++
		require.NoError(t, b.ChangeCatalog(catalog.Change{Tables: []*catalog.TableDef{&def}}))
		b.SetDDL(event.Query{SQL: "CREATE INDEX"})
		to := b.Catalog().TableByID(tbl.ID())
		w, err := b.BulkWriter(to, false, []int{2})
		require.NoError(t, err)
		c, err := b.Scan(ctx, ScanSpec{Table: tbl, Index: -1, Mode: Latest})
		require.NoError(t, err)
		for c.Next() && err == nil {
			err = w.Add(c.RowKey(), c.Image())
		}
		require.NoError(t, c.Close())
		if unique {
			require.NoError(t, err)
			err = w.Finish(ctx)
			require.ErrorAs(t, err, &dup)
			require.Equal(t, all[0], values(t, tbl, dup.Existing))
			require.Equal(t, 2, dup.Index)
			b.Rollback()
			continue
		}
		require.NoError(t, err)
		ro := h.m.Begin(Options{ReadOnly: true})
		_, err = ro.BulkWriter(to, true, nil)
		require.ErrorIs(t, err, ErrReadOnly)
		ro.Rollback()
		require.NoError(t, w.Finish(ctx))
		h.commit(b)
	}
	require.Equal(t, sorted(all), sorted(h.table(h.reg.Current().TableByID(tbl.ID()))))
	require.Empty(t, h.orphans())
}

func (h *harness) orphans() []catalog.KeySpace {
	it, err := h.eng.NewIter(nil, nil)
	require.NoError(h, err)
	defer it.Close()
	out, err := h.reg.Current().Orphans(it)
	require.NoError(h, err)
	return out
}
