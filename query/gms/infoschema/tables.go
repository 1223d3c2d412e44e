package infoschema

import (
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/engines"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/types/charset"
)

// pageBytes is the least that MariaDB says a table takes: one page of InnoDB.
const pageBytes = 16384

// tablesTable fills TABLES.
func tablesTable(s *scan) error {
	for _, def := range s.systemTables() {
		kind, temporary := "SYSTEM VIEW", "Y"
		if def.DB == "mysql" {
			kind, temporary = "BASE TABLE", "N"
		}
		if def.Engine == "VIEW" {
			s.view(def.DB, def.Name)
			continue
		}
		s.add("def", def.DB, def.Name, kind, def.Engine, 11, "Fixed", nil, 0, 0, 0, 0, 0, nil, nil, nil, nil,
			def.Collation, nil, "", def.Comment, 0, temporary)
	}
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		for _, t := range s.cat.Tables(db.Name) {
			if !t.Local && s.server.Visible(s.ctx, db.Name, t.Def.Name) {
				s.table(t)
			}
		}
		views, err := tables.Views(s.cat, db.Name)
		if err != nil {
			return err
		}
		for _, v := range views {
			if s.server.Visible(s.ctx, db.Name, v.Name) {
				s.view(db.Name, v.Name)
			}
		}
		return nil
	})
}

func (s *scan) view(db, name string) {
	row := make([]any, 23)
	row[0], row[1], row[2], row[3], row[20] = "def", db, name, "VIEW", "VIEW"
	s.add(row...)
}

func (s *scan) table(t *catalog.Table) {
	def := t.Def
	size := s.size(t)
	var next any
	for i := range def.Columns {
		if def.Columns[i].AutoIncrement {
			next = max(s.server.Counter(s.ctx, t), 1)
		}
	}
	s.add("def", def.DB, def.Name, "BASE TABLE", def.Engine, version(def), rowFormat(def), size.rows, size.average, size.data, 0,
		size.indexes, 0, next, s.time(time.UnixMicro(def.CreatedAt)), nil, nil, def.Collation, nil,
		createOptions(def), def.Comment, 0, "N")
}

// tableSize is what TABLES tells of the size of a table.
type tableSize struct{ rows, average, data, indexes uint64 }

// size makes pages of InnoDB of what is less than a page, as monitoring expects of it. Other engines' bytes are what they are.
func (s *scan) size(t *catalog.Table) tableSize {
	var n tableSize
	n.rows, n.data, n.indexes = s.server.Stats(s.ctx, t)
	if t.Def.Engine == engines.InnoDB {
		n.data, n.indexes = max(n.data, pageBytes), max(n.indexes, uint64(len(t.Def.Indexes))*pageBytes)
	}
	if n.rows > 0 {
		n.average = n.data / n.rows
	}
	return n
}

// version is VERSION, that of MariaDB's .frm file: 11 with expressions of any kind, otherwise 10.
func version(def *catalog.TableDef) int {
	if len(def.Checks) > 0 {
		return 11
	}
	for i := range def.Columns {
		c := &def.Columns[i]
		if c.Generated != "" || ddltext.IsJSON(c.SQLType) || c.HasDefault && !c.DefaultLiteral && !ddltext.IsNow(c.Default) {
			return 11
		}
	}
	return 10
}

// rowFormat is ROW_FORMAT: Dynamic unless the table says something else, and Fixed for MEMORY, as in MariaDB.
func rowFormat(def *catalog.TableDef) string {
	f := def.Options["row_format"]
	if def.Engine == "MEMORY" {
		f = "fixed"
	}
	if f == "" {
		return "Dynamic"
	}
	return strings.ToUpper(f[:1]) + strings.ToLower(f[1:])
}

// createOptions are the table's options with their names in lower case.
func createOptions(def *catalog.TableDef) string {
	var out []string
	for _, o := range strings.Fields(ddltext.Options(def)) {
		name, value, _ := strings.Cut(o, "=")
		out = append(out, strings.ToLower(name)+"="+value)
	}
	if def.Partitioning != nil {
		out = append(out, "partitioned")
	}
	return strings.Join(out, " ")
}

// time is a point in time as the session's clock shows it, nil for none.
func (s *scan) time(t time.Time) any { return s.clock(t, time.Second) }

// clock is time with a given resolution.
func (s *scan) clock(t time.Time, resolution time.Duration) any {
	if t.IsZero() || t.UnixMicro() == 0 {
		return nil
	}
	t = t.In(s.server.Zone(s.ctx))
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC).Truncate(resolution)
}

func schemata(s *scan) error {
	s.add("def", "information_schema", "utf8mb3", "utf8mb3_general_ci", nil, "")
	if s.server.Visible(s.ctx, "mysql", "") {
		s.add("def", "mysql", "utf8mb4", "utf8mb4_general_ci", nil, "")
	}
	return s.eachDatabase(func(db *catalog.DatabaseDef) error {
		set := "utf8mb4"
		if c, ok := charset.ByName(db.Collation); ok {
			set = c.Set().Name()
		}
		s.add("def", db.Name, set, db.Collation, nil, db.Comment)
		return nil
	})
}
