package gms

import (
	"fmt"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/needs"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// triggerText is the statement of a trigger as it is bound when it fires: it names its database, in which
// qualifyTrigger looks for what the body names, CURRENT_USER is its definer, and the order of triggers is that of the catalog alone.
// mode is the sql_mode that the trigger was made under.
func (d *definers) triggerText(db, create, mode string) string {
	mode = sysvar.OrderedSQLMode(mode) // go-mysql-server sorts the modes by name
	create = unordered(create, mode)
	toks := dialect.Tokens(create, dialect.ModeOf(mode), 0)
	c := &dialect.Parser{Tokens: toks, Pos: 1, SQL: create}
	e := dialect.Editor{SQL: create}
	definer := ""
	if c.Accept("DEFINER", "=") {
		user, host := c.Account()
		definer = dialect.QuoteString(user + "@" + host)
	}
	if c.Accept("TRIGGER") {
		c.Accept("IF", "NOT", "EXISTS")
		if name := c.Next(); !c.Peek().Is(".") {
			e.Replace(name, dialect.QuoteName(db)+"."+dialect.QuoteName(name.Text))
		}
	}
	for ; definer != "" && !c.End(); c.Pos++ {
		if !c.Peek().Is("CURRENT_USER") || c.Tokens[c.Pos-1].Is(".") {
			continue
		}
		t := c.Peek()
		if c.Pos+2 < len(toks) && toks[c.Pos+1].Is("(") && toks[c.Pos+2].Is(")") {
			t.End = toks[c.Pos+2].End
		}
		e.Replace(t, definer)
	}
	text := e.Done()
	if d.modes == nil {
		d.modes = map[string]string{}
	}
	d.modes[text] = mode
	return text
}

// unordered is the statement of a trigger without FOLLOWS and PRECEDES: go-mysql-server sorts triggers by it, wrongly, and keeps those that are named.
func unordered(create, mode string) string {
	toks := dialect.Tokens(create, dialect.ModeOf(mode), 0)
	for at := 0; at+4 < len(toks); at++ {
		if !toks[at].Is("EACH") || !toks[at+1].Is("ROW") {
			continue
		}
		clause := toks[at+2]
		if !clause.Is("FOLLOWS") && !clause.Is("PRECEDES") {
			break
		}
		clause.End = toks[at+3].End
		e := dialect.Editor{SQL: create}
		e.Replace(clause, "")
		return e.Done()
	}
	return create
}

// firing is a trigger that may fire: whose privileges count in it, its database, and its sql_mode.
type firing struct {
	definer accounts.Subject
	db      string
	mode    string
	row     sql.Node // see column.TriggerSession
}

// underMode gives a session the sql_mode that the trigger was made under, and takes back, at the end, what the trigger has made of it. Expressions that are
// bound already follow.
func (f *firing) underMode(c *sql.Context, s *Session) (back func(), err error) {
	own, now := s.Vars.Str("sql_mode"), &runningOf(c).evaluation
	restore := func() { setMode(s, own) }
	if f.mode == own {
		return restore, nil
	}
	setMode(s, f.mode)
	if now.frame == nil || s.Evaluation == nil {
		return restore, nil
	}
	_, under, err := s.Evaluation(c)
	if err != nil {
		restore()
		return nil, err
	}
	bound, env := *now, now.frame.Env
	bound.frame.Env, now.mode = under.Env, f.mode
	return func() {
		bound.frame.Env = env
		*now = bound
		restore()
	}, nil
}

func setMode(s *Session, mode string) {
	if s.Vars.Str("sql_mode") != mode {
		s.Vars.Store(session.VarSQLMode, mode)
	}
}

// fires checks that a trigger may fire, as MariaDB does it with the first row: there has to be its definer
// (1449), who needs TRIGGER on the table and what the body needs. MariaDB asks for what a statement of the body
// needs when it comes to it; here all of them are asked for at once. create is what TriggerText made.
func (s *Session) fires(c *sql.Context, create string) (*firing, error) {
	ast, err := s.parseUnder(s.definers.modes[create], create)
	if err != nil {
		return nil, err
	}
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TriggerSpec == nil {
		return nil, fmt.Errorf("not a trigger: %s", create)
	}
	f := &firing{definer: s.Authority.Subject(), db: d.TriggerSpec.TrigName.Qualifier.String(), mode: s.definers.modes[create]}
	table, db, err := s.engine.gms.Analyzer.Catalog.Table(c, f.db, d.Table.Name.String())
	if err != nil {
		return nil, err
	}
	f.row = column.TriggerRowOf(c, plan.NewResolvedTable(table, db, nil), d.TriggerSpec.Event)
	a := s.Rights()
	if definer := d.TriggerSpec.Definer; definer != "" {
		if f.definer, err = account.DefinerSubject(s.engine.Accounts.Set(), definer); err != nil {
			return nil, err
		}
		a.Become(definer)
	}
	if a.Everything() {
		return f, nil
	}
	a.DB = f.db
	return f, a.Check(served(needs.OfTrigger(d)))
}
