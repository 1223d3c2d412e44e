package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/infoschema"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
)

// SHOW statements about tables, indexes, triggers, routines and events are views of
// information_schema in MariaDB, and are so here: a showView names the table, and for each column of
// the result the column that it shows.
type showView struct {
	table string
	// columns are pairs: name in the result, column of the table.
	columns []string
	// schemaColumn is the column of the table with the database, nameColumn that with the table that
	// FROM names ("" without one). fixed is a further condition, column = value.
	schemaColumn, nameColumn string
	fixed                    [2]string
	likeAt                   int // the column of the result that LIKE is about
}

func pairs(text string) []string { return strings.Fields(text) }

var (
	tableStatusView = showView{table: "TABLES", schemaColumn: "TABLE_SCHEMA", columns: pairs(`Name TABLE_NAME Engine ENGINE Version VERSION
		Row_format ROW_FORMAT Rows TABLE_ROWS Avg_row_length AVG_ROW_LENGTH Data_length DATA_LENGTH Max_data_length MAX_DATA_LENGTH
		Index_length INDEX_LENGTH Data_free DATA_FREE Auto_increment AUTO_INCREMENT Create_time CREATE_TIME Update_time UPDATE_TIME
		Check_time CHECK_TIME Collation TABLE_COLLATION Checksum CHECKSUM Create_options CREATE_OPTIONS Comment TABLE_COMMENT
		Max_index_length MAX_INDEX_LENGTH Temporary TEMPORARY`)}
	indexView = showView{table: "STATISTICS", schemaColumn: "TABLE_SCHEMA", nameColumn: "TABLE_NAME", columns: pairs(`Table TABLE_NAME
		Non_unique NON_UNIQUE Key_name INDEX_NAME Seq_in_index SEQ_IN_INDEX Column_name COLUMN_NAME Collation COLLATION
		Cardinality CARDINALITY Sub_part SUB_PART Packed PACKED Null NULLABLE Index_type INDEX_TYPE Comment COMMENT
		Index_comment INDEX_COMMENT Ignored IGNORED`)}
	triggerView = showView{table: "TRIGGERS", likeAt: 2, schemaColumn: "TRIGGER_SCHEMA", columns: pairs(`Trigger TRIGGER_NAME Event EVENT_MANIPULATION
		Table EVENT_OBJECT_TABLE Statement ACTION_STATEMENT Timing ACTION_TIMING Created CREATED sql_mode SQL_MODE Definer DEFINER
		character_set_client CHARACTER_SET_CLIENT collation_connection COLLATION_CONNECTION Database_Collation DATABASE_COLLATION`)}
	routineView = showView{table: "ROUTINES", likeAt: 1, columns: pairs(`Db ROUTINE_SCHEMA Name ROUTINE_NAME Type ROUTINE_TYPE Definer DEFINER
		Modified LAST_ALTERED Created CREATED Security_type SECURITY_TYPE Comment ROUTINE_COMMENT
		character_set_client CHARACTER_SET_CLIENT collation_connection COLLATION_CONNECTION Database_Collation DATABASE_COLLATION`)}
	collationView = showView{table: "COLLATIONS", columns: pairs(`Collation COLLATION_NAME Charset CHARACTER_SET_NAME Id ID Default IS_DEFAULT
		Compiled IS_COMPILED Sortlen SORTLEN`)}
	eventView = showView{table: "EVENTS", likeAt: 1, schemaColumn: "EVENT_SCHEMA", columns: pairs(`Db EVENT_SCHEMA Name EVENT_NAME Definer DEFINER
		Time_zone TIME_ZONE Type EVENT_TYPE Execute_at EXECUTE_AT Interval_value INTERVAL_VALUE Interval_field INTERVAL_FIELD
		Starts STARTS Ends ENDS Status STATUS Originator ORIGINATOR
		character_set_client CHARACTER_SET_CLIENT collation_connection COLLATION_CONNECTION Database_Collation DATABASE_COLLATION`)}
)

// resultName is a column's heading; pairs have a _ where MariaDB has a space.
func resultName(name string) string {
	switch name {
	case "Database_Collation":
		return "Database Collation"
	case "Time_zone":
		return "Time zone"
	case "Execute_at":
		return "Execute at"
	case "Interval_value":
		return "Interval value"
	case "Interval_field":
		return "Interval field"
	}
	return name
}

// showRoutines is SHOW PROCEDURE STATUS and its like.
func (s showing) showRoutines(ctx context.Context, st dialect.ShowRoutines) (*adminRows, error) {
	if st.Kind == dialect.Package || st.Kind == dialect.PackageBody { // there are none
		return filtered(routineView.names(), nil, st.Filter)
	}
	v := routineView
	v.fixed = [2]string{"ROUTINE_TYPE", string(st.Kind)}
	return s.showView(ctx, &v, statement.Use{}, st.Filter)
}

