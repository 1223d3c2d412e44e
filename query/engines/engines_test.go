package engines

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/engine/enginetest"
	"github.com/duramendb/duramen/mysql"
)

func list(t *testing.T, names ...string) *List {
	t.Helper()
	var all []engine.Engine
	for _, name := range names {
		e, err := (&enginetest.MemoryKind{EngineName: name, Disk: &enginetest.Disk{}}).Open(engine.Options{})
		require.NoError(t, err)
		all = append(all, e)
	}
	return Of(all)
}

func TestNames(t *testing.T) {
	l := list(t, "RocksDB", "BTREE", "MEMORY", "Own")
	var names []string
	for _, e := range l.All() {
		names = append(names, e.Name)
		require.Same(t, e, l.Of(e.Name))
	}
	require.Equal(t, []string{"InnoDB", "ROCKSDB", "BTREE", "MEMORY", "Own"}, names)
	require.Same(t, l.Named("InnoDB").Stored, l.Named("lsm").Stored)
	require.Equal(t, "ROCKSDB", l.Named("LSM").Name)
	require.Equal(t, "MEMORY", l.Named("heap").Name)
	require.Nil(t, l.Named("MyISAM"))

	// What others have is known here only if it is there.
	l = list(t, "BTREE")
	require.Nil(t, l.Named("MEMORY"))
	require.Nil(t, l.Named("ROCKSDB"))
	require.Same(t, l.Default().Stored, l.Named("BTREE").Stored)
	_, ok := l.Replaced("TokuDB")
	require.False(t, ok)
}

func TestChoose(t *testing.T) {
	l := list(t, "RocksDB", "BTREE", "MEMORY")
	const unknown, using = "Warning 1286 Unknown storage engine 'nosuch'", "Using storage engine %s for table 't'"
	note := func(e string) string { return "Note 1266 " + fmt.Sprintf(using, e) }
	warning := func(e string) string { return "Warning 1266 " + fmt.Sprintf(using, e) }
	for i, c := range []struct {
		r     Request
		want  string // "" for none
		err   string
		notes []string
	}{
		{r: Request{}, want: "InnoDB"},
		{r: Request{Alters: true}},
		{r: Request{Default: "BTREE"}, want: "BTREE"},
		{r: Request{Default: "BTREE", Alters: true}},
		{r: Request{Name: "innodb", Default: "BTREE"}, want: "InnoDB"},
		{r: Request{Name: "lsm"}, want: "ROCKSDB"},
		{r: Request{Name: "Heap", Alters: true}, want: "MEMORY"},
		{r: Request{Name: "nosuch", Strict: true}, err: "Unknown storage engine 'nosuch'"},
		{r: Request{Name: "nosuch", Strict: true, Alters: true}, err: "Unknown storage engine 'nosuch'"},
		{r: Request{Name: "nosuch", Default: "MEMORY"}, want: "MEMORY", notes: []string{unknown, warning("MEMORY")}},
		{r: Request{Name: "nosuch", Alters: true}, notes: []string{unknown}},
		{r: Request{Name: "MyISAM", Strict: true}, want: "InnoDB", notes: []string{note("InnoDB")}},
		{r: Request{Name: "ARIA", Default: "BTREE"}, want: "BTREE", notes: []string{note("BTREE")}},
		{r: Request{Name: "Archive", Default: "MEMORY", Alters: true}, want: "InnoDB", notes: []string{note("InnoDB")}},
		{r: Request{Name: "TokuDB", Strict: true}, want: "ROCKSDB", notes: []string{note("ROCKSDB")}},
		{r: Request{Enforced: "MEMORY"}, want: "MEMORY", notes: []string{note("MEMORY")}},
		{r: Request{Enforced: "MEMORY", Strict: true}, err: "NO_ENGINE_SUBSTITUTION"},
		{r: Request{Enforced: "MEMORY", Name: "HEAP", Strict: true}, want: "MEMORY"},
		{r: Request{Enforced: "MEMORY", Alters: true, Strict: true}},
		{r: Request{Enforced: "MEMORY", Name: "InnoDB", Alters: true}, want: "MEMORY", notes: []string{note("MEMORY")}},
		{r: Request{Enforced: "MEMORY", Name: "nosuch", Alters: true}, notes: []string{unknown}},
	} {
		c.r.Table = "t"
		var notes []string
		e, err := l.Choose(c.r, func(level string, number uint16, message string) {
			notes = append(notes, fmt.Sprintf("%s %d %s", level, number, message))
		})
		if c.err != "" {
			require.ErrorContains(t, err, c.err, "%d", i)
			continue
		}
		require.NoError(t, err, "%d", i)
		require.Equal(t, c.notes, notes, "%d", i)
		if c.want == "" {
			require.Nil(t, e, "%d", i)
		} else {
			require.Equal(t, c.want, e.Name, "%d", i)
		}
	}
}

