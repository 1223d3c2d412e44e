package native

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/access"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/plan"
	"github.com/duramendb/duramen/query/privilege"
	"github.com/duramendb/duramen/query/result"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/status"
	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/txn"
)

// Session is a session whose statements run natively.
type Session struct {
	*session.Session
	Rest Rest
	// Rights are what the session's user may do now.
	Rights   func() *access.Rights
	Tables   *Tables
	Programs *Programs
	Own      *Own
}

// Rest is what of a session is still kept by the fallback.
type Rest interface {
	// UserVariable is the value of a user variable and its type, Null for one that was never set; ok is false for a value that has no
	// type here.
	UserVariable(name string) (v types.Value, t types.Type, ok bool)
	// SetUserVariable gives one a value, which is copied. An error says that there is no memory for it.
	SetUserVariable(name string, v types.Value, t types.Type) error
	// LastInsertID is what LAST_INSERT_ID() says; SetLastInsertID is LAST_INSERT_ID(id).
	LastInsertID() uint64
	SetLastInsertID(id uint64)
	// FoundRows and RowCount are what the functions of these names say of the last statement.
	FoundRows() int64
	RowCount() int64
	// Found is told how many rows FOUND_ROWS() is to count; Selected how many a SELECT has found.
	Found(rows int64)
	Selected(rows int64)
	// Returned is told that a statement which is no SELECT has returned rows.
	Returned()
	// Changed is told how many rows a statement that is no SELECT has affected; Counted by how many a table has more.
	Changed(rows uint64)
	Counted(table uint32, rows int64)
	// Estimate is how many rows a table has, about. It may begin the session's transaction.
	Estimate(ctx context.Context, tbl *catalog.Table) (uint64, error)
	// Version is what VERSION() says.
	Version() string
	// OpenLoaded opens the file of a LOAD DATA: of the server, or with LOCAL of the client, which is asked for it.
	OpenLoaded(ctx context.Context, sink result.Sink, local bool, name string) (io.ReadCloser, error)
	// OpenFile opens a file of the server for LOAD_FILE; nil if the session may not read it.
	OpenFile(name string) *os.File
	// CreateFile makes a file of the server for a result, which is not there yet and where the session may have files.
	CreateFile(name string) (*os.File, error)
	// GTIDPosAt is BINLOG_GTID_POS; false for a place that is not in the log.
	GTIDPosAt(file string, offset uint64) (string, bool)
	// WaitGTIDs is MASTER_GTID_WAIT: false after so many seconds, if there are some.
	WaitGTIDs(ctx context.Context, list string, seconds float64, limited bool) (bool, error)
	// WaitPlace is MASTER_POS_WAIT: ok is false if the place does not come, -1 is the end of so many seconds, if they are more than 0. Error 1617 says
	// that there is no such connection.
	WaitPlace(ctx context.Context, connection, file string, pos int64, seconds float64) (moves int64, ok bool, err error)
}

// Statement is one that runs natively.
type Statement struct {
	session   Session
	frame     *eval.Frame
	kind      status.Kind
	plan      *plan.Select // of an UPDATE or DELETE: which rows it is about; of an INSERT only the table
	into      []*eval.Expr // of a SELECT INTO: what sets each variable to an item of the result
	file      *intoFile    // of a SELECT INTO OUTFILE or DUMPFILE
	values    []value      // of a DO or SET
	load      *loading     // of a LOAD DATA
	write     *plan.Write  // of an UPDATE or DELETE, nil of others
	insert    *plan.Insert // of an INSERT or LOAD DATA
	info      statement.Statement
	views     []*catalog.ObjectDef // through which rows are changed
	bound     int                  // how many conditions binding has made
	explained string               // of an EXPLAIN: the way that the statement goes
	running   *running             // whose memory it is; nil for its own
	// temporary are the rows of those of its tables that are temporary ones.
	temporary map[*plan.Source]txn.Rows
	// assigned are the user variables that a SELECT sets as it goes, as they were before.
	assigned []assigned
}

// Find binds the first statement of a text, if it can run natively. It yields nil without an error for one that is the fallback's; rest
// is what follows the statement.
func (s Session) Find(ctx context.Context, text *source.Text) (st *Statement, rest string, err error) {
	return s.find(ctx, text, nil, s.keepText(text))
}

