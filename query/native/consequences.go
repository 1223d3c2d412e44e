package native

import (
	"encoding/json"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/grammar"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/plan"
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
	// parents are the columns, in lower case, to which foreign keys refer.
	parents map[name]map[string]bool
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
		of: cat, parents: map[name]map[string]bool{}, triggers: map[name]events{}, anywhere: map[string]events{}, parsed: map[*catalog.ObjectDef]trigger{},
	}
	for _, tbl := range cat.AllTables() {
		for i := range tbl.Def.ForeignKeys {
			f := &tbl.Def.ForeignKeys[i]
			of := nameOf(f.ParentDB, f.ParentTable)
			if r.parents[of] == nil {
				r.parents[of] = map[string]bool{}
			}
			for _, c := range f.ParentColumns {
				r.parents[of][strings.ToLower(c)] = true
			}
		}
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

// consequences are what the statement may change beyond its table's rows, or has to ask of other tables: "" for nothing.
func (st *Statement) consequences(cat *catalog.Snapshot) string {
	table := st.plan.Source.Table
	def := table.Def
	if st.temporary[st.plan.Source] != nil {
		return ""
	}
	rel := st.session.Tables.relatedOf(cat)
	of := nameOf(def.DB, def.Name)
	var happens events
	changes := (*plan.Changes)(nil)
	switch {
	case st.insert == nil && st.write.Delete:
		happens = onDelete
	case st.insert == nil:
		happens, changes = onUpdate, &st.write.Changes
	default:
		happens = onInsert
		if st.insert.Replace {
			happens |= onDelete
		}
		if changes = st.insert.OnDuplicate; changes != nil {
			happens |= onUpdate
		}
	}
	if (rel.triggers[of]|rel.anywhere[of.db])&happens != 0 {
		return "triggers"
	}
	if !st.session.Vars.On("foreign_key_checks") {
		return ""
	}
	parent := rel.parents[of]
	switch {
	case happens&onInsert != 0 && len(def.ForeignKeys) > 0:
		return "a new row of a table with foreign keys"
	case happens&onDelete != 0 && parent != nil:
		return "rows to which foreign keys may refer"
	case changes != nil && touches(table, changes, parent):
		return "a change of columns of foreign keys"
	}
	return ""
}

// touches reports whether assignments may change columns of the table's foreign keys, or those to which foreign keys refer.
func touches(table *relation.Table, changes *plan.Changes, parent map[string]bool) bool {
	inKey := func(at int) bool {
		column := table.Columns[at].Def.Name
		if parent[strings.ToLower(column)] {
			return true
		}
		for i := range table.Def.ForeignKeys {
			for _, c := range table.Def.ForeignKeys[i].Columns {
				if strings.EqualFold(c, column) {
					return true
				}
			}
		}
		return false
	}
	for i := range table.Columns {
		if table.Columns[i].Def.Generated != "" && inKey(i) {
			return true
		}
	}
	for i := range changes.Sets {
		if inKey(changes.Sets[i].Column) {
			return true
		}
	}
	for _, at := range changes.OnUpdate {
		if inKey(at) {
			return true
		}
	}
	return false
}
