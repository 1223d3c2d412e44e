package tables

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/dialect/source"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// Kinds of catalog objects that belong to a database. Their bodies are JSON.
const (
	kindView      = "view"
	kindTrigger   = "trigger"
	kindProcedure = "procedure"
	kindEvent     = "event"
)

var objectKinds = []string{kindView, kindTrigger, kindProcedure, kindEvent}

var (
	_ sql.ViewDatabase            = (*Database)(nil)
	_ sql.TriggerDatabase         = (*Database)(nil)
	_ sql.StoredProcedureDatabase = (*Database)(nil)
	_ sql.EventDatabase           = (*Database)(nil)
)

// Definers is implemented by sessions that know who the definers of views and triggers are.
type Definers interface {
	// ReadsView is called when a view's definition has been read, before it is bound.
	ReadsView(create string)
	// TriggerText is the statement of a trigger of a database for this session; it was made under that sql_mode.
	TriggerText(db, create, sqlMode string) string
}

// putObject stores an object, whatever was there under its name.
func putObject(ctx *sql.Context, kind, db, name string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("%s %s.%s: %w", kind, db, name, err)
	}
	return change(ctx, catalog.Change{Objects: []catalog.ObjectDef{{Kind: kind, DB: db, Name: name, Body: b}}})
}

func dropObject(ctx *sql.Context, kind, db, name string) error {
	return change(ctx, catalog.Change{DropObjects: []catalog.ObjectKey{{Kind: kind, DB: db, Name: name}}})
}

// object reads an object; ok is false if there is none.
func object[T any](ctx *sql.Context, kind, db, name string) (body T, ok bool, err error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return body, false, err
	}
	def := cat.Object(kind, db, name)
	if def == nil {
		return body, false, nil
	}
	return body, true, decodeObject(def, &body)
}

func objects[T any](ctx *sql.Context, kind, db string) ([]T, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	defs := cat.Objects(kind, db)
	out := make([]T, len(defs))
	for i, def := range defs {
		if err := decodeObject(def, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func decodeObject(def *catalog.ObjectDef, body any) error {
	if err := json.Unmarshal(def.Body, body); err != nil {
		return fmt.Errorf("%s %s.%s: %w", def.Kind, def.DB, def.Name, err)
	}
	return nil
}

// CreateView implements sql.ViewDatabase.
func (d *Database) CreateView(ctx *sql.Context, name, selectStatement, createViewStmt string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindView, d.def.Name, name) != nil {
		return sql.ErrExistingView.New(d.def.Name, name)
	}
	if err := free(cat, d.def.Name, name); err != nil {
		return err
	}
	name = written(ctx, name)
	return putObject(ctx, kindView, d.def.Name, name, View{ViewDefinition: sql.ViewDefinition{
		Name:                name,
		TextDefinition:      selectStatement,
		CreateViewStatement: createViewStmt,
		SqlMode:             sql.LoadSqlMode(ctx).String(),
	}, Origin: originOf(ctx)})
}

// DropView implements sql.ViewDatabase.
func (d *Database) DropView(ctx *sql.Context, name string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindView, d.def.Name, name) == nil {
		return sql.ErrViewDoesNotExist.New(d.def.Name, name)
	}
	return dropObject(ctx, kindView, d.def.Name, name)
}

// GetViewDefinition implements sql.ViewDatabase.
func (d *Database) GetViewDefinition(ctx *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	def, ok, err := object[sql.ViewDefinition](ctx, kindView, d.def.Name, name)
	if s, known := ctx.Session.(Definers); known && ok {
		s.ReadsView(def.CreateViewStatement)
	}
	return def, ok, err
}

// ViewText is the query of a view; ok is false if there is no such view.
func ViewText(cat *catalog.Snapshot, db, name string) (text string, ok bool, err error) {
	view, ok, err := viewOf(cat, db, name)
	return view.TextDefinition, ok, err
}

// CreatedView is the CREATE VIEW of a view, and the sql_mode under which it was made; ok is false if there is no such view.
func CreatedView(cat *catalog.Snapshot, db, name string) (text, mode string, ok bool, err error) {
	view, ok, err := viewOf(cat, db, name)
	return view.CreateViewStatement, view.SqlMode, ok, err
}

func viewOf(cat *catalog.Snapshot, db, name string) (view sql.ViewDefinition, ok bool, err error) {
	def := cat.Object(kindView, db, name)
	if def == nil {
		return view, false, nil
	}
	err = decodeObject(def, &view)
	return view, err == nil, err
}

// AllViews implements sql.ViewDatabase.
func (d *Database) AllViews(ctx *sql.Context) ([]sql.ViewDefinition, error) {
	return objects[sql.ViewDefinition](ctx, kindView, d.def.Name)
}

// GetTriggers implements sql.TriggerDatabase.
func (d *Database) GetTriggers(ctx *sql.Context) ([]sql.TriggerDefinition, error) {
	all, err := d.triggers(ctx)
	if err != nil {
		return nil, err
	}
	defs := make([]sql.TriggerDefinition, len(all))
	s, known := ctx.Session.(Definers)
	for i, t := range all {
		defs[i] = t.TriggerDefinition
		if known {
			defs[i].CreateStatement = s.TriggerText(d.def.Name, t.CreateStatement, t.SqlMode)
		}
	}
	return defs, nil
}

func (d *Database) triggers(ctx *sql.Context) ([]Trigger, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, err
	}
	return Triggers(cat, d.def.Name)
}

