package admin

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// systemDatabases are the databases that are not in the catalog, with their collations.
var systemDatabases = map[string]string{"mysql": "utf8mb4_general_ci", "information_schema": "utf8mb3_general_ci"}

// showCreateDatabase is SHOW CREATE DATABASE.
func (s showing) showCreateDatabase(st dialect.ShowCreateDatabase) (*adminRows, error) {
	name := strings.ToLower(st.DB)
	collation, comment := systemDatabases[name], ""
	if collation == "" {
		def := s.EnsureTxn().Catalog().Database(st.DB)
		if def == nil {
			return nil, mysqlerr.New(mysqlerr.BadDB, st.DB)
		}
		name, collation, comment = def.Name, def.Collation, def.Comment
	}
	text := s.style().Database(name, collation, comment, st.IfNotExists)
	return &adminRows{names: []string{"Database", "Create Database"}, rows: [][]any{{name, text}}}, nil
}
