package privilege

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/dialecttest"
)

// notStatements are those that the parser never makes, or that are never run by themselves.
var notStatements = []string{"Stream", "OtherRead", "OtherAdmin", "SrsAttribute", "InjectedStatement"}

// TestEveryStatement compares the parser's types of statements with the cases of Of, both from the source.
func TestEveryStatement(t *testing.T) {
	file, _ := runtime.FuncForPC(reflect.ValueOf(sqlparser.Parse).Pointer()).FileLine(0)
	all := statementTypes(t, filepath.Dir(file))
	require.Greater(t, len(all), 60)
	named := casesOf(t)
	for _, name := range all {
		if !slices.Contains(notStatements, name) {
			require.Contains(t, named, name, "a statement without an entry")
		}
	}
}

// statementTypes are the types with a method iStatement.
func statementTypes(t *testing.T, dir string) []string {
	files, err := filepath.Glob(filepath.Join(dir, "ast*.go"))
	require.NoError(t, err)
	var out []string
	for _, f := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || fn.Name.Name != "iStatement" {
				continue
			}
			typ := fn.Recv.List[0].Type
			if star, ok := typ.(*ast.StarExpr); ok {
				typ = star.X
			}
			out = append(out, typ.(*ast.Ident).Name)
		}
	}
	return out
}

// casesOf are the types that this package's switches over statements name.
func casesOf(t *testing.T) []string {
	tree, err := parser.ParseFile(token.NewFileSet(), "statement.go", nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	var out []string
	ast.Inspect(tree, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		for _, e := range c.List {
			if star, ok := e.(*ast.StarExpr); ok {
				if sel, ok := star.X.(*ast.SelectorExpr); ok {
					out = append(out, sel.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}

// TestEveryOwnStatement compares the statements of package dialect with the cases of OfStatement, both from the source.
func TestEveryOwnStatement(t *testing.T) {
	cases := slices.Concat(dialecttest.Cases(t, "own.go", "ofServer"), dialecttest.Cases(t, "own.go", "ofSchema"),
		dialecttest.Cases(t, "account.go", "ofAccountStatement"))
	require.ElementsMatch(t, dialecttest.Statements(t, "../dialect"), cases)
}

func TestOfStatement(t *testing.T) {
	const onTable = "any of SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, GRANT, REFERENCES, INDEX, ALTER, CREATE VIEW, SHOW VIEW, TRIGGER, DELETE HISTORY on "
	for _, c := range []struct{ sql, want string }{
		{"LOCK TABLES d.t READ, u AS x WRITE", "LOCK TABLES on d.*; SELECT on d.t; LOCK TABLES on .*; SELECT on .u"},
		{"LOCK TABLE t LOW_PRIORITY WRITE", "LOCK TABLES on .*; SELECT on .t"},
		{"CHECK TABLE d.t, e.u EXTENDED", onTable + "d.t; " + onTable + "e.u"},
		{"OPTIMIZE LOCAL TABLE d.t, u", "SELECT, INSERT on d.t; SELECT, INSERT on .u"},
		{"FLUSH TABLES", "any of RELOAD on *.*"},
		{"FLUSH TABLES d.t", "any of RELOAD on *.*"},
		{"FLUSH TABLES d.t WITH READ LOCK", "any of RELOAD on *.*; LOCK TABLES on d.*; SELECT on d.t"},
		{"FLUSH TABLES d.t, u FOR EXPORT", "any of RELOAD on *.*; LOCK TABLES on d.*; SELECT on d.t; LOCK TABLES on .*; SELECT on .u"},
		{"FLUSH HOSTS, STATUS", "any of RELOAD on *.*"},
		{"SET GLOBAL TRANSACTION READ ONLY", "any of SUPER on *.*"},
		{"SET SESSION TRANSACTION READ ONLY", "nothing"},
		{"PURGE BINARY LOGS TO 'x'", "any of SUPER, BINLOG ADMIN on *.*"},
		{"SHOW TABLES FROM d", "anything on d.*"},
		{"SHOW CREATE EVENT d.e", "EVENT on d.*"},
		{"SHOW CREATE VIEW d.v", "SELECT on d.v; SHOW VIEW on d.v"},
		{"DESCRIBE d.t c", onTable + "d.t"},
		{"ALTER TABLE d.t DISABLE KEYS", "ALTER on d.t"},
		{"HANDLER d.t OPEN", "SELECT on d.t"},
		{"UNINSTALL SONAME 'x'", "DELETE on mysql.plugin"},
	} {
		st, err := dialect.ParseStatement(c.sql, dialect.Mode{})
		require.NoError(t, err, c.sql)
		n, ok := OfStatement(st)
		require.True(t, ok, c.sql)
		require.Equal(t, c.want, n.String(), c.sql)
	}
	_, ok := OfStatement(nil)
	require.False(t, ok)
}