// Prepare looks whether a prepared statement can run natively, and describes its columns as those of a run in which all parameters are
// NULL. holders is the number of its placeholders. What is prepared may still become the fallback's, by the types of its parameters. An error
// refuses the statement, or says what is wrong about it where the fallback is not to be asked (see Forced).
func (s Session) Prepare(ctx context.Context, text *source.Text, holders int) (columns []result.Column, ok bool, err error) {
	st, rest, err := s.find(ctx, text, make([]result.Value, holders), nil)
	if st != nil && err == nil && rest == "" {
		if err := st.may(); err != nil { // the columns say something of the table
			return nil, false, err
		}
		return st.columns(), true, nil
	}
	if err == nil || s.Vars.Str("native_sql") != "ONLY" || holders > 0 && byTypes(err) {
		err = s.Forced(text.SQL)
	}
	return nil, false, err
}

// byTypes reports whether an error is about types that do not meet, which those of placeholders are not known to do.
func byTypes(err error) bool {
	var e *mysqlerr.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Number == mysqlerr.IllegalParameterTypes || e.Number >= mysqlerr.CantAggregate2Collations && e.Number <= cantAggregateMany
}

const cantAggregateMany = 1271 // and 1270 of three

// Refuse ends a statement that Find has found to be wrong.
func (s Session) Refuse(text string, err error) error {
	if kind, ok := begins(text, s.LexMode); ok {
		s.Server.Status.Question(kind)
	}
	s.Warnings.Clear()
	return err
}

// Forced refuses a statement that is not run natively, if the session wants to know that: native_sql=ONLY is for tests. Of DO and
// SET most is not run here in any case.
func (s Session) Forced(text string) error {
	if kind, ours := begins(text, s.LexMode); !ours || kind == status.Set || kind == status.None || s.Vars.Str("native_sql") != "ONLY" {
		return nil
	}
	return mysqlerr.NotYet("this statement by SQL of our own, which native_sql=ONLY asks for")
}

// FindPrepared binds a prepared statement with the values of its placeholders; nil without an error says that it is the fallback's.
func (s Session) FindPrepared(ctx context.Context, text *source.Text, params []result.Value, known *Prepared) (*Statement, error) {
	if !s.direct() {
		st, _, err := s.find(ctx, text, params, nil)
		return st, err
	}
	st, _, err := s.find(ctx, text, params, &keeping{key: programKey{shape: text.SQL, prepared: true, db: s.DB(), mode: s.LexMode}})
	return st, err
}

// FindDirect is a prepared statement that was bound before, with the values of its placeholders; nil if it has to be bound.
func (s Session) FindDirect(ctx context.Context, text string, params []result.Value, known *Prepared) *Statement {
	if !s.direct() {
		return nil
	}
	e := known.find(s, text)
	if e == nil {
		s.Server.Status.Direct(status.MissFirst)
		return nil
	}
	return e.run(ctx, s, text, params)
}

// FindText is a statement that was bound for a text which is the same but for literals; nil if there is none.
func (s Session) FindText(ctx context.Context, text string) *Statement {
	if !s.direct() {
		return nil
	}
	if e := s.findWhole(text); e != nil {
		return e.run(ctx, s, text, nil)
	}
	if !s.Own.text.Take(text, s.LexMode) {
		return nil
	}
	e := s.Programs.find(s.Own.text.Key, s.DB(), s.LexMode)
	if e == nil {
		s.Server.Status.Direct(status.MissFirst)
		return nil
	}
	return e.runText(ctx, s, text)
}

// keepText is how a statement is kept that is bound from a text.
func (s Session) keepText(text *source.Text) *keeping {
	if !s.direct() || !s.Own.text.Take(text.SQL, s.LexMode) {
		return nil
	}
	if e := s.Programs.find(s.Own.text.Key, s.DB(), s.LexMode); e != nil && !e.worth() {
		return nil
	}
	literals := s.Own.text.Clone()
	key := programKey{shape: string(literals.Key), db: s.DB(), mode: s.LexMode}
	return &keeping{literals: literals, key: key}
}

var varDirectPath = session.MustVar("duramen_direct_path")

// direct reports whether statements that were bound may run again.
func (s Session) direct() bool { return s.Vars.Value(varDirectPath) == int8(1) }

