package admin

import (
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/ddltext"
	"github.com/duramendb/duramen/query/gms/infoschema"
)

// createdSystemTable is SHOW CREATE TABLE of such a table.
func (s showing) createdSystemTable(def *catalog.TableDef) *adminRows {
	if def.Engine == "VIEW" {
		return &adminRows{names: []string{"View", "Create View", "character_set_client", "collation_connection"},
			rows: [][]any{{def.Name, strings.TrimSpace(infoschema.UserView), "latin1", "latin1_swedish_ci"}}}
	}
	return &adminRows{names: []string{"Table", "Create Table"}, rows: [][]any{{def.Name, s.style().Table(def, 0)}}}
}

// style is how the session wants to see definitions.
func (s showing) style() ddltext.Style {
	return ddltext.StyleOf(s.Vars.Str("sql_mode"), s.Vars.On("sql_quote_show_create"))
}
