package main

import (
	"os"
	"strings"
	"testing"
)

func TestRules(t *testing.T) {
	for _, c := range []struct {
		name, path, src string
		want            string // part of the only problem; "" for none
	}{
		{"fine", "row/a.go", "package row\n\nimport \"github.com/duramendb/duramen/mysql\"\n\nvar _ mysql.Charset\n", ""},
		{"upwards", "row/a.go", "package row\n\nimport \"github.com/duramendb/duramen/txn\"\n\nvar _ txn.Txn\n", "must not import txn"},
		{"upwards in a test", "row/a_test.go", "package row\n\nimport \"github.com/duramendb/duramen/txn\"\n\nvar _ txn.Txn\n", ""},
		{"storage and SQL", "txn/a.go", "package txn\n\nimport _ \"github.com/dolthub/go-mysql-server/sql\"\n", "SQL stays above"},
		{"door", "query/dialect/a.go", "package dialect\n\nimport _ \"github.com/dolthub/vitess/go/sqltypes\"\n", "one door"},
		{"door in a test", "query/dialect/a_test.go", "package dialect\n\nimport _ \"github.com/dolthub/vitess/go/sqltypes\"\n", ""},
		{"behind the door", "query/gms/any/a.go", "package any\n\nimport _ \"github.com/dolthub/go-mysql-server/sql\"\n", ""},
		{"long file", "row/a.go", "package row\n" + strings.Repeat("\n// more\n", linesMax), "lines"},
		{"protocol and SQL", "wire/a.go", "package wire\n\nimport _ \"github.com/dolthub/vitess/go/sqltypes\"\n", "one door"},
		{"values and SQL", "query/result/a.go", "package result\n\nimport _ \"github.com/dolthub/go-mysql-server/sql\"\n", "one door"},
		{"protocol and SQL in a test", "wire/a_test.go", "package wire\n\nimport _ \"github.com/dolthub/vitess/go/mysql\"\n", ""},
		{"store and an engine", "store/a.go", "package store\n\nimport _ \"github.com/duramendb/duramen/engine/lsm\"\n", "must not import engine/lsm"},
		{"store and Pebble", "store/a.go", "package store\n\nimport _ \"github.com/cockroachdb/pebble/v2\"\n", "only engine/lsm"},
		{"store and files", "store/a.go", "package store\n\nimport _ \"github.com/cockroachdb/pebble/v2/vfs\"\n", ""},
		{"unknown package", "fresh/a.go", "package fresh\n\nimport _ \"github.com/duramendb/duramen/row\"\n", "not in the import table"},
		{"tests import all", "test/any/a.go", "package any\n\nimport _ \"github.com/duramendb/duramen/server\"\n", ""},
		{"format", "row/a.go", "package row\nvar  a int\n", "gofmt"},
		{"mark", "row/a.go", "package row\n\n// TO" + "DO: more\n", "unfinished"},
		{"sleep in a test", "row/a_test.go", "package row\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n", "must not sleep"},
		{"sleep", "row/a.go", "package row\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := checkFile(c.path, []byte(c.src))
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(f.problems, "\n")
			if c.want == "" && got != "" || c.want != "" && (len(f.problems) != 1 || !strings.Contains(got, c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMethods(t *testing.T) {
	f, err := checkFile("row/a.go", []byte("package row\n\ntype a struct{}\n\nfunc (a) b()  {}\nfunc (*a) c() {}\n\ntype d[t any] struct{}\n\nfunc (d[t]) e() {}\nfunc f()        {}\n"))
	if err != nil || len(f.problems) > 0 {
		t.Fatal(err, f.problems)
	}
	if f.methods["row.a"] != 2 || f.methods["row.d"] != 1 || len(f.methods) != 2 {
		t.Errorf("methods: %v", f.methods)
	}
	counts := map[string]int{"row.a": methodsMax, "row.b": methodsMax + 1}
	if got := checkMethods(counts); len(got) != 1 || !strings.Contains(got[0], "row.b has 61 methods") {
		t.Errorf("too many: %q", got)
	}
	delete(counts, "row.b")
	if got := checkMethods(counts); len(got) != 0 {
		t.Errorf("enough: %q", got)
	}
}

func TestTableHasNoCycle(t *testing.T) {
	if pkg := cycle(); pkg != "" {
		t.Errorf("the import table has a cycle through %s", pkg)
	}
}

func TestDrawing(t *testing.T) {
	if pkg := undrawn(); pkg != "" {
		t.Errorf("package %s is in no layer", pkg)
	}
	got, err := os.ReadFile("../../" + drawingFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != drawing() {
		t.Errorf("%s is not what the table says: go run ./internal/lint -drawing > %s", drawingFile, drawingFile)
	}
}

func TestGraphLeavesOutWhatFollows(t *testing.T) {
	g := graph{}
	for _, e := range [][2]string{{"a", "b"}, {"b", "c"}, {"a", "c"}, {"c", "d"}, {"a", "d"}, {"b", "e"}, {"e", "d"}} {
		g.edge(e[0], e[1])
	}
	var b strings.Builder
	g.write(&b)
	want := "    a --> b\n    b --> c\n    b --> e\n    c --> d\n    e --> d\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