// find is Find, with the values of placeholders; what is bound is kept as k says, if it is not nil.
func (s Session) find(ctx context.Context, from *source.Text, params []result.Value, k *keeping) (st *Statement, rest string, err error) {
	text := from.SQL
	if k != nil {
		k.catalog, k.noted = s.catalog(), s.Vars.Note()
		defer k.noted()
	}
	if _, ours := begins(text, s.LexMode); !ours || s.Vars.Str("native_sql") == "OFF" {
		return nil, "", nil
	}
	n, next, err := from.Statement()
	if err != nil {
		return nil, "", nil // the fallback has the same errors, and some extensions
	}
	if err := from.HoldBound(); err != nil {
		return nil, "", err
	}
	if err := s.misnamed(n, text); err != nil {
		return nil, "", err
	}
	if params == nil {
		if whole := s.keepWhole(n, text, k); whole != nil {
			k = whole
			defer k.noted()
		}
	}
	b, err := s.begin(ctx, params)
	if err != nil {
		return nil, "", s.declined(err)
	}
	if k != nil {
		b.keep, b.text = k, text
		b.frame.Asked = &eval.Asked{Params: make([]bool, len(params))}
		k.free = free(n, len(params))
	}
	if left := from.LeftOut(); left.Count > 0 {
		b.long = &plan.LongRows{LeftOut: left, Each: func(each func(*tree.Row) error) error {
			return from.Rows(func(n *tree.Row) error {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return each(n)
			})
		}}
	}
	after := dialect.Trim(text[next:], s.LexMode)
	if nested, ok := n.(*tree.Nested); ok {
		n, b.outer = unnested(nested)
	}
	switch n := n.(type) {
	case *tree.Select:
		st, err = b.bind(n, text[:next])
	case *tree.Insert:
		st, err = b.write(withoutParentheses(n), text[:next])
	case *tree.Update, *tree.Delete:
		st, err = b.write(n, text[:next])
	case *tree.Explain:
		if st, err = b.explain(n, text[:next]); refused(err) {
			return nil, "", nil
		}
	case *tree.Load:
		if k != nil || params != nil {
			return nil, "", nil
		}
		st, err = b.load(n, text[:next])
	case *tree.Do, *tree.Set:
		if st, err = b.effect(n); refused(err) {
			return nil, "", nil // whatever the session wants to know
		}
	default:
		return nil, "", nil
	}
	if refused(err) {
		return nil, "", s.declined(err)
	}
	if err != nil {
		err = b.hidden(n, err)
	} else if k != nil && st != nil && st.explained == "" {
		if p := b.program(st, n, k); p != nil && after == "" {
			s.Programs.keep(k.key, p, s.Server.Store.Catalog().Current())
		}
		b.frame.Asked = nil
	}
	return st, after, err
}

// declined is the error of a statement that err sends to the fallback: none, unless the session wants to know why.
func (s Session) declined(err error) error {
	if s.Vars.Str("native_sql") != "ONLY" {
		return nil
	}
	reason := "this statement"
	if _, after, ok := strings.Cut(err.Error(), " '"); ok {
		reason = strings.TrimSuffix(after, "'")
	}
	return mysqlerr.NotYet(reason + " in SQL of our own, which native_sql=ONLY asks for")
}

// binding is a statement whose names are looked up.
type binding struct {
	Session
	frame  *eval.Frame
	binder *bind.Binder
	// temporary are the rows of the temporary tables that were found.
	temporary map[*plan.Source]txn.Rows
	named     []*plan.Source                         // the tables that were found
	long      *plan.LongRows                         // of an INSERT whose text is long
	given     int                                    // how many conditions are about the parameters
	verb      string                                 // of a statement whose target is looked up: what it does, as messages call it
	need      func(*catalog.TableDef) privilege.Need // what the user has to have of the last table that was found
	views     []*catalog.ObjectDef                   // through which rows are changed
	keep      *keeping                               // how what is bound is kept; nil if it is not
	text      string                                 // of a statement that is kept
	systems   []systemReading                        // the system variables that expressions read
	outer     []tree.Tail                            // what is around the parentheses of a SELECT; see unnested
}

