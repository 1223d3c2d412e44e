package gms

import (
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/query/clienttext"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/binlog/event"
	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/gms/syntax"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/statement"
	"github.com/duramendb/duramen/query/types/charset"
)

// definition is the run of a statement that changes definitions.
type definition struct {
	s   *Session
	c   *sql.Context
	st  *syntax.Statement
	b   bindings
	out outcome
}

// run runs a statement that changes definitions: what is open is committed
// first, and the change is committed with the statement's own text as its log
// record. Statements about temporary tables are neither logged nor do they commit.
func (d *definition) run() error {
	if err := d.s.CheckReadOnly(&d.st.Statement); err != nil {
		return err
	}
	if err := checkPrimaryKeys(d.st.AST); err != nil {
		return err
	}
	if err := d.collate(); err != nil {
		return err
	}
	if err := parse.CheckCollations(d.st.AST); err != nil {
		return err
	}
	if err := d.checkDefiner(); err != nil {
		return err
	}
	if d.s.temporaryOnly(d.st) {
		return d.s.runInTransaction(d.c, d.st, d.b, d.out)
	}
	if err := confine(d.s, d.st); err != nil {
		return err
	}
	if err := d.s.ReadLock.MayChange(); err != nil {
		return err
	}
	if some, err := d.dropping(); some != nil || err != nil {
		if err != nil {
			return err
		}
		return some.run()
	}
	defer d.s.ForgetDropped()
	if !d.s.Confined() || d.s.Tx != nil {
		if err := d.s.CommitAll(d.c); err != nil {
			return err
		}
	}
	if _, err := d.s.BeginChange(d.c, d.st.Text); err != nil {
		return err
	}
	d.out.hold()
	if err := d.attempt(); err != nil {
		return err
	}
	if d.s.Replicated != nil && d.s.Replicated.RowsFollow {
		d.s.Chain(session.NextTransaction{})
		return d.out.finish(d.c)
	}
	if err := d.s.CommitAll(d.c); err != nil {
		return err
	}
	if ddl, ok := d.st.AST.(*sqlparser.DBDDL); ok && (ddl.DBName == "" || strings.EqualFold(ddl.DBName, d.s.DB())) {
		switch ddl.Action {
		case sqlparser.DropStr:
			d.s.SetDB("")
		case sqlparser.CreateStr:
			if d.st.Before != nil { // it was another database of the name
				d.s.SetDB("")
			}
		case sqlparser.AlterStr:
			session.FollowDB(&d.s.Session)
		}
	}
	if err := d.routinePrivileges(); err != nil {
		return err
	}
	return d.out.finish(d.c)
}

// collate resolves the character sets and collations that a statement of the client's names. In routines it was parsed with what it says.
func (d *definition) collate() error {
	switch d.st.AST.(type) {
	case *sqlparser.DDL, *sqlparser.AlterTable, *sqlparser.DBDDL:
	default:
		return nil
	}
	if runningOf(d.c).depth > 0 {
		return nil
	}
	defaults := defaultCollations(d.s)
	ast, changed, err := d.s.reader().Collated(innerText(d.s, d.st.Text), defaults)
	for _, n := range defaults.Notes {
		d.c.Session.Warn(&sql.Warning{Level: "Note", Code: int(n.Number), Message: n.Message})
	}
	if err == nil && changed {
		resolved := *d.st
		resolved.AST = ast
		d.st = &resolved
	}
	return err
}

