package schema

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
)

// resolveDefaults replaces the text of simple defaults, literals and
// CURRENT_TIMESTAMP, by what the engine makes of it, which it would otherwise
// parse in every statement that inserts or updates rows. Defaults that may
// depend on the session or on other columns stay text.
func resolveDefaults(db, table string, cols sql.Schema) {
	some := false
	plain := cols.Copy()
	for _, c := range plain {
		c.Generated = nil
		some = some || c.Default != nil || c.OnUpdate != nil
	}
	if !some {
		return
	}
	defer func() {
		// The builder panics on text that it cannot parse. The engine reports
		// that where the default is used.
		_ = recover()
	}()
	b := planbuilder.NewBuilderForColumnDefaultResolution(sql.NewEmptyContext(), sql.EngineOverrides{})
	for i, c := range b.ResolveSchemaDefaults(db, table, plain) {
		if cols[i].Default != nil && isMoment(cols[i].Default.Expr) {
			continue
		}
		if simple(c.Default) {
			cols[i].Default = c.Default
		}
		if simple(c.OnUpdate) {
			cols[i].OnUpdate = c.OnUpdate
		}
	}
}

func simple(def *sql.ColumnDefaultValue) bool {
	if def == nil {
		return false
	}
	switch e := def.Expr.(type) {
	case *expression.Literal:
		return true
	case *function.Now:
		return len(e.Children()) == 0
	}
	return false
}
