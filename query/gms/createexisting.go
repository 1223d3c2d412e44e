package gms

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/gmserr"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/statement"
)

// anyColumns is a list of columns, of a table that will not be made.
var anyColumns = func() *sqlparser.TableSpec {
	ast, err := sqlparser.Parse("create table t (a int)")
	if err != nil {
		panic(err)
	}
	return ast.(*sqlparser.DDL).TableSpec
}()

// madeAlready reports whether a statement is a CREATE TABLE IF NOT EXISTS of a table or view that there is.
func (p *planned) madeAlready() (name string, ok bool) {
	n, isDDL := p.st.AST.(*sqlparser.DDL)
	if !isDDL || n.Action != sqlparser.CreateStr || !n.IfNotExists || n.TableSpec == nil && n.OptLike == nil && n.OptSelect == nil {
		return "", false
	}
	db, name := p.s.DBOf(statement.Use{DB: n.Table.DbQualifier.String()}), n.Table.Name.String()
	if n.Temporary {
		return name, p.s.Temp.Has(db, name)
	}
	cat := p.s.EnsureTxn().Catalog()
	return name, cat.Table(db, name) != nil || cat.Object("view", db, name) != nil
}

// leave runs such a statement: it needs its privileges, and does nothing. Of CREATE TABLE ... SELECT go-mysql-server would put the
// rows into the table that there is.
func (p *planned) leave(name string) error {
	n := *p.st.AST.(*sqlparser.DDL)
	n.OptSelect = nil
	if n.TableSpec == nil && n.OptLike == nil {
		n.TableSpec = anyColumns
	}
	run := *p
	run.st = &syntax.Statement{Statement: p.st.Statement, AST: &n, Globals: p.st.Globals}
	if err := run.plan(); err != nil && gmserr.From(err).Number != mysqlerr.TableExists { // so it is with a view
		return err
	}
	p.out.ok(types.OkResult{Info: madeInfo("")}) // which has no numbers of rows
	p.c.Session.Warn(&sql.Warning{Level: "Note", Code: int(mysqlerr.TableExists), Message: mysqlerr.New(mysqlerr.TableExists, name).Message})
	return nil
}
