package gms

import (
	"context"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
)

// sessionCharset caches what go-mysql-server asks for with every value.
type sessionCharset struct {
	connection sql.CharacterSetID
	results    sql.CharacterSetID
	collation  sql.CollationID
}

// Changed implements session.Follower.
func (s *Session) Changed(d *sysvar.Def, v any) {
	text, _ := v.(string)
	switch d.Name {
	case "sql_mode":
		s.sqlMode = knownModes(text)
		s.parsed.clear()
	case "character_set_connection":
		s.charset.connection, _ = sql.ParseCharacterSet(text)
	case "character_set_results":
		s.charset.results = sql.CharacterSet_Unspecified
		if text != "" {
			s.charset.results, _ = sql.ParseCharacterSet(text)
		}
	case "collation_connection":
		s.charset.collation, _ = sql.ParseCollation("", text, false)
	}
}

// Charsets implements session.Engine.
type Charsets struct{}

func (Charsets) CharsetID(name string) uint16   { return collationIDOfCharset(name) }
func (Charsets) CollationID(name string) uint16 { return collationIDOf(name) }

func (Charsets) SystemTable(db, name string) bool { return SystemTable(db, name) != nil }

func (Charsets) CheckCharset(ctx context.Context, variable string, v any) (any, error) {
	if strings.HasPrefix(variable, "collation") {
		return CollationValue(ownDefault(ctx, v))
	}
	return CharsetValue(variable, v)
}

// ownDefault replaces the collation that go-mysql-server takes for the default of utf8mb4, when a statement has
// named the character set only (SET a = 1, NAMES utf8mb4), by MariaDB's.
func ownDefault(ctx context.Context, collation any) any {
	c, _ := ctx.(*sql.Context)
	text, _ := collation.(string)
	if !parse.ForeignCollation(text) || c == nil {
		return collation
	}
	if st := runningOf(c).st; st == nil || parse.ForeignCollation(st.Text) {
		return collation
	}
	return column.DefaultCollation(sql.CharacterSet_utf8mb4).Name()
}

// CharsetValue takes the name of a character set, or the id of a collation (as
// mariadb-binlog prints it).
func CharsetValue(name string, v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		if v == nil && name == "character_set_results" {
			return nil, nil
		}
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, name, "NULL")
	}
	if dialect.IsNumber(text) {
		id, err := collationID(text)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, text)
		}
		return id.CharacterSet().Name(), nil
	}
	if strings.EqualFold(text, "utf8") {
		text = "utf8mb3"
	}
	cs, err := sql.ParseCharacterSet(text)
	if err != nil {
		return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, text)
	}
	return cs.Name(), nil
}

// collationID is a collation by its number in a text.
func collationID(text string) (sql.CollationID, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	for it := sql.NewCollationsIterator(); err == nil; {
		c, ok := it.Next()
		if !ok {
			break
		}
		if uint64(c.ID) == n {
			return c.ID, nil
		}
	}
	return 0, mysqlerr.New(mysqlerr.UnknownCollation, text)
}

func CollationValue(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCollation, "NULL")
	}
	if dialect.IsNumber(text) {
		id, err := collationID(text)
		if err != nil {
			return nil, err
		}
		return id.Name(), nil
	}
	if rest, old := strings.CutPrefix(strings.ToLower(text), "utf8_"); old {
		text = "utf8mb3_" + rest
	}
	c, err := sql.ParseCollation("", text, false)
	if err != nil || parse.ForeignCollation(text) {
		return nil, mysqlerr.New(mysqlerr.UnknownCollation, text)
	}
	return c.Name(), nil
}

// knownModes leaves out the modes that only MariaDB has: go-mysql-server takes
// sql_mode for a SET of MySQL's modes. Expressions (@@sql_mode) see the whole value.
func knownModes(modes string) string {
	var out []string
	for m := range strings.SplitSeq(modes, ",") {
		switch m {
		case "NO_AUTO_CREATE_USER", "POSTGRESQL", "ORACLE", "MSSQL", "DB2", "MAXDB", "NO_KEY_OPTIONS", "NO_TABLE_OPTIONS",
			"NO_FIELD_OPTIONS", "MYSQL323", "MYSQL40", "IGNORE_BAD_TABLE_OPTIONS", "EMPTY_STRING_IS_NULL",
			"SIMULTANEOUS_ASSIGNMENT", "TIME_ROUND_FRACTIONAL":
		default:
			out = append(out, m)
		}
	}
	return strings.Join(out, ",")
}

// setHandshakeCollation sets the character set that the client asked for in the
// handshake, as SET NAMES would.
func (s *Session) setHandshakeCollation(id uint8) {
	c := sql.CollationID(id)
	if !knownCollation(c) {
		return
	}
	if parse.ForeignCollation(c.Name()) {
		c = column.DefaultCollation(c.CharacterSet()) // clients of MySQL 8 ask for one that no replica knows
	}
	s.setNames(c)
}

func knownCollation(c sql.CollationID) (known bool) {
	defer func() {
		if recover() != nil {
			known = false
		}
	}()
	return c.Name() != "" && c.Sorter() != nil
}

// setNames sets the three variables of SET NAMES.
func (s *Session) setNames(c sql.CollationID) {
	cs := c.CharacterSet().Name()
	for _, name := range []string{"character_set_client", "character_set_connection", "character_set_results"} {
		s.Vars.Store(session.MustVar(name), cs)
	}
	s.Vars.Store(session.MustVar("collation_connection"), c.Name())
}

// SetNames is SET NAMES and SET CHARACTER SET; a collation of "" is the character set's own.
func (s *Session) SetNames(to dialect.Charset, collation string) error {
	charset := to.Name
	if to.Default {
		charset = s.engine.Globals.Str("character_set_client")
	}
	v, err := CharsetValue("character_set_client", charset)
	if err != nil {
		return err
	}
	cs, err := sql.ParseCharacterSet(v.(string))
	if err != nil {
		return mysqlerr.New(mysqlerr.UnknownCharacterSet, charset)
	}
	coll := column.DefaultCollation(cs)
	if collation != "" {
		cv, err := CollationValue(collation)
		if err != nil {
			return err
		}
		if coll, err = sql.ParseCollation("", cv.(string), false); err != nil {
			return mysqlerr.New(mysqlerr.UnknownCollation, collation)
		}
		if coll.CharacterSet() != cs {
			return mysqlerr.New(mysqlerr.CollationCharsetMismatch, collation, charset)
		}
	}
	s.setNames(coll)
	return nil
}

// ResultCollation is the id of the default collation of character_set_results.
func (s *Session) ResultCollation() uint16 {
	if s.charset.results != 0 {
		return uint16(column.DefaultCollation(s.charset.results))
	}
	return mysql.Collation_utf8mb4_general_ci
}