// names are the headings of the columns.
func (v *showView) names() []string {
	names := make([]string, 0, len(v.columns)/2)
	for i := 0; i < len(v.columns); i += 2 {
		names = append(names, resultName(v.columns[i]))
	}
	return names
}

// showView reads the rows of a view about a database or a table.
func (s showing) showView(ctx context.Context, v *showView, of statement.Use, f dialect.Filter) (*adminRows, error) {
	of.DB = s.DBOf(of)
	names := v.names()
	keep, err := keeps(f, names)
	if err != nil {
		return nil, err
	}
	likeAt := 0
	if f.Where == "" {
		likeAt = v.likeAt
	}
	if v.schemaColumn != "" && of.DB == "" {
		return nil, mysqlerr.New(mysqlerr.NoDB)
	}
	if err := s.checkShown(ctx, v, of); err != nil {
		return nil, err
	}
	t, err := s.SQL.Schema().Table(ctx, v.table, of.DB, of.Name)
	if err != nil {
		return nil, err
	}
	out := &adminRows{names: names, types: make([]byte, len(names))}
	at := make([]int, len(names))
	for i := range names {
		at[i] = t.Index(v.columns[2*i+1])
		if t.Numbers[at[i]] {
			out.types[i] = mysql.MYSQL_TYPE_LONGLONG
		}
	}
	for _, r := range t.Rows {
		if !v.wanted(t, r, of) {
			continue
		}
		row := make([]any, len(names))
		for i := range row {
			row[i] = shown(r[at[i]], v.table == triggerView.table)
		}
		if ok, err := keep(row[likeAt:]); err != nil {
			return nil, err
		} else if ok {
			out.rows = append(out.rows, row)
		}
	}
	return out, nil
}

func (v *showView) wanted(t *gms.SchemaTable, r []any, of statement.Use) bool {
	is := func(column, value string) bool {
		return column == "" || strings.EqualFold(fmt.Sprint(r[t.Index(column)]), value)
	}
	return is(v.schemaColumn, of.DB) && is(v.nameColumn, of.Name) && is(v.fixed[0], v.fixed[1])
}

// checkShown reports a database or table that does not exist.
func (s showing) checkShown(ctx context.Context, v *showView, of statement.Use) error {
	switch {
	case v.schemaColumn == "" || session.VirtualDatabase(of.DB):
		return nil
	case v.nameColumn == "" && !s.SQL.Schema().HasDatabase(ctx, of.DB):
		return mysqlerr.New(mysqlerr.BadDB, of.DB)
	case v.nameColumn == "" || s.Temp.Has(of.DB, of.Name) || s.isView(of.DB, of.Name):
		return nil
	}
	tbl, err := s.storedTable(ctx, of)
	if err == nil && tbl == nil {
		return mysqlerr.New(mysqlerr.NoSuchTable, of.DB, of.Name)
	}
	return err
}

// shown is a value as SHOW writes it, a time with hundredths of a second or without.
func shown(v any, hundredths bool) any {
	switch t := v.(type) {
	case time.Time:
		if hundredths {
			return t.Format("2006-01-02 15:04:05.00") // cuts what is behind
		}
		return t.Format(time.DateTime)
	case nil:
		return nil
	}
	return fmt.Sprint(v)
}

// showCreated is SHOW CREATE VIEW, TRIGGER, PROCEDURE or EVENT.
func (s showing) showCreated(name dialect.TableName, find func(*catalog.Snapshot, statement.Use) (*adminRows, error)) (*adminRows, error) {
	use := useOf(name)
	if use.DB = s.DBOf(use); use.DB == "" {
		return nil, mysqlerr.New(mysqlerr.NoDB)
	}
	return find(s.EnsureTxn().Catalog(), use)
}

func (s showing) createdView(cat *catalog.Snapshot, use statement.Use) (*adminRows, error) {
	views, err := tables.Views(cat, use.DB)
	if err != nil {
		return nil, err
	}
	for _, v := range views {
		if strings.EqualFold(v.Name, use.Name) {
			o := ddltext.ParseObject(v.CreateViewStatement)
			return &adminRows{names: []string{"View", "Create View", "character_set_client", "collation_connection"},
				rows: [][]any{{v.Name, s.style().CreateView(o, v.Name, infoschema.Definer(o, v.Origin)), infoschema.Client(v.Origin), infoschema.Connection(v.Origin)}}}, nil
		}
	}
	if cat.Table(use.DB, use.Name) != nil {
		return nil, mysqlerr.New(mysqlerr.WrongObject, use.DB, use.Name, "VIEW")
	}
	return nil, mysqlerr.New(mysqlerr.NoSuchTable, use.DB, use.Name)
}

