package gms

import (
	"context"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/gms/column"
	"github.com/duramendb/duramen/query/gms/parse"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/session"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/query/types/temporal"
)

// sessionCharset caches what go-mysql-server asks for with every value.
type sessionCharset struct {
	connection sql.CharacterSetID
	results    sql.CharacterSetID
	collation  sql.CollationID
	names      *charset.Collation // that of results as SET NAMES has it; nil: the default one of their character set
}

// Changed implements session.Follower. What go-mysql-server has a place of its own for goes there.
func (s *Session) Changed(d *sysvar.Def, v any) {
	text, _ := v.(string)
	switch d.Name {
	case "sql_mode":
		s.sqlMode = knownModes(text)
		s.parsed.clear()
	case "character_set_connection":
		s.charset.connection, _ = sql.ParseCharacterSet(text)
	case "character_set_results":
		s.charset.results, s.charset.names = sql.CharacterSet_Unspecified, nil
		if text != "" {
			s.charset.results, _ = sql.ParseCharacterSet(text)
		}
	case "collation_connection":
		s.charset.collation, _ = collation.Named(text)
	case "last_insert_id", "identity":
		id, _ := v.(uint64)
		s.base.GetLastQueryInfo().LastInsertId.Store(int64(id))
	}
}

// Charsets implements session.Engine.
type Charsets struct{}

func (Charsets) CharsetID(name string) uint16   { return collationIDOfCharset(name) }
func (Charsets) CollationID(name string) uint16 { return collationIDOf(name) }

func (Charsets) SystemTable(db, name string) bool { return SystemTable(db, name) != nil }

func (Charsets) CheckCharset(ctx context.Context, variable string, v any) (any, error) {
	if variable == "time_zone" {
		name, ok := v.(string)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownTimeZone, v)
		}
		zone, err := temporal.ParseZone(name)
		if err != nil {
			return nil, mysqlerr.New(mysqlerr.UnknownTimeZone, name)
		}
		return zone.String(), nil // in MariaDB's form: -0:00 is +00:00
	}
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
	set, err := charsetNamed(text)
	if err == nil && name == "character_set_client" && set.MinLen() > 1 { // statements are not read in it
		return nil, mysqlerr.New(mysqlerr.WrongValueForVar, name, set.Name())
	}
	if err != nil {
		return nil, err
	}
	return set.Name(), nil
}

// ServerCharset makes one of the options character_set_server and collation_server of the other, as MariaDB does
// when it starts: a character set alone means its default collation, a collation alone its character set. Which
// values are "" was not said. The error is 1115, 1273, or 1253 if the two do not go together.
func ServerCharset(set, collation string) (setName, collationName string, err error) {
	if collation == "" {
		s, err := charsetNamed(set)
		if err != nil {
			return "", "", err
		}
		return s.Name(), s.Default().Name(), nil
	}
	v, err := CollationValue(collation)
	if err != nil {
		return "", "", err
	}
	c, _ := charset.ByName(v.(string))
	if set != "" {
		s, err := charsetNamed(set)
		if err != nil {
			return "", "", err
		}
		if s.Name() != c.Set().Name() {
			return "", "", mysqlerr.New(mysqlerr.CollationCharsetMismatch, c.Name(), s.Name())
		}
	}
	return c.Set().Name(), c.Name(), nil
}

func charsetNamed(text string) (*charset.Set, error) {
	if c, ok := byNumber(text); ok {
		return c.Set(), nil
	}
	name := text
	if strings.EqualFold(text, "utf8") {
		name = "utf8mb3"
	}
	if set, ok := charset.SetByName(name); ok {
		return set, nil
	}
	return nil, mysqlerr.New(mysqlerr.UnknownCharacterSet, text)
}

// byNumber is a collation by its number in a text.
func byNumber(text string) (*charset.Collation, bool) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, false
	}
	return charset.ByID(uint16(n))
}

func CollationValue(v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return nil, mysqlerr.New(mysqlerr.UnknownCollation, "NULL")
	}
	if c, ok := byNumber(text); ok {
		return c.Name(), nil
	}
	name := text
	if rest, old := strings.CutPrefix(strings.ToLower(text), "utf8_"); old {
		name = "utf8mb3_" + rest
	}
	if c, ok := charset.ByName(name); ok {
		return c.Name(), nil
	}
	return nil, mysqlerr.New(mysqlerr.UnknownCollation, text)
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
	if c, ok := charset.ByID(uint16(id)); ok && c.Set().MinLen() == 1 {
		s.setNames(c)
	} else if parse.ForeignCollation(sql.CollationID(id).Name()) {
		utf8mb4, _ := charset.SetByName("utf8mb4")
		s.setNames(utf8mb4.Default()) // clients of MySQL 8 ask for one that no replica knows
	}
}

// setNames sets the three variables of SET NAMES.
func (s *Session) setNames(c *charset.Collation) {
	for _, name := range []string{"character_set_client", "character_set_connection", "character_set_results"} {
		s.Vars.Store(session.MustVar(name), c.Set().Name())
	}
	s.Vars.Store(session.MustVar("collation_connection"), c.Name())
	s.charset.names = c
}

// SetNames is SET NAMES and SET CHARACTER SET; a collation of "" is the character set's own.
func (s *Session) SetNames(to dialect.Charset, collation string) error {
	name := to.Name
	if to.Default {
		name = s.engine.Globals.Str("character_set_client")
	}
	v, err := CharsetValue("character_set_client", name)
	if err != nil {
		return err
	}
	set, _ := charset.SetByName(v.(string))
	coll := set.Default()
	if collation != "" {
		named, ok := charset.InSet(set, collation)
		if !ok {
			cv, err := CollationValue(collation)
			if err != nil {
				return err
			}
			if named, ok = charset.InSet(set, cv.(string)); !ok {
				return mysqlerr.New(mysqlerr.CollationCharsetMismatch, collation, name)
			}
		}
		coll = named
	}
	s.setNames(coll)
	return nil
}

// ShownCollation is the collation by which clients are told of columns with text, if it is not the default one of character_set_results: that of
// SET NAMES.
func (s *Session) ShownCollation() (is, shown uint16, ok bool) {
	c := s.charset.names
	if c == nil || c == c.Set().Default() {
		return 0, 0, false
	}
	return c.Set().Default().ID(), c.ID(), true
}