// begin makes what is needed to bind a statement; error 1235 says that the session has something that is not understood.
func (s Session) begin(ctx context.Context, params []result.Value) (*binding, error) {
	env, err := s.env()
	if err != nil {
		return nil, err
	}
	f := s.frame(ctx, env)
	values, kinds, ok := parameters(f, params)
	if !ok {
		return nil, bind.Refusal("the type of a parameter")
	}
	f.Params = values
	b := &binding{Session: s, frame: f, given: len(f.Diag.Conditions), binder: &bind.Binder{
		Builder: eval.Builder{Env: env, Scratch: f}, Params: kinds,
		Refused: func(name string) bool { return ofFallback[name] },
		Apart:   s.apart, Unknown: s.unknown,
	}}
	b.binder.System = b.reading
	return b, nil
}

// bind makes the plan of a SELECT; error 1235 says that it is the fallback's.
func (b *binding) bind(n *tree.Select, text string) (st *Statement, err error) {
	if err := plan.Refused(n); err != nil {
		return nil, err
	}
	if err := b.mayWriteFile(n.Into); err != nil {
		return nil, err
	}
	var src *plan.Source
	if len(n.From) > 0 {
		b.verb = reading
		if src, err = b.source(n.From, needToRead); err != nil {
			return nil, err
		}
		if src.View != nil {
			if n, err = readView(n, src); err != nil {
				return nil, err
			}
		}
		b.lift(n, src)
	}
	b.binder.Assigned, b.binder.Value = bind.Assigned(n), b.valueOfNothing
	p, err := plan.CompileSelect(b.binder, n, src, text)
	if err == nil && len(b.outer) > 0 && plan.Merges(n) { // what the order names has to be there, for nothing
		bare := *n
		bare.OrderBy = nil
		n = &bare
		p, err = plan.CompileSelect(b.binder, n, src, text)
	}
	if err != nil {
		return nil, err
	}
	st = &Statement{
		session: b.Session, frame: b.frame, kind: status.Select, plan: p, bound: len(b.frame.Diag.Conditions),
		info: statement.Statement{Text: text, WaitSeconds: -1, Result: true}, temporary: b.temporary, views: b.views,
	}
	if src != nil {
		b.reads(st, n)
	}
	most := b.Vars.Uint("sql_select_limit")
	if len(b.outer) > 0 {
		if most < 1<<64-1 {
			return nil, bind.Refusal("sql_select_limit around parentheses")
		}
		if err := plan.CompileOuter(b.binder, p, n, b.outer); err != nil {
			return nil, err
		}
	}
	if most < 1<<64-1 && !p.Limit.Any {
		p.Limit = plan.Limit{Any: true, Count: most}
	}
	if b.binder.Assigned != nil {
		st.assigned = b.assigned()
	}
	if into, ok := n.Into.(*tree.IntoVariables); ok {
		return st, b.into(st, n, into)
	}
	if n.Into != nil {
		return st, b.file(st, n)
	}
	return st, nil
}

// refused reports whether an error says that something is not understood, so that the statement is the fallback's.
func refused(err error) bool {
	var e *mysqlerr.Error
	return errors.As(err, &e) && e.Number == mysqlerr.NotSupportedYet && !mysqlerr.IsNever(err)
}

// parenthesesMost is how many parentheses are looked through in front of a SELECT.
const parenthesesMost = 16

// begins reports whether a text begins with a word of which Find knows statements, and what they are counted as.
func begins(text string, mode dialect.Mode) (status.Kind, bool) {
	head := dialect.Scanner{SQL: text, Mode: mode}
	t, ok := head.Next()
	for n := 0; ok && t.Is("(") && n < parenthesesMost; n++ {
		if t, ok = head.Next(); ok && !t.Is("(") && !t.Is("SELECT") {
			return 0, false
		}
	}
	switch {
	case !ok:
	case t.Is("SELECT"):
		return status.Select, true
	case t.Is("UPDATE"):
		return status.Update, true
	case t.Is("INSERT"):
		return status.Insert, true
	case t.Is("REPLACE"):
		return status.Replace, true
	case t.Is("DELETE"):
		return status.Delete, true
	case t.Is("LOAD"):
		return status.Load, true
	case t.Is("DO"):
		return status.None, true
	case t.Is("SET"):
		return status.Set, true
	case t.Is("EXPLAIN"), t.Is("DESCRIBE"), t.Is("DESC"):
		return status.None, true
	}
	return 0, false
}
