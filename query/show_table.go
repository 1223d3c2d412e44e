package query

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// SHOW CREATE TABLE and SHOW COLUMNS are written from the catalog, in MariaDB's
// words: go-mysql-server writes MySQL 8's, and says some types differently.

// storedTable finds a table of the catalog in the session's transaction, and checks
// that the user may see it. nil is for views, temporary and virtual tables.
func (s *Session) storedTable(ctx context.Context, use tableUse) (*catalog.Table, error) {
	db := s.dbOf(use)
	if db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) {
		return nil, nil
	}
	tx := s.ensureTxn()
	if err := tx.LockTable(ctx, db, use.name, txn.Shared); err != nil {
		return nil, err
	}
	tbl := tx.Catalog().Table(db, use.name)
	if tbl == nil || tbl.Local {
		return nil, nil
	}
	if !s.maySee(ctx, db, use.name) {
		return nil, mysqlerr.New(mysqlerr.TableAccessDenied, "SHOW", s.info.User, s.info.Host, db, use.name)
	}
	return tbl, nil
}

// maySee reports whether the user has any privilege on a table.
func (s *Session) maySee(ctx context.Context, db, table string) bool {
	users := s.engine.gms.Analyzer.Catalog.MySQLDb
	c := s.newContext(ctx, "")
	for _, p := range []sql.PrivilegeType{
		sql.PrivilegeType_Select, sql.PrivilegeType_Insert, sql.PrivilegeType_Update, sql.PrivilegeType_Delete,
		sql.PrivilegeType_Create, sql.PrivilegeType_Alter, sql.PrivilegeType_Drop, sql.PrivilegeType_Index, sql.PrivilegeType_References,
	} {
		if users.UserHasPrivileges(c, sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{Database: db, Table: table}, p)) {
			return true
		}
	}
	return false
}

// createTableText is the CREATE TABLE statement of a table; next is the value of its
// auto-increment counter, 0 or 1 if it need not be shown.
func createTableText(def *catalog.TableDef, next uint64) string {
	var lines []string
	for i := range def.Columns {
		if c := &def.Columns[i]; !c.Hidden {
			lines = append(lines, "  "+columnText(def, c))
		}
	}
	if len(def.Primary) > 0 {
		lines = append(lines, "  PRIMARY KEY ("+partsText(def, def.Primary)+")")
	}
	for i := range def.Indexes {
		lines = append(lines, "  "+indexText(def, &def.Indexes[i]))
	}
	for i := range def.ForeignKeys {
		_, text, _ := strings.Cut(foreignKeyText(def, &def.ForeignKeys[i]), ", CONSTRAINT ")
		lines = append(lines, "  CONSTRAINT "+text)
	}
	for _, c := range def.Checks {
		lines = append(lines, "  CONSTRAINT "+quoteName(c.Name)+" CHECK ("+trimParens(c.Expression)+")")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n%s\n) ENGINE=%s", quoteName(def.Name), strings.Join(lines, ",\n"), def.Engine)
	if next > 1 {
		fmt.Fprintf(&b, " AUTO_INCREMENT=%d", next)
	}
	if c, err := sql.ParseCollation("", def.Collation, false); err == nil {
		fmt.Fprintf(&b, " DEFAULT CHARSET=%s COLLATE=%s", c.CharacterSet().Name(), c.Name())
	}
	if def.Comment != "" {
		b.WriteString(" COMMENT=" + quoteText(def.Comment))
	}
	return b.String()
}