// defaultCollations are those of the server, of databases and of tables as the session sees them.
func defaultCollations(s *Session) *parse.Defaults {
	named := func(name string) *charset.Collation {
		c, ok := charset.ByName(name)
		if !ok {
			c, _ = charset.ByID(mysql.Collation_utf8mb4_general_ci)
		}
		return c
	}
	cat := s.engine.Store.Catalog().Current()
	in := func(db string) string {
		if db == "" {
			return s.DB()
		}
		return db
	}
	d := &parse.Defaults{Server: named(s.Vars.Str("collation_server")), Client: named("").Set()}
	if set, ok := charset.SetByName(s.Vars.Str("character_set_client")); ok && set.Name() != "binary" && !clienttext.Foreign(set) {
		d.Client = set
	}
	d.Connection, _ = charset.SetByName(s.Vars.Str("character_set_connection"))
	mode, _ := s.Vars.Value(session.VarSQLMode).(string)
	d.Strict = strings.Contains(mode, "STRICT_") || strings.Contains(mode, "TRADITIONAL")
	d.Database = func(name string) *charset.Collation {
		if def := cat.Database(in(name)); def != nil {
			return named(def.Collation)
		}
		return d.Server
	}
	d.Table = func(db, name string) *charset.Collation {
		if def, _ := s.tables.Definition(in(db), name); def != nil {
			return named(def.Collation)
		}
		if t := cat.Table(in(db), name); t != nil {
			return named(t.Def.Collation)
		}
		return nil
	}
	d.Blob = func(db, name, column string) bool {
		def, _ := s.tables.Definition(in(db), name)
		if t := cat.Table(in(db), name); def == nil && t != nil {
			def = t.Def
		}
		return def != nil && slices.ContainsFunc(def.Columns, func(c catalog.ColumnDef) bool {
			return strings.EqualFold(c.Name, column) && c.Type == mysql.MYSQL_TYPE_BLOB
		})
	}
	return d
}

// primaryKeyOption and keyOption are the parser's marks of "col type PRIMARY KEY" and "col type KEY", which it does not export.
var primaryKeyOption, keyOption = markOf("primary key"), markOf("key")

func markOf(words string) sqlparser.ColumnKeyOption {
	ast, err := sqlparser.Parse("create table t (a int " + words + ")")
	if err != nil {
		panic(err)
	}
	return ast.(*sqlparser.DDL).TableSpec.Columns[0].Type.KeyOpt
}

// checkPrimaryKeys refuses a table with two primary keys, which go-mysql-server takes. KEY of a column is its PRIMARY KEY, and would be nothing.
func checkPrimaryKeys(ast sqlparser.Statement) error {
	d, ok := ast.(*sqlparser.DDL)
	if !ok || d.TableSpec == nil || d.Action != sqlparser.CreateStr {
		return nil
	}
	n := 0
	for _, col := range d.TableSpec.Columns {
		if col.Type.KeyOpt == keyOption {
			col.Type.KeyOpt = primaryKeyOption
		}
		if col.Type.KeyOpt == primaryKeyOption {
			n++
		}
	}
	for _, idx := range d.TableSpec.Indexes {
		if idx.Info.Primary {
			n++
		}
	}
	if n > 1 {
		return mysqlerr.New(mysqlerr.MultiplePriKey)
	}
	return nil
}

// attempt runs the statement and sets the log record; on an error everything is rolled back.
func (d *definition) attempt() error {
	columns, defaults := d.stamps()
	err := d.settleView()
	if err == nil {
		err = d.s.attempt(d.c, d.st, d.b, d.out)
	}
	if err == nil {
		err = d.checkCreated()
	}
	if err == nil && d.s.Tx != nil && d.s.Tx.Changed() {
		err = d.s.engine.Engines.RefuseKeys(d.s.Tx.Catalog())
	}
	if err == nil && d.s.Tx != nil && d.s.Tx.Changed() {
		var text string
		if text, err = d.loggedText(); err == nil {
			var flags uint16
			if _, db := d.st.AST.(*sqlparser.DBDDL); db {
				flags = event.FlagSuppressUse // the statement's own database may not be there
			}
			q := d.s.QueryEvent(text)
			if _, alter := d.st.AST.(*sqlparser.AlterTable); alter {
				// A replica fills a new column DEFAULT NOW(6) with the time to the microsecond.
				q.Microseconds = uint32(d.c.QueryTime().Nanosecond() / 1000)
				q.HasMicroseconds = q.Microseconds != 0
			}
			if d.zoned(columns, defaults) {
				q.TimeZone = d.s.Vars.Str("time_zone")
			}
			d.s.Tx.SetDDL(q, flags)
		}
	}
	if err != nil {
		d.s.RollbackAll()
	}
	return err
}

