package native

import (
	"encoding/json"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/relation"
)

// events are what triggers may be for.
type events uint8

const (
	onInsert events = 1 << iota
	onUpdate
	onDelete
)

// name is that of a table or a column's table, in lower case.
type name struct{ db, table string }

func nameOf(db, table string) name { return name{strings.ToLower(db), strings.ToLower(table)} }

// related is what one version of the catalog says of what happens when rows change.
type related struct {
	of *catalog.Snapshot
	// keys are the foreign keys.
	keys *relation.ForeignKeys
	// triggers are the events that tables have triggers for; anywhere are those of databases with a trigger that is not understood.
	triggers map[name]events
	anywhere map[string]events
	parsed   map[*catalog.ObjectDef]trigger
}

// trigger is for which event of which table one is.
type trigger struct {
	of      name
	event   events
	unknown bool
}

// related is that of a version of the catalog, which is made once.
func (t *Tables) relatedOf(cat *catalog.Snapshot) *related {
	last := t.related.Load()
	if last != nil && last.of == cat {
		return last
	}
	r := &related{
		of: cat, keys: relation.ForeignKeysOf(cat, t.of),
		triggers: map[name]events{}, anywhere: map[string]events{}, parsed: map[*catalog.ObjectDef]trigger{},
	}
	for _, db := range cat.Databases() {
		for _, o := range cat.Objects("trigger", db.Name) {
			known, ok := trigger{}, false
			if last != nil {
				known, ok = last.parsed[o]
			}
			if !ok {
				known = triggerOf(o)
			}
			if r.parsed[o] = known; known.unknown {
				r.anywhere[strings.ToLower(db.Name)] = onInsert | onUpdate | onDelete
			}
			r.triggers[known.of] |= known.event
		}
	}
	t.related.Store(r)
	return r
}

// triggerOf reads what the catalog has of a trigger.
func triggerOf(o *catalog.ObjectDef) trigger {
	var body struct{ CreateStatement, SqlMode string } //nolint:revive // as it is stored
	if json.Unmarshal(o.Body, &body) != nil {
		return trigger{unknown: true}
	}
	n, _, err := grammar.Parse(body.CreateStatement, grammar.Options{Mode: dialect.ModeOf(body.SqlMode).Lex()})
	t, ok := n.(*tree.CreateTrigger)
	if err != nil || !ok || t.Table == nil {
		return trigger{unknown: true}
	}
	event, ok := map[string]events{"INSERT": onInsert, "UPDATE": onUpdate, "DELETE": onDelete}[strings.ToUpper(t.Event)]
	db := t.Table.DB.Text
	if db == "" {
		db = o.DB
	}
	return trigger{of: nameOf(db, t.Table.Name.Text), event: event, unknown: !ok}
}

// trigger asks whether there is a trigger for what the statement does: it is "" if there is none. Temporary tables have none.
func (st *Statement) trigger(cat *catalog.Snapshot) string {
	if st.temporary[st.plan.Source] != nil {
		return ""
	}
	def := st.plan.Source.Table.Def
	rel, of := st.session.Tables.relatedOf(cat), nameOf(def.DB, def.Name)
	var happens events
	switch in := st.insert; {
	case in != nil:
		happens = onInsert
		if in.Replace {
			happens |= onDelete
		}
		if in.OnDuplicate != nil {
			happens |= onUpdate
		}
	case st.write.Delete:
		happens = onDelete
	default:
		happens = onUpdate
	}
	if (rel.triggers[of]|rel.anywhere[of.db])&happens != 0 {
		return "triggers"
	}
	return ""
}