func quoteText(s string) string {
	r := strings.NewReplacer(`\`, `\\`, "'", "''", "\n", `\n`, "\r", `\r`, "\x00", `\0`)
	return "'" + r.Replace(s) + "'"
}

func columnText(def *catalog.TableDef, c *catalog.ColumnDef) string {
	b := quoteName(c.Name) + " " + mariaType(c.SQLType)
	json := strings.EqualFold(c.SQLType, "json")
	switch coll := sql.CollationID(c.Collation); {
	case json:
		b += " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
	case isCharacterType(c.SQLType) && coll.Name() != def.Collation:
		b += " CHARACTER SET " + coll.CharacterSet().Name() + " COLLATE " + coll.Name()
	}
	if c.Generated != "" {
		kind := "STORED"
		if c.Virtual {
			kind = "VIRTUAL"
		}
		b += " GENERATED ALWAYS AS (" + trimParens(c.Generated) + ") " + kind
	}
	timestamp := strings.HasPrefix(strings.ToLower(c.SQLType), "timestamp")
	switch {
	case !c.Nullable && c.Generated == "":
		b += " NOT NULL"
	case timestamp && c.Generated == "":
		b += " NULL"
	}
	if c.Invisible {
		b += " INVISIBLE"
	}
	switch {
	case c.AutoIncrement, c.Generated != "":
	case c.HasDefault:
		b += " DEFAULT " + defaultText(c)
	case c.Nullable:
		b += " DEFAULT NULL"
	}
	if c.OnUpdate != "" {
		b += " ON UPDATE " + nowText(c.OnUpdate)
	}
	if c.AutoIncrement {
		b += " AUTO_INCREMENT"
	}
	if c.Comment != "" {
		b += " COMMENT " + quoteText(c.Comment)
	}
	if json {
		b += " CHECK (json_valid(" + quoteName(c.Name) + "))"
	}
	return b
}

func isCharacterType(t string) bool {
	t = strings.ToLower(t)
	for _, p := range []string{"char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}

var (
	integerType = regexp.MustCompile(`^(tinyint|smallint|mediumint|int|bigint)(\(\d+\))?( unsigned)?`)
	nowFunction = regexp.MustCompile(`(?i)^\(*(?:now|current_timestamp|localtimestamp|localtime)\s*(\((\d*)\))?\)*$`)
)

// displayWidths are MariaDB's of signed and unsigned integers.
var displayWidths = map[string][2]int{
	"tinyint": {4, 3}, "smallint": {6, 5}, "mediumint": {9, 8}, "int": {11, 10}, "bigint": {20, 20},
}

// mariaType is a stored type as MariaDB writes it.
func mariaType(t string) string {
	switch strings.ToLower(t) {
	case "json":
		return "longtext"
	case "year":
		return "year(4)"
	}
	m := integerType.FindStringSubmatch(t)
	if m == nil || m[2] != "" {
		return t
	}
	width := displayWidths[m[1]][0]
	if m[3] != "" {
		width = displayWidths[m[1]][1]
	}
	return m[1] + "(" + strconv.Itoa(width) + ")" + t[len(m[1]):]
}

// defaultText is a column's default as an SQL expression.
func defaultText(c *catalog.ColumnDef) string {
	text := c.Default
	if m := nowFunction.FindString(text); m != "" {
		return nowText(text)
	}
	bare, quoted := unquoted(text)
	switch {
	case strings.EqualFold(text, "NULL"):
		return "NULL"
	case len(c.EnumValues) > 0 && isNumber(bare):
		n, _ := strconv.ParseUint(bare, 10, 64)
		return quoteText(members(c, n))
	case quoted && isNumeric(c.SQLType):
		return bare
	case !quoted && !c.DefaultLiteral:
		return "(" + trimParens(text) + ")"
	case !quoted && !isNumeric(c.SQLType) && !strings.HasPrefix(text, "b'") && !strings.HasPrefix(strings.ToLower(text), "0x"):
		return quoteText(text)
	}
	return text
}

// members gives the text of an ENUM's or SET's number.
func members(c *catalog.ColumnDef, n uint64) string {
	if strings.HasPrefix(strings.ToLower(c.SQLType), "enum") {
		if n >= 1 && n <= uint64(len(c.EnumValues)) {
			return c.EnumValues[n-1]
		}
		return ""
	}
	var out []string
	for i, v := range c.EnumValues {
		if n&(1<<i) != 0 {
			out = append(out, v)
		}
	}
	return strings.Join(out, ",")
}

func isNumeric(t string) bool {
	t = strings.ToLower(t)
	for _, p := range []string{"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "bit", "year"} {
		if strings.HasPrefix(t, p) {
			return true
		}
	}
	return false
}

func unquoted(text string) (bare string, quoted bool) {
	if len(text) >= 2 && text[0] == '\'' && text[len(text)-1] == '\'' {
		return strings.ReplaceAll(text[1:len(text)-1], "''", "'"), true
	}
	return text, false
}

// nowText is CURRENT_TIMESTAMP with its precision.
func nowText(text string) string {
	m := nowFunction.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	if m[2] == "" || m[2] == "0" {
		return "current_timestamp()"
	}
	return "current_timestamp(" + m[2] + ")"
}

func trimParens(s string) string {
	for len(s) >= 2 && s[0] == '(' && s[len(s)-1] == ')' && balanced(s[1:len(s)-1]) {
		s = s[1 : len(s)-1]
	}
	return s
}

func balanced(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

func partsText(def *catalog.TableDef, parts []catalog.IndexPart) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = quoteName(def.Columns[p.Column].Name)
		if p.Prefix > 0 {
			out[i] += "(" + strconv.Itoa(p.Prefix) + ")"
		}
	}
	return strings.Join(out, ",")
}

func indexText(def *catalog.TableDef, idx *catalog.IndexDef) string {
	kind := "KEY"
	switch {
	case idx.Kind != "":
		kind = strings.ToUpper(idx.Kind) + " KEY"
	case idx.Unique:
		kind = "UNIQUE KEY"
	}
	text := kind + " " + quoteName(idx.Name) + " (" + partsText(def, idx.Parts) + ")"
	if idx.Comment != "" {
		text += " COMMENT " + quoteText(idx.Comment)
	}
	return text
}

// parseShowColumns is SHOW [FULL] COLUMNS FROM table [FROM db] [LIKE | WHERE].
func (s *Session) parseShowColumns(c *cursor, full bool) adminRun {
	if !c.acceptAny("FROM", "IN") {
		return nil
	}
	use, ok := c.tableName()
	if !ok {
		return nil
	}
	if c.acceptAny("FROM", "IN") {
		use.db = c.next().text
	}
	return s.columnsRun(c, use, full)
}

// columnsRun answers SHOW COLUMNS for stored tables; others are left to
// go-mysql-server (nil).
func (s *Session) columnsRun(c *cursor, use tableUse, full bool) adminRun {
	db := s.dbOf(use)
	if db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) || s.ensureTxn().Catalog().Table(db, use.name) == nil {
		s.endIdle()
		return nil
	}
	names := []string{"Field", "Type", "Null", "Key", "Default", "Extra"}
	if full {
		names = []string{"Field", "Type", "Collation", "Null", "Key", "Default", "Extra", "Privileges", "Comment"}
	}
	keep, err := c.filter(names)
	if err != nil {
		return failRun(err)
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		tbl, err := s.storedTable(ctx, use)
		if err != nil {
			return nil, err
		}
		if tbl == nil {
			return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, use.name)
		}
		out := &adminRows{names: names}
		for i := range tbl.Def.Columns {
			if tbl.Def.Columns[i].Hidden {
				continue
			}
			row := columnRow(tbl.Def, i, full)
			ok, err := keep(row)
			if err != nil {
				return nil, err
			}
			if ok {
				out.rows = append(out.rows, row)
			}
		}
		return out, nil
	})
}

// endIdle ends a transaction that was begun only to look at the catalog.
func (s *Session) endIdle() {
	if s.tx != nil && !s.inTransaction() {
		s.rollbackAll()
	}
}

func columnRow(def *catalog.TableDef, i int, full bool) []any {
	c := &def.Columns[i]
	null, key := "NO", columnKey(def, i)
	if c.Nullable {
		null = "YES"
	}
	var def0 any
	if c.HasDefault && c.Generated == "" {
		text := defaultText(c)
		if bare, quoted := unquoted(text); quoted {
			def0 = bare
		} else if text != "NULL" {
			def0 = text
		}
	}
	var extra []string
	if c.AutoIncrement {
		extra = append(extra, "auto_increment")
	}
	if c.OnUpdate != "" {
		extra = append(extra, "on update "+nowText(c.OnUpdate))
	}
	if c.Generated != "" {
		kind := "STORED GENERATED"
		if c.Virtual {
			kind = "VIRTUAL GENERATED"
		}
		extra = append(extra, kind)
	}
	if c.Invisible {
		extra = append(extra, "INVISIBLE")
	}
	if !full {
		return []any{c.Name, mariaType(c.SQLType), null, key, def0, strings.Join(extra, ", ")}
	}
	var coll any
	switch {
	case strings.EqualFold(c.SQLType, "json"):
		coll = "utf8mb4_bin"
	case isCharacterType(c.SQLType):
		coll = sql.CollationID(c.Collation).Name()
	}
	return []any{c.Name, mariaType(c.SQLType), coll, null, key, def0, strings.Join(extra, ", "),
		"select,insert,update,references", c.Comment}
}

// columnKey is the Key column: PRI, UNI (alone in a unique index) or MUL (first of an index).
func columnKey(def *catalog.TableDef, i int) string {
	for _, p := range def.Primary {
		if p.Column == i {
			return "PRI"
		}
	}
	key := ""
	for _, idx := range def.Indexes {
		if len(idx.Parts) == 0 || idx.Parts[0].Column != i {
			continue
		}
		if idx.Unique && len(idx.Parts) == 1 && idx.Kind == "" {
			return "UNI"
		}
		key = "MUL"
	}
	return key
}

// parseShowCreateTable is SHOW CREATE TABLE name.
func (s *Session) parseShowCreateTable(c *cursor) adminRun {
	use, ok := c.tableName()
	if !ok || !c.end() {
		return nil
	}
	db := s.dbOf(use)
	if text := logTables[strings.ToLower(use.name)]; strings.EqualFold(db, "mysql") && text != "" {
		return rowsRun(func(context.Context) (*adminRows, error) {
			return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{use.name, text}}}, nil
		})
	}
	if db == "" || virtualDatabase(db) || s.temp.Has(db, use.name) || s.ensureTxn().Catalog().Table(db, use.name) == nil {
		s.endIdle()
		return nil
	}
	return rowsRun(func(ctx context.Context) (*adminRows, error) {
		tbl, err := s.storedTable(ctx, use)
		if err != nil {
			return nil, err
		}
		if tbl == nil {
			return nil, mysqlerr.New(mysqlerr.NoSuchTable, db, use.name)
		}
		text, err := s.showCreateText(tbl)
		return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{tbl.Def.Name, text}}}, err
	})
}

func (s *Session) showCreateText(tbl *catalog.Table) (string, error) {
	next := uint64(0)
	for _, c := range tbl.Def.Columns {
		if c.AutoIncrement {
			var err error
			if next, err = s.ensureTxn().PeekAutoIncrement(tbl); err != nil {
				return "", err
			}
		}
	}
	return createTableText(tbl.Def, next), nil
}