// stamps are the TIMESTAMP columns of the table that the statement defines, and their literal defaults, which are moments.
func (d *definition) stamps() (columns, defaults string) {
	switch n := d.st.AST.(type) {
	case *sqlparser.AlterTable:
	case *sqlparser.DDL:
		if n.TableSpec == nil && n.Action != sqlparser.AlterStr {
			return "", ""
		}
	default:
		return "", ""
	}
	for _, use := range d.st.Tables {
		t := d.s.EnsureTxn().Catalog().Table(d.s.DBOf(use), use.Name)
		if t == nil {
			continue
		}
		for i := range t.Def.Columns {
			c := &t.Def.Columns[i]
			if c.Type == mysql.MYSQL_TYPE_TIMESTAMP2 {
				columns += "," + c.Name
			}
			if c.DefaultMoment != 0 {
				defaults += "," + c.Name + "=" + strconv.FormatInt(c.DefaultMoment, 10)
			}
		}
	}
	return columns, defaults
}

// zoned reports whether what the statement has defined depends on the session's time zone: a replica needs it then, though it may not know its name.
// columns and defaults are what stamps was before.
func (d *definition) zoned(columns, defaults string) bool {
	nowColumns, nowDefaults := d.stamps()
	_, alter := d.st.AST.(*sqlparser.AlterTable)
	return nowDefaults != "" && nowDefaults != defaults || alter && nowColumns != columns // whose values are converted
}

// temporaryOnly reports whether a DDL statement is about temporary tables only.
func (s *Session) temporaryOnly(st *syntax.Statement) bool {
	switch n := st.AST.(type) {
	case *sqlparser.DDL:
		if n.Action == sqlparser.CreateStr && n.TableSpec == nil && n.OptLike == nil && n.OptSelect == nil {
			return false
		}
		if st.Temporary {
			return true
		}
		if n.Action != sqlparser.DropStr && n.Action != sqlparser.AlterStr && n.Action != sqlparser.TruncateStr || n.TriggerSpec != nil || n.ViewSpec != nil {
			return false
		}
	case *sqlparser.AlterTable:
	default:
		return false
	}
	if len(st.Tables) == 0 {
		return false
	}
	for _, t := range st.Tables {
		db := t.DB
		if db == "" {
			db = s.DB()
		}
		if !s.Temp.Has(db, t.Name) {
			return false
		}
	}
	return true
}

// loggedText is what replicas run for a DDL statement: its own text, except for
// CREATE TABLE ... SELECT, where the rows follow as row events and so the
// statement is that of the resulting table, as it is in routines. Engines that are only ours have InnoDB in their places.
func (d *definition) loggedText() (string, error) {
	ddl, isCreate := d.st.AST.(*sqlparser.DDL)
	isCreate = isCreate && ddl.Action == sqlparser.CreateStr && !ddl.Temporary
	inRoutine := runningOf(d.c).depth > 0 // where the text is the parser's
	if isCreate && (ddl.OptSelect != nil || d.likeTemporary(ddl) || inRoutine && ddl.TableSpec != nil) {
		text, err := d.createdText(ddl)
		if d.st.Logged != "" {
			text = "CREATE OR REPLACE" + strings.TrimPrefix(text, "CREATE")
		}
		return text, err
	}
	text := d.st.Text
	if d.st.Logged != "" {
		text = d.st.Logged
	}
	text = parse.WithEngines(text, d.s.LexMode, d.s.engine.Engines.Logged)
	if _, isAlter := d.st.AST.(*sqlparser.AlterTable); isAlter {
		return parse.WithoutAlgorithm(text, d.s.LexMode), nil
	}
	if d.st.Logged != "" {
		return text, nil
	}
	return withoutPasswords(text), nil
}

