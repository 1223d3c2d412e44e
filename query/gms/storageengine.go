package gms

import (
	"cmp"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/alter"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/statement"
)

// chooseEngine finds the storage engine for the tables that a statement makes, and the one that an ALTER TABLE moves its
// table to; nil if that says none.
func (p *planned) chooseEngine() (to *engines.Engine, err error) {
	r := engines.Request{
		Default: p.s.Vars.Str("default_storage_engine"), Enforced: p.s.Vars.Str("enforce_storage_engine"),
		Strict: strings.Contains(p.s.Vars.Str("sql_mode"), "NO_ENGINE_SUBSTITUTION"),
	}
	all := p.s.engine.Engines
	switch n := p.st.AST.(type) {
	case *sqlparser.AlterTable:
		r.Table, r.Alters = n.Table.Name.String(), true
		r.Name = parse.EngineOption(p.st.Text, p.s.LexMode)
		t := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: n.Table.DbQualifier.String()}), r.Table)
		if to, err = all.Choose(r, p.s.Warn); err == nil && to == nil && t != nil {
			runningOf(p.c).attempt.Engine = t.Engine() // of what belongs to its indexes
			return nil, nil
		}
		runningOf(p.c).attempt.MovesTo = to
	case *sqlparser.DDL:
		if n.Action != sqlparser.CreateStr || n.TableSpec == nil && n.OptLike == nil && n.OptSelect == nil {
			return nil, nil
		}
		if tmp := p.s.Vars.Str("default_tmp_storage_engine"); n.Temporary && tmp != "" {
			r.Default = tmp
		}
		r.Table = n.Table.Name.String()
		r.Name = parse.EngineOption(p.st.Text, p.s.LexMode)
		if like := n.OptLike; r.Name == "" && like != nil && len(like.LikeTables) > 0 {
			from := like.LikeTables[0]
			if t := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: from.DbQualifier.String()}), from.Name.String()); t != nil {
				r.Name = t.Engine().Name
			}
		}
		to, err = all.Choose(r, p.s.Warn)
	}
	runningOf(p.c).attempt.Engine = to
	return to, err
}

// refuseLimits refuses a new table that its engine, or MariaDB, cannot have, once it is complete.
func (p *planned) refuseLimits() error {
	n, ok := p.st.AST.(*sqlparser.DDL)
	if !ok || n.Action != sqlparser.CreateStr || n.TableSpec == nil && n.OptLike == nil && n.OptSelect == nil {
		return nil
	}
	t := p.s.tableNow(p.c, p.s.DBOf(statement.Use{DB: n.Table.DbQualifier.String()}), n.Table.Name.String())
	if t == nil {
		return nil
	}
	if err := cmp.Or(alter.RefuseCounter(t.Definition()), alter.RefuseCascades(t.Definition())); err != nil {
		return err
	}
	return t.RefuseLimits(p.c)
}
