package admin

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/own"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
)

// Found is a statement that the session answers itself. One of its fields is set.
type Found struct {
	Statement dialect.Statement
	Err       error // what is wrong with the text
}

// adminRows is a small result set. A nil *adminRows stands for a plain OK.
type adminRows struct {
	names []string
	types []byte // MYSQL_TYPE_* by column; VAR_STRING where it is shorter than names
	// unsigned says that all its numbers are.
	unsigned bool
	rows     [][]any
	ok       result.OK // for results without columns
	sent     bool      // the statement sent its result itself
	// keepWarnings is for statements about the warnings of the last one.
	keepWarnings bool
}

var sentAlready = &adminRows{sent: true}

// Find finds out whether the first statement of a text is one of the session's own. It yields nil if it is one for
// go-mysql-server; rest is what follows the statement.
func (s Session) Find(text *source.Text) (found *Found, rest string) {
	st, next, err := own.Of(text)
	switch {
	case err != nil:
		return &Found{Err: err}, "" // what follows does not matter
	case st != nil && s.answers(st):
		return &Found{Statement: st}, dialect.Trim(text.SQL[next:], s.LexMode)
	}
	return nil, ""
}

// Known is the only statement of a text, if it is one of those that are kept by their texts; else nil.
func (s Session) Known(text string) dialect.Statement { return s.Engine.kept.Find(text, s.LexMode) }

// Keep has Known find a statement; false if it is none of those that are kept, which everybody may run.
func (s Session) Keep(text string, st dialect.Statement) bool {
	needs, _ := privilege.OfStatement(st)
	return len(needs.List) == 0 && s.Engine.kept.Keep(text, s.LexMode, st)
}

// RunKnown is Run for a statement that is kept, for which no privilege is needed. None of them leaves anything behind that waits for the end of its context.
func (s Session) RunKnown(ctx context.Context, st dialect.Statement, sink result.Sink) error {
	s.Lean = true
	return s.Run(ctx, st, sink, false)
}

// Run runs a statement of our own and sends its result.
func (s Session) Run(ctx context.Context, st dialect.Statement, sink result.Sink, more bool) error {
	s.Warnings.Keep()
	s.Engine.Status.Own(st)
	if !endsTransaction(st) {
		var cancel context.CancelFunc
		ctx, cancel = s.WithStatementTime(ctx)
		defer cancel()
	}
	rows, err := s.runOwn(ctx, st, sink, more)
	if err != nil && errors.Is(context.Cause(ctx), session.ErrStatementTime) {
		err = session.ErrStatementTime
	}
	if rows == nil || !rows.keepWarnings && !rows.sent && !namesNoTable(st) {
		s.Warnings.DropOlder()
	}
	s.EndIdle()
	switch {
	case err != nil:
		return err
	case rows == nil:
		var ok result.OK
		if _, prepared := st.(dialect.Prepare); prepared {
			ok.Info = "Statement prepared"
		}
		return s.SendOK(sink, ok, more)
	case rows.sent:
		return nil
	case rows.names == nil:
		return s.SendOK(sink, rows.ok, more)
	}
	return s.sendRows(sink, rows, more)
}

// namesNoTable reports whether a statement has neither tables nor, as MariaDB counts, those of a view of information_schema.
func namesNoTable(st dialect.Statement) bool {
	switch st.(type) {
	case dialect.StartTransaction, dialect.Commit, dialect.Rollback, dialect.RollbackTo, dialect.Savepoint, dialect.ReleaseSavepoint,
		dialect.SetTransaction, dialect.SetNames, dialect.SetCharacterSet, dialect.UnlockTables, dialect.Flush, dialect.Kill, dialect.Prepare, dialect.Deallocate,
		dialect.ChangeMaster, dialect.StartSlave, dialect.StopSlave, dialect.ResetSlave:
		return true
	}
	return false
}

// endsTransaction reports whether a statement is COMMIT or ROLLBACK, to which max_statement_time does not apply.
func endsTransaction(st dialect.Statement) bool {
	switch st.(type) {
	case dialect.Commit, dialect.Rollback, dialect.RollbackTo:
		return true
	}
	return false
}

// sendRows sends a small result set.
func (s Session) sendRows(sink result.Sink, r *adminRows, more bool) error {
	cols := make([]result.Column, len(r.names))
	for i, name := range r.names {
		cols[i] = result.Column{Name: name, Type: mysql.MYSQL_TYPE_VAR_STRING, Charset: session.TextsOf(s.Session).ResultCollation(), Length: 1024, Decimals: column.TextDecimals}
		if i < len(r.types) && r.types[i] != 0 {
			cols[i].Type, cols[i].Length, cols[i].Charset, cols[i].Flags, cols[i].Decimals = r.types[i], 21, mysql.Collation_binary, mysql.BINARY_FLAG, 0
			if r.types[i] == mysql.MYSQL_TYPE_DOUBLE {
				cols[i].Decimals = 3
			} else if r.unsigned {
				cols[i].Flags |= mysql.UNSIGNED_FLAG
			}
		}
	}
	if err := sink.Columns(cols); err != nil {
		return err
	}
	typed := result.NewValues(cols)
	for _, row := range r.rows {
		for i := range cols {
			var v any
			if i < len(row) {
				v = row[i]
			}
			typed.Set(i, s.adminValue(v, &cols[i]))
		}
		if err := sink.Row(typed); err != nil {
			return err
		}
	}
	return sink.EndRows(s.EndStatus(more))
}

// adminValue is a value of such a row: a number, or anything as a text.
func (s Session) adminValue(v any, col *result.Column) result.Value {
	if v == nil {
		return result.Value{}
	}
	if col.Type != mysql.MYSQL_TYPE_VAR_STRING {
		switch n := reflect.ValueOf(v); {
		case n.CanInt():
			return result.Signed(n.Int())
		case n.CanUint():
			return result.Unsigned(n.Uint())
		case n.CanFloat():
			return result.Double(n.Float())
		}
	}
	return result.Text(session.TextsOf(s.Session).ToResults(fmt.Append(nil, v)))
}