// likeTemporary reports whether a table is made like a temporary one, which replicas do not have.
func (d *definition) likeTemporary(ddl *sqlparser.DDL) bool {
	if ddl.OptLike == nil || len(ddl.OptLike.LikeTables) != 1 {
		return false
	}
	like := ddl.OptLike.LikeTables[0]
	return d.s.Temp.Has(d.s.DBOf(statement.Use{DB: like.DbQualifier.String()}), like.Name.String())
}

// createdText is the statement that makes the table which a CREATE TABLE has made.
func (d *definition) createdText(ddl *sqlparser.DDL) (string, error) {
	use := statement.Use{DB: ddl.Table.DbQualifier.String(), Name: ddl.Table.Name.String()}
	tbl := d.s.Tx.Catalog().Table(d.s.DBOf(use), use.Name)
	if tbl == nil {
		return "", mysqlerr.New(mysqlerr.NoSuchTable, d.s.DBOf(use), use.Name)
	}
	def := *tbl.Def
	asked := def.Engine
	if ddl.OptLike == nil {
		asked = parse.EngineOption(d.st.Text, d.s.LexMode)
	}
	if name := d.s.engine.Engines.Logged(asked); name != "" {
		def.Engine = name
	} else if asked == "" {
		def.Engine = "" // that is the replica's to choose, as with CREATE TABLE
	}
	text := ddltext.Table(ddltext.InZone(&def, d.s.Vars.Str("time_zone")), 0)
	if def.DB != d.s.DB() { // as the statement has it
		const create = "CREATE TABLE "
		text = create + ddltext.Name(def.DB) + "." + strings.TrimPrefix(text, create)
	}
	return text, nil
}

// queryRows runs a query of the server's own inside the running statement.
func (s *Session) queryRows(c *sql.Context, text string) ([]sql.Row, error) {
	st, _, err := s.parseOne(innerText(s, text))
	if err != nil {
		return nil, err
	}
	if err := s.authorize(st); err != nil {
		return nil, err
	}
	schema, iter, from, err := s.engine.open(c.WithQuery(text), st, nil)
	if err != nil {
		return nil, err
	}
	var buf rowBuffer
	if err := drain(c, schema, iter, from, &buf); err != nil {
		return nil, err
	}
	return buf.rows, nil
}

func collationIDOfCharset(name string) uint16 {
	if set, ok := charset.SetByName(name); ok {
		return set.Default().ID()
	}
	return mysql.Collation_utf8mb4_general_ci
}

func collationIDOf(name string) uint16 {
	if c, ok := charset.ByName(name); ok {
		return c.ID()
	}
	return mysql.Collation_utf8mb4_general_ci // of MySQL 8, where MariaDB's replicas would stop
}

// withoutPasswords replaces the clear text of IDENTIFIED BY 'password' by its hash,
// as MariaDB does before it logs a statement.
func withoutPasswords(text string) string {
	upper := strings.ToUpper(text)
	if !strings.Contains(upper, "IDENTIFIED") && !strings.Contains(upper, "PASSWORD") {
		return text
	}
	toks := dialect.Tokens(text, dialect.Mode{}, 0)
	var b strings.Builder
	last := 0
	for i := 2; i < len(toks); i++ {
		if toks[i].Kind == dialect.String && toks[i-1].Is("BY") && toks[i-2].Is("IDENTIFIED") {
			b.WriteString(text[last:toks[i].Start])
			if toks[i].Text == "" {
				b.WriteString("''")
			} else {
				b.WriteString("PASSWORD '" + account.NativeHash(toks[i].Text) + "'")
			}
			last = toks[i].End
		}
	}
	b.WriteString(text[last:])
	return b.String()
}
