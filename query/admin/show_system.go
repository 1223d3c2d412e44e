package admin

import (
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/infoschema"
)

// createdSystemTable is SHOW CREATE TABLE of such a table.
func createdSystemTable(def *catalog.TableDef) *adminRows {
	if def.Engine == "VIEW" {
		return &adminRows{names: []string{"View", "Create View", "character_set_client", "collation_connection"},
			rows: [][]any{{def.Name, strings.TrimSpace(infoschema.UserView), "latin1", "latin1_swedish_ci"}}}
	}
	return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{def.Name, ddltext.Table(def, 0)}}}
}
