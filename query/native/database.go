package native

import "github.com/duramendb/duramen/query/types/charset"

// databaseCollation is collation_database: that of the current database, of the server if there is none, unless the session has set it.
func (s Session) databaseCollation() string {
	set := s.Vars.Str("collation_database")
	if set != s.Vars.Globals().Str("collation_database") {
		return set
	}
	if def := s.Server.Store.Catalog().Current().Database(s.DB()); def != nil {
		return def.Collation
	}
	return s.Vars.Str("collation_server")
}

// ofDatabase is the value of a system variable that follows the current database; ok is false for others.
func (s Session) ofDatabase(name string) (value string, ok bool) {
	switch name {
	case "collation_database":
		return s.databaseCollation(), true
	case "character_set_database":
		if c, known := charset.ByName(s.databaseCollation()); known {
			return c.Set().Name(), true
		}
	}
	return "", false
}