// CreateTrigger implements sql.TriggerDatabase.
func (d *Database) CreateTrigger(ctx *sql.Context, def sql.TriggerDefinition) error {
	all, err := d.triggers(ctx)
	if err != nil {
		return err
	}
	for _, t := range all {
		if strings.EqualFold(t.Name, def.Name) {
			if t.Name != def.Name {
				return mysqlerr.NotYet("triggers whose names differ by case only")
			}
			return mysqlerr.New(mysqlerr.TrgAlreadyExists, d.def.Name+"."+def.Name)
		}
	}
	at, err := placeOf(all, ddltext.ParseObject(def.CreateStatement))
	if err != nil {
		return err
	}
	seq := 1
	if at > 0 {
		seq = all[at-1].Sequence + 1
	}
	for i, t := range all[at:] {
		if t.Sequence > seq+i {
			break
		}
		t.Sequence = seq + i + 1
		if err := putObject(ctx, kindTrigger, d.def.Name, t.Name, t); err != nil {
			return err
		}
	}
	return putObject(ctx, kindTrigger, d.def.Name, def.Name, Trigger{def, seq, originOf(ctx)})
}

// placeOf is where a new trigger goes among those of its database: behind them, or where FOLLOWS and PRECEDES say.
func placeOf(all []Trigger, made ddltext.Object) (int, error) {
	if made.Order == "" {
		return len(all), nil
	}
	for i, t := range all {
		o := ddltext.ParseObject(t.CreateStatement)
		if !strings.EqualFold(t.Name, made.Other) || !strings.EqualFold(o.Table, made.Table) || o.Timing != made.Timing || o.Event != made.Event {
			continue
		}
		if made.Order == "FOLLOWS" {
			i++
		}
		return i, nil
	}
	return 0, mysqlerr.New(mysqlerr.ReferencedTrgDoesNotExist, made.Other)
}

// DropTrigger implements sql.TriggerDatabase.
func (d *Database) DropTrigger(ctx *sql.Context, name string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindTrigger, d.def.Name, name) == nil {
		return sql.ErrTriggerDoesNotExist.New(name)
	}
	return dropObject(ctx, kindTrigger, d.def.Name, name)
}

// GetStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedure(ctx *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	p, ok, err := object[sql.StoredProcedureDetails](ctx, kindProcedure, d.def.Name, name)
	if ok && err == nil {
		p.CreateStatement = headOf(p)
	}
	return p, ok, err
}

// headOf is a procedure with the same parameters and without a body, which is not go-mysql-server's to run.
func headOf(p sql.StoredProcedureDetails) string {
	st, _, err := source.New(p.CreateStatement, dialect.ModeOf(p.SqlMode), nil).Statement()
	n, ok := st.(*tree.CreateRoutine)
	if err != nil || !ok {
		return p.CreateStatement
	}
	params := make([]string, len(n.Params))
	for i, param := range n.Params {
		mode := param.Mode
		if mode == "" {
			mode = "IN"
		}
		params[i] = mode + " " + dialect.QuoteName(param.Name.Text) + " LONGTEXT"
	}
	return "CREATE PROCEDURE " + dialect.QuoteName(p.Name) + "(" + strings.Join(params, ", ") + ") BEGIN END"
}

// GetStoredProcedures implements sql.StoredProcedureDatabase.
func (d *Database) GetStoredProcedures(ctx *sql.Context) ([]sql.StoredProcedureDetails, error) {
	return objects[sql.StoredProcedureDetails](ctx, kindProcedure, d.def.Name)
}

// SaveStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) SaveStoredProcedure(ctx *sql.Context, spd sql.StoredProcedureDetails) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindProcedure, d.def.Name, spd.Name) != nil {
		return sql.ErrStoredProcedureAlreadyExists.New(spd.Name)
	}
	return putObject(ctx, kindProcedure, d.def.Name, spd.Name, Procedure{spd, originOf(ctx)})
}

// DropStoredProcedure implements sql.StoredProcedureDatabase.
func (d *Database) DropStoredProcedure(ctx *sql.Context, name string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindProcedure, d.def.Name, name) == nil {
		return sql.ErrStoredProcedureDoesNotExist.New(name)
	}
	return dropObject(ctx, kindProcedure, d.def.Name, name)
}

// GetEvent implements sql.EventDatabase.
func (d *Database) GetEvent(ctx *sql.Context, name string) (sql.EventDefinition, bool, error) {
	return object[sql.EventDefinition](ctx, kindEvent, d.def.Name, name)
}

// GetEvents implements sql.EventDatabase. The token is the catalog's version.
func (d *Database) GetEvents(ctx *sql.Context) ([]sql.EventDefinition, any, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return nil, nil, err
	}
	events, err := objects[sql.EventDefinition](ctx, kindEvent, d.def.Name)
	return events, cat.Version(), err
}

func enabled(def *Event) bool { return def.Status == sql.EventStatus_Enable.String() }

// SaveEvent implements sql.EventDatabase.
func (d *Database) SaveEvent(ctx *sql.Context, def sql.EventDefinition) (bool, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return false, err
	}
	if cat.Object(kindEvent, d.def.Name, def.Name) != nil {
		return false, sql.ErrEventAlreadyExists.New(def.Name)
	}
	from := originOf(ctx)
	if c := ctx.Client(); strings.ReplaceAll(def.Definer, "`", "") == c.User+"@"+c.Address {
		def.Definer = ddltext.Account(from.Creator) // the account, not the address that it connected from
	}
	return putEvent(ctx, d.def.Name, Event{EventDefinition: def, Origin: from})
}

// DropEvent implements sql.EventDatabase.
func (d *Database) DropEvent(ctx *sql.Context, name string) error {
	cat, err := catalogOf(ctx)
	if err != nil {
		return err
	}
	if cat.Object(kindEvent, d.def.Name, name) == nil {
		return sql.ErrEventDoesNotExist.New(name)
	}
	return dropObject(ctx, kindEvent, d.def.Name, name)
}

// UpdateEvent implements sql.EventDatabase. The event takes the character sets of
// the session over, and its sql_mode together with a new body.
func (d *Database) UpdateEvent(ctx *sql.Context, originalName string, def sql.EventDefinition) (bool, error) {
	old, ok, err := object[Event](ctx, kindEvent, d.def.Name, originalName)
	if err != nil {
		return false, err
	}
	if !ok {
		return false, sql.ErrEventDoesNotExist.New(originalName)
	}
	if !strings.EqualFold(originalName, def.Name) {
		cat, err := catalogOf(ctx)
		if err != nil {
			return false, err
		}
		if cat.Object(kindEvent, d.def.Name, def.Name) != nil {
			return false, sql.ErrEventAlreadyExists.New(def.Name)
		}
		if err := dropObject(ctx, kindEvent, d.def.Name, originalName); err != nil {
			return false, err
		}
	}
	from := originOf(ctx)
	if def.EventBody == old.EventBody {
		from.Mode = old.SqlMode
	}
	return putEvent(ctx, d.def.Name, Event{EventDefinition: def, Origin: from, Originator: old.Originator})
}

// putEvent stores an event, and reports whether it is to be run.
func putEvent(ctx *sql.Context, db string, e Event) (bool, error) {
	e.SqlMode = e.Origin.Mode
	e, err := originated(ctx, e)
	if err != nil {
		return false, err
	}
	return enabled(&e), putObject(ctx, kindEvent, db, e.Name, e)
}

// UpdateLastExecuted implements sql.EventDatabase.
func (d *Database) UpdateLastExecuted(ctx *sql.Context, name string, at time.Time) error {
	def, ok, err := object[Event](ctx, kindEvent, d.def.Name, name)
	if err != nil {
		return err
	}
	if !ok {
		return sql.ErrEventDoesNotExist.New(name)
	}
	def.LastExecuted = at
	return putObject(ctx, kindEvent, d.def.Name, def.Name, def)
}

// NeedsToReloadEvents implements sql.EventDatabase.
func (d *Database) NeedsToReloadEvents(ctx *sql.Context, token any) (bool, error) {
	cat, err := catalogOf(ctx)
	if err != nil {
		return false, err
	}
	return token != cat.Version(), nil
}