func TestLogged(t *testing.T) {
	l := list(t, "RocksDB", "BTREE", "MEMORY", "Own")
	for name, want := range map[string]string{
		"InnoDB": "", "ROCKSDB": "", "rocksdb": "", "MEMORY": "", "HEAP": "", "nosuch": "",
		"BTREE": "InnoDB", "lsm": "InnoDB", "Own": "InnoDB", "MyISAM": "InnoDB", "csv": "InnoDB", "TokuDB": "InnoDB",
	} {
		require.Equal(t, want, l.Logged(name), name)
	}
}

// warned is a context that takes warnings.
type warned struct {
	context.Context
	codes []int
}

func (w *warned) Warn(code int, _ string, _ ...any) { w.codes = append(w.codes, code) }

func TestVariable(t *testing.T) {
	l := list(t, "RocksDB", "MEMORY")
	for _, c := range []struct {
		name        string
		value, want any
		err         string
		codes       []int
	}{
		{name: "default_storage_engine", value: "heap", want: "MEMORY"},
		{name: "storage_engine", value: "INNODB", want: "InnoDB", codes: []int{1287}},
		{name: "default_storage_engine", value: nil, err: "can't be set to the value of 'NULL'"},
		{name: "default_storage_engine", value: "", err: "Unknown storage engine ''"},
		{name: "enforce_storage_engine", value: nil, want: nil},
		{name: "enforce_storage_engine", value: "lsm", want: "ROCKSDB"},
		{name: "default_tmp_storage_engine", value: "nosuch", err: "Unknown storage engine 'nosuch'"},
		{name: "default_storage_engine", value: "MyISAM", want: "InnoDB", codes: []int{1266}},
		{name: "default_tmp_storage_engine", value: "TokuDB", want: "ROCKSDB", codes: []int{1266}},
	} {
		w := &warned{Context: context.Background()}
		v, err := l.Variable(w, c.name, c.value)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, "%s = %v", c.name, c.value)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, v, "%s = %v", c.name, c.value)
		require.Equal(t, c.codes, w.codes, "%s = %v", c.name, c.value)
	}
}

func TestRefuse(t *testing.T) {
	l := list(t, "RocksDB", "MEMORY")
	for _, c := range []struct {
		def catalog.TableDef
		err string
	}{
		{catalog.TableDef{Columns: []catalog.ColumnDef{{Type: mysql.MYSQL_TYPE_LONG}, {Type: mysql.MYSQL_TYPE_VARCHAR}}}, ""},
		{catalog.TableDef{Columns: []catalog.ColumnDef{{Type: mysql.MYSQL_TYPE_BLOB}}}, "Storage engine MEMORY doesn't support BLOB/TEXT columns"},
		{catalog.TableDef{Columns: []catalog.ColumnDef{{Type: mysql.MYSQL_TYPE_GEOMETRY}}}, "doesn't support GEOMETRY"},
		{catalog.TableDef{Columns: []catalog.ColumnDef{{Type: mysql.MYSQL_TYPE_LONG, Generated: "1"}}}, "MEMORY storage engine does not support generated columns"},
		{catalog.TableDef{Indexes: []catalog.IndexDef{{Kind: "FULLTEXT"}}}, "The storage engine MEMORY doesn't support FULLTEXT indexes"},
		{catalog.TableDef{Indexes: []catalog.IndexDef{{Unique: true, Hash: true}}}, "MEMORY storage engine does not support generated columns"},
	} {
		require.NoError(t, l.Default().Refuse(&c.def))
		if err := l.Named("MEMORY").Refuse(&c.def); c.err == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.err)
		}
	}
}
