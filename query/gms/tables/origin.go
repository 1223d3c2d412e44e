package tables

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

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

// eventOriginator is a session that knows where the statements that it runs come from: server is the id of the server whose clients sent them, replicated says that they
// were in its log.
type eventOriginator interface {
	Originator() (server uint64, replicated bool)
}

// originated is an event as the running statement, if it is one about events, leaves it. What a primary's log makes or changes runs there, and not here, whatever it was, as
// in MariaDB (Event_parse_data::check_originator_id).
func originated(ctx *sql.Context, e Event) (Event, error) {
	s, err := sessionOf(ctx)
	if err != nil {
		return e, err
	}
	d, ok := s.Statement().AST.(*sqlparser.DDL)
	from, known := ctx.Session.(eventOriginator)
	if !ok || d.EventSpec == nil || !known {
		return e, nil
	}
	server, replicated := from.Originator()
	e.Originator = server
	if replicated || d.EventSpec.Status == sqlparser.EventStatus_DisableOnSlave { // which go-mysql-server takes for DISABLE
		e.Status = sql.EventStatus_DisableOnSlave.String()
	}
	return e, nil
}

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
		// Originator is the server id of the server that has made it, or changed it last; 0: it was stored before that was noted.
		Originator uint64 `json:",omitempty"`
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
