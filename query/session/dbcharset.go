package session

import "github.com/duramendb/duramen/query/sysvar"

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
	if set := s.Server.SQL.CharsetOf(collation); set != "" {
		s.Vars.Store(varDBCharset, set)
		s.Vars.Store(varDBCollation, collation)
	}
}

// setOfDB sets the other one of the two variables when one of them is set.
func setOfDB(s *Session, d *sysvar.Def, v any) {
	text, _ := v.(string)
	switch d {
	case varDBCharset:
		s.Vars.Store(varDBCollation, s.Server.SQL.DefaultCollation(text))
	case varDBCollation:
		s.Vars.Store(varDBCharset, s.Server.SQL.CharsetOf(text))
	}
}