// isView reports whether a name is that of a view.
func (s showing) isView(db, name string) bool {
	return s.EnsureTxn().Catalog().Object("view", db, name) != nil
}

// viewDef is a definition with the columns of a view, nil if there is no such view.
func (s showing) viewDef(ctx context.Context, db, name string) *catalog.TableDef {
	if db == "" || !s.isView(db, name) || !s.SQL.Rights().TableVisible(db, name) {
		return nil
	}
	return &catalog.TableDef{DB: db, Name: name, Columns: s.SQL.Schema().ViewColumns(ctx, db, name)}
}

func (s showing) createdTrigger(cat *catalog.Snapshot, use statement.Use) (*adminRows, error) {
	triggers, err := tables.Triggers(cat, use.DB)
	if err != nil {
		return nil, err
	}
	for _, t := range triggers {
		o := ddltext.ParseObject(t.CreateStatement)
		if strings.EqualFold(t.Name, use.Name) {
			if !s.SQL.Rights().SeesObject("trigger", use.DB, o.Table) {
				return nil, mysqlerr.New(mysqlerr.SpecificAccessDenied, "TRIGGER")
			}
			return &adminRows{names: []string{"Trigger", "sql_mode", "SQL Original Statement", "character_set_client", "collation_connection", "Database Collation", "Created"},
				rows: [][]any{{t.Name, t.Origin.Mode, s.style().CreateTrigger(o, infoschema.Definer(o, t.Origin)),
					infoschema.Client(t.Origin), infoschema.Connection(t.Origin), databaseCollation(cat, use.DB), shown(t.CreatedAt, true)}}}, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.TrgDoesNotExist)
}

func (s showing) createdProcedure(cat *catalog.Snapshot, use statement.Use) (*adminRows, error) {
	procedures, err := tables.Procedures(cat, use.DB)
	if err != nil {
		return nil, err
	}
	for _, p := range procedures {
		if strings.EqualFold(p.Name, use.Name) && s.SQL.Rights().SeesObject("procedure", use.DB, p.Name) {
			o := ddltext.ParseObject(p.CreateStatement)
			return &adminRows{names: []string{"Procedure", "sql_mode", "Create Procedure", "character_set_client", "collation_connection", "Database Collation"},
				rows: [][]any{{p.Name, p.Origin.Mode, s.style().CreateRoutine(o, infoschema.Definer(o, p.Origin)),
					infoschema.Client(p.Origin), infoschema.Connection(p.Origin), databaseCollation(cat, use.DB)}}}, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.SPDoesNotExist, "PROCEDURE", use.Name)
}

func (s showing) createdEvent(cat *catalog.Snapshot, use statement.Use) (*adminRows, error) {
	events, err := tables.Events(cat, use.DB)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		if strings.EqualFold(e.Name, use.Name) && s.SQL.Rights().SeesObject("event", use.DB, e.Name) {
			return &adminRows{names: []string{"Event", "sql_mode", "time_zone", "Create Event", "character_set_client", "collation_connection", "Database Collation"},
				rows: [][]any{{e.Name, e.SqlMode, "SYSTEM", infoschema.CreateEvent(e.EventDefinition),
					infoschema.Client(e.Origin), infoschema.Connection(e.Origin), databaseCollation(cat, use.DB)}}}, nil
		}
	}
	return nil, mysqlerr.New(mysqlerr.EventDoesNotExist, use.Name)
}

func databaseCollation(cat *catalog.Snapshot, db string) string {
	if def := cat.Database(db); def != nil {
		return def.Collation
	}
	return ""
}

// showSystemTables is SHOW [FULL] TABLES of the database mysql, of which go-mysql-server would list
// tables that MariaDB does not have or that cannot be read.
func (s showing) showSystemTables(ctx context.Context, st dialect.ShowTables) (*adminRows, error) {
	names := []string{"Tables_in_mysql"}
	if st.Filter.Like != "" {
		names[0] += " (" + st.Filter.Like + ")"
	}
	if st.Full {
		names = append(names, "Table_type")
	}
	a := s.SQL.Rights()
	var rows [][]any
	for _, def := range gms.SystemTables() {
		if !a.TableVisible(def.DB, def.Name) {
			continue
		}
		kind := "BASE TABLE"
		if def.Engine == "VIEW" {
			kind = "VIEW"
		}
		rows = append(rows, []any{def.Name, kind}[:len(names)])
	}
	return filtered(names, rows, st.Filter)
}
