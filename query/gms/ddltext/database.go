package ddltext

import "github.com/duramendb/duramen/query/types/charset"

// Database is the CREATE DATABASE statement of a database.
func (st Style) Database(name, collation, comment string, ifNotExists bool) string {
	text := "CREATE DATABASE "
	if ifNotExists {
		text += "/*!32312 IF NOT EXISTS*/ "
	}
	text += st.Name(name)
	if c, ok := charset.ByName(collation); ok {
		text += " /*!40100 DEFAULT CHARACTER SET " + c.Set().Name() + " COLLATE " + c.Name() + " */"
	}
	if comment != "" {
		text += " COMMENT " + Text(comment)
	}
	return text
}
