package gms

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/function"
	"github.com/duramendb/duramen/query/gms/loaddata"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/value"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/statement"
)

// outcome takes what one statement yields.
type outcome interface {
	// hold keeps everything back until finish: the statement may run again.
	hold()
	// reset forgets what was held; called before each run.
	reset()
	columns(c *sql.Context, schema sql.Schema, from []column.Origin) error
	row(c *sql.Context, row sql.Row) error
	ok(types.OkResult)
	// sent reports whether something went out that cannot be taken back.
	sent() bool
	// finish is called when the statement is final (committed, if it is a
	// transaction of its own).
	finish(c *sql.Context) error
}

// wireResult turns rows into typed ones and gives them to a sink.
func (s *Session) wireResult(sink result.Sink, more bool) *wire {
	return &wire{session: s, sink: sink, more: more}
}

type wire struct {
	session *Session
	sink    result.Sink
	more    bool

	holding bool
	started bool // columns were given to sink
	schema  sql.Schema
	cols    []result.Column
	values  *value.Row
	typed   *result.Values
	rows    []sql.Row
	okay    *types.OkResult
}

func (w *wire) hold() { w.holding = true }

func (w *wire) reset() { w.schema, w.cols, w.rows, w.okay = nil, nil, nil, nil }

func (w *wire) sent() bool { return w.started }

func (w *wire) ok(r types.OkResult) { w.okay = &r }

func (w *wire) columns(c *sql.Context, schema sql.Schema, from []column.Origin) error {
	w.schema = schema
	w.cols = column.Of(c, schema, from)
	if now := runningOf(c); now.st != nil && len(w.cols) > 0 {
		w.cols[0].Name += patternIn(now.st.AST)
	}
	w.values = value.NewRow(column.Sources(schema, w.cols, from), c.GetCharacterSetResults())
	w.typed = result.NewValues(w.cols)
	if w.holding {
		return nil
	}
	w.started = true
	return w.sink.Columns(w.cols)
}

func (w *wire) row(c *sql.Context, row sql.Row) error {
	if w.schema == nil {
		return nil
	}
	if w.holding {
		w.rows = append(w.rows, row)
		return w.session.Memory.Hold(function.RowBytes(row))
	}
	return w.send(c, row)
}

func (w *wire) send(c *sql.Context, row sql.Row) error {
	if err := w.values.Set(c, w.typed, row); err != nil {
		return err
	}
	return w.sink.Row(w.typed)
}

func (w *wire) finish(c *sql.Context) error {
	s := w.session
	if w.schema == nil {
		now := runningOf(c)
		var ok result.OK
		if w.okay != nil {
			ok.AffectedRows, ok.InsertID = w.okay.RowsAffected, w.okay.InsertID
			if n, several := deletedOf(now); several {
				ok.AffectedRows = n
				Kept{s}.Changed(n)
			}
			if w.okay.Info != nil {
				ok.Info = w.okay.Info.String()
			} else if now.st != nil {
				ok.Info = insertInfo(now.st.AST, ok.AffectedRows, s.Warnings.Count())
				if _, load := now.st.AST.(*sqlparser.Load); load {
					ok.Info = loaddata.Info(now.loaded, ok.AffectedRows, s.Warnings.Count())
				}
			}
			if _, own := w.okay.Info.(madeInfo); !own && now.st != nil && now.st.Kind == statement.Definition {
				ddlResult(now.st.AST, &ok)
			}
		}
		return s.SendOK(w.sink, ok, w.more)
	}
	if w.holding {
		if err := w.sink.Columns(w.cols); err != nil {
			return err
		}
		w.started = true
		for _, row := range w.rows {
			if err := w.send(c, row); err != nil {
				return err
			}
		}
		w.rows = nil
	}
	return w.sink.EndRows(s.EndStatus(w.more))
}

// ddlResult gives the OK of a definition statement MariaDB's numbers: rows are
// counted for CREATE TABLE ... SELECT only.
func ddlResult(ast sqlparser.Statement, ok *result.OK) {
	d, isDDL := ast.(*sqlparser.DDL)
	switch {
	case isDDL && d.OptSelect != nil:
		ok.Info = fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: 0", ok.AffectedRows)
		return
	case isDDL && d.Action == sqlparser.AlterStr:
		ok.Info = "Records: 0  Duplicates: 0  Warnings: 0"
	case !isDDL:
		if _, alter := ast.(*sqlparser.AlterTable); alter {
			ok.Info = "Records: 0  Duplicates: 0  Warnings: 0"
		} else if _, database := ast.(*sqlparser.DBDDL); database {
			return
		}
	}
	ok.AffectedRows = 0
}

// insertInfo is the Info of an INSERT or REPLACE of several rows.
func insertInfo(ast sqlparser.Statement, affected uint64, warnings uint16) string {
	n, ok := ast.(*sqlparser.Insert)
	if !ok {
		return ""
	}
	records, duplicates := affected, uint64(0)
	if values, ok := n.Rows.(*sqlparser.AliasedValues); ok {
		if records = uint64(len(values.Values)); records < 2 {
			return ""
		}
		if affected > records { // a replaced or updated row counts twice
			duplicates = affected - records
		} else if n.Ignore != "" {
			duplicates = records - affected
		}
	}
	return fmt.Sprintf("Records: %d  Duplicates: %d  Warnings: %d", records, duplicates, warnings)
}

// rowBuffer collects the rows of a statement as go-mysql-server's values.
type rowBuffer struct {
	schema sql.Schema
	from   []column.Origin
	rows   []sql.Row
}

func (b *rowBuffer) hold()      {}
func (b *rowBuffer) reset()     { *b = rowBuffer{} }
func (b *rowBuffer) sent() bool { return false }

func (b *rowBuffer) columns(_ *sql.Context, schema sql.Schema, from []column.Origin) error {
	b.schema, b.from = schema, from
	return nil
}

func (b *rowBuffer) row(c *sql.Context, row sql.Row) error {
	b.rows = append(b.rows, row)
	return sessionOf(c).Memory.Hold(function.RowBytes(row))
}

func (b *rowBuffer) ok(r types.OkResult) {
	b.schema, b.rows = types.OkResultSchema, append(b.rows, sql.NewRow(r))
}

func (b *rowBuffer) finish(*sql.Context) error { return nil }

// deletedOf is how many rows a DELETE of several tables has deleted; several is false for all others, and for those that cascade into other tables.
func deletedOf(now *running) (n uint64, several bool) {
	if now.st == nil || now.attempt.Cascades {
		return 0, false
	}
	del, ok := now.st.AST.(*sqlparser.Delete)
	return now.attempt.Deleted, ok && !parse.OneTable(del.TableExprs)
}
