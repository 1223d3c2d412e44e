package tables

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
)

// Origin is the session that a view, trigger or routine was made in; it is stored beside the
// definition. Objects of earlier versions have none.
type Origin struct {
	Creator    string    `json:",omitempty"` // user@host, the definer if the statement names none
	Mode       string    `json:",omitempty"` // sql_mode
	Client     string    `json:",omitempty"` // character_set_client
	Connection string    `json:",omitempty"` // collation_connection
	Created    time.Time `json:",omitempty"`
}

// accountNamer is a session that knows its account, to which new views, triggers and routines belong.
type accountNamer interface{ AccountName() string }

func originOf(ctx *sql.Context) Origin {
	text := func(name string) string {
		v, err := ctx.GetSessionVariable(ctx, name)
		if err != nil {
			return ""
		}
		s, _ := v.(string)
		return s
	}
	o := Origin{Mode: text("sql_mode"), Client: text("character_set_client"), Connection: text("collation_connection"), Created: ctx.QueryTime()}
	if c := ctx.Client(); c.User != "" {
		o.Creator = c.User + "@" + c.Address
	}
	if s, ok := ctx.Session.(accountNamer); ok {
		o.Creator = s.AccountName()
	}
	return o
}

// View, Trigger, Procedure and Event are stored objects.
type (
	View struct {
		sql.ViewDefinition
		Origin Origin
	}
	Trigger struct {
		sql.TriggerDefinition
		Sequence int
		Origin   Origin
	}
	Procedure struct {
		sql.StoredProcedureDetails
		Origin Origin
	}
	Event struct {
		sql.EventDefinition
		Origin Origin
	}
)

// Views are the views of a database.
func Views(cat *catalog.Snapshot, db string) ([]View, error) {
	return decodeAll[View](cat, kindView, db)
}

// Procedures are the stored procedures of a database.
func Procedures(cat *catalog.Snapshot, db string) ([]Procedure, error) {
	return decodeAll[Procedure](cat, kindProcedure, db)
}

// Events are the events of a database.
func Events(cat *catalog.Snapshot, db string) ([]Event, error) {
	return decodeAll[Event](cat, kindEvent, db)
}

// Triggers are the triggers of a database in the order in which they were made.
func Triggers(cat *catalog.Snapshot, db string) ([]Trigger, error) {
	all, err := decodeAll[Trigger](cat, kindTrigger, db)
	sortBy(all, func(t Trigger) int { return t.Sequence })
	return all, err
}

func decodeAll[T any](cat *catalog.Snapshot, kind, db string) ([]T, error) {
	defs := cat.Objects(kind, db)
	out := make([]T, len(defs))
	for i, def := range defs {
		if err := decodeObject(def, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
