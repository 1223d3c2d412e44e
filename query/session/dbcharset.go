package session

import (
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types/charset"
)

var (
	varDBCharset   = MustVar("character_set_database")
	varDBCollation = MustVar("collation_database")
)

// FollowDB sets character_set_database and collation_database to what the session's current database has, or the server where there is
// none.
func FollowDB(s *Session) {
	collation := s.Vars.Str("collation_server")
	if def := s.Server.Store.Catalog().Current().Database(s.DB()); def != nil {
		collation = def.Collation
	}
	if c, ok := charset.ByName(collation); ok {
		s.Vars.Store(varDBCharset, c.Set().Name())
		s.Vars.Store(varDBCollation, c.Name())
	}
}

// setOfDB sets the other one of the two variables when one of them is set.
func setOfDB(s *Session, d *sysvar.Def, v any) {
	text, _ := v.(string)
	switch d {
	case varDBCharset:
		if set, ok := charset.SetByName(text); ok {
			s.Vars.Store(varDBCollation, set.Default().Name())
		}
	case varDBCollation:
		if c, ok := charset.ByName(text); ok {
			s.Vars.Store(varDBCharset, c.Set().Name())
		}
	}
}
