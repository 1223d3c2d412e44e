package infoschema

import (
	"slices"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/tables"
)

// columns fills COLUMNS: of stored tables, views, and of the databases mysql and information_schema.
func columns(s *scan) error {
	for _, def := range s.systemTables() {
		s.columnsOf(def, "select")
	}
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		for _, t := range s.cat.Tables(db.Name) {
			if !t.Local && s.server.Visible(s.ctx, db.Name, t.Def.Name) {
				s.columnsOf(t.Def, "select,insert,update,references")
			}
		}
		views, err := tables.Views(s.cat, db.Name)
		if err != nil {
			return err
		}
		for _, v := range views {
			if s.server.Visible(s.ctx, db.Name, v.Name) {
				s.columnsOf(&catalog.TableDef{DB: db.Name, Name: v.Name, Columns: s.server.ViewColumns(s.ctx, db.Name, v.Name)}, "select,insert,update,references")
			}
		}
		return nil
	})
}

// systemTables are the tables of information_schema and mysql.
func (s *scan) systemTables() []*catalog.TableDef {
	defs := definitions()
	if s.server.Visible(s.ctx, "mysql", "") {
		defs = append(slices.Clip(defs), s.server.SystemTables()...)
	}
	return defs
}

func (s *scan) columnsOf(def *catalog.TableDef, privileges string) {
	if zone, err := s.ctx.GetSessionVariable(s.ctx, "time_zone"); err == nil {
		name, _ := zone.(string)
		def = ddltext.InZone(def, name)
	}
	at := 0
	for i := range def.Columns {
		c := &def.Columns[i]
		if c.Hidden {
			continue
		}
		at++
		f := factsOf(c.SQLType, c.Collation, c.EnumValues)
		var byDefault, expression any
		if text, ok := ddltext.Default(c); ok && !c.AutoIncrement {
			byDefault = text
		}
		generated := "NEVER"
		if c.Generated != "" {
			generated, expression = "ALWAYS", ddltext.Expression(c.Generated)
			if c.Nullable {
				byDefault = "NULL"
			}
		}
		s.add("def", def.DB, def.Name, c.Name, at, byDefault, yesNo(c.Nullable), f.dataType, f.length, f.octets,
			f.precision, f.scale, f.datetime, f.charset, f.collation, f.columnType, ddltext.Key(def, i), ddltext.Extra(c),
			privileges, c.Comment, generated, expression)
	}
}

func geometryColumns(s *scan) error {
	return s.eachTable(func(t *catalog.Table) {
		for i := range t.Def.Columns {
			c := &t.Def.Columns[i]
			if kind, ok := geometryTypes[ddltext.BaseType(c.SQLType)]; ok {
				s.add("def", t.Def.DB, t.Def.Name, "", "def", t.Def.DB, t.Def.Name, c.Name, 1, kind, 2, 0, 0)
			}
		}
	})
}

var geometryTypes = map[string]int{
	"geometry": 0, "point": 1, "linestring": 2, "polygon": 3, "multipoint": 4, "multilinestring": 5, "multipolygon": 6, "geometrycollection": 7,
}
