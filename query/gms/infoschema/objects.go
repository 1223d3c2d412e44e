package infoschema

import (
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/types/charset"
)

// views fills VIEWS. VIEW_DEFINITION is the query as it was written.
func views(s *scan) error {
	if s.server.Visible(s.ctx, "mysql", "") && (s.onlyDB == "" || strings.EqualFold(s.onlyDB, "mysql")) {
		o := ddltext.ParseObject(strings.TrimSpace(UserView))
		s.add("def", "mysql", "user", o.Body, "NONE", "YES", o.Definer, o.Security, "latin1", "latin1_swedish_ci", o.Algorithm)
	}
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		all, err := tables.Views(s.cat, db.Name)
		if err != nil {
			return err
		}
		for _, v := range all {
			if !s.server.Visible(s.ctx, db.Name, v.Name) {
				continue
			}
			o := ddltext.ParseObject(v.CreateViewStatement)
			s.add("def", db.Name, v.Name, o.Body, o.CheckOption, "NO", Definer(o, v.Origin), o.Security,
				Client(v.Origin), Connection(v.Origin), o.Algorithm)
		}
		return nil
	})
}

// Definer is user@host: as the statement names it, or its author.
func Definer(o ddltext.Object, from tables.Origin) string {
	switch {
	case o.Definer != "":
		return o.Definer
	case from.Creator != "":
		return from.Creator
	}
	return "root@localhost"
}

// Client is character_set_client of an object's session.
func Client(o tables.Origin) string {
	if o.Client == "" {
		return "utf8mb4"
	}
	return o.Client
}

// Connection is its collation_connection.
func Connection(o tables.Origin) string {
	if o.Connection == "" || strings.Contains(o.Connection, "_0900_") { // MariaDB has no such
		return "utf8mb4_general_ci"
	}
	return o.Connection
}

func triggers(s *scan) error {
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		all, err := tables.Triggers(s.cat, db.Name)
		if err != nil {
			return err
		}
		order := map[string]int{}
		for _, t := range all {
			o := ddltext.ParseObject(t.CreateStatement)
			if !s.server.Visible(s.ctx, db.Name, o.Table) {
				continue
			}
			key := strings.ToLower(o.Table) + " " + o.Timing + " " + o.Event
			order[key]++
			s.add("def", db.Name, t.Name, o.Event, "def", db.Name, o.Table, order[key], nil, o.Body, "ROW", o.Timing, nil, nil, "OLD", "NEW",
				s.clock(t.CreatedAt, 10*time.Millisecond), t.Origin.Mode, Definer(o, t.Origin), Client(t.Origin), Connection(t.Origin), db.Collation)
		}
		return nil
	})
}

func routines(s *scan) error {
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		all, err := tables.Procedures(s.cat, db.Name)
		if err != nil {
			return err
		}
		for _, p := range all {
			if !s.server.Visible(s.ctx, db.Name, p.Name) {
				continue
			}
			o := ddltext.ParseObject(p.CreateStatement)
			s.add(p.Name, "def", db.Name, p.Name, o.Kind, "", nil, nil, nil, nil, nil, nil, nil, nil, "SQL", o.Body, nil, nil, "SQL",
				yesNo(o.Deterministic), o.DataAccess, nil, o.Security, s.time(p.CreatedAt), s.time(p.ModifiedAt), p.Origin.Mode, o.Comment,
				Definer(o, p.Origin), Client(p.Origin), Connection(p.Origin), db.Collation)
		}
		return nil
	})
}

func parameters(s *scan) error {
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		all, err := tables.Procedures(s.cat, db.Name)
		if err != nil {
			return err
		}
		coll := uint16(mysql.Collation_utf8mb4_general_ci)
		if c, ok := charset.ByName(db.Collation); ok {
			coll = c.ID()
		}
		for _, p := range all {
			if !s.server.Visible(s.ctx, db.Name, p.Name) {
				continue
			}
			o := ddltext.ParseObject(p.CreateStatement)
			for i, param := range o.Parameters() {
				f := parameterFacts(param.Type, coll)
				s.add("def", db.Name, p.Name, i+1, param.Mode, param.Name, f.dataType, f.length, f.octets, f.precision, f.scale, f.datetime,
					f.charset, f.collation, f.columnType, o.Kind)
			}
		}
		return nil
	})
}

func parameterFacts(text string, coll uint16) typeFacts {
	typ, err := schema.ParseType(text, 0)
	if err != nil {
		return typeFacts{dataType: text, columnType: text}
	}
	if t, ok := typ.(sql.TypeWithCollation); ok && t.Collation() != sql.Collation_binary && !strings.Contains(strings.ToLower(text), "char set") {
		if c, err := collation.Engine(coll); err == nil {
			if with, err := t.WithNewCollation(c); err == nil {
				typ = with
			}
		}
	}
	return factsOf(schema.TypeText(typ, 0), coll, nil)
}

func events(s *scan) error {
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		all, err := tables.Events(s.cat, db.Name)
		if err != nil {
			return err
		}
		for _, e := range all {
			if !s.server.Visible(s.ctx, db.Name, e.Name) {
				continue
			}
			e.EventDefinition = *e.ConvertTimesFromUTCToTz(sql.SystemTimezoneOffset())
			kind, status, completion := "ONE TIME", "ENABLED", "NOT PRESERVE"
			var at, starts, ends, number, unit any
			if e.HasExecuteAt {
				at = wall(e.ExecuteAt)
			} else {
				kind, starts = "RECURRING", wall(e.Starts)
				n, u, _ := strings.Cut(e.ExecuteEvery, " ")
				number, unit = n, u
				if e.HasEnds {
					ends = wall(e.Ends)
				}
			}
			switch e.Status {
			case sql.EventStatus_Enable.String():
			case sql.EventStatus_DisableOnSlave.String():
				status = "SLAVESIDE_DISABLED"
			default:
				status = "DISABLED"
			}
			originator := any(e.Originator)
			if e.Originator == 0 {
				if originator, err = s.ctx.GetSessionVariable(s.ctx, "server_id"); err != nil {
					return err
				}
			}
			if e.OnCompletionPreserve {
				completion = "PRESERVE"
			}
			s.add("def", db.Name, e.Name, strings.ReplaceAll(e.Definer, "`", ""), "SYSTEM", "SQL", e.EventBody, kind, at, number, unit, e.SqlMode,
				starts, ends, status, completion, wall(e.CreatedAt), wall(e.LastAltered), wall(e.LastExecuted), e.Comment, originator,
				Client(e.Origin), Connection(e.Origin), db.Collation)
		}
		return nil
	})
}

// wall is a time that is kept as its session's clock showed it.
func wall(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}
