package loaddata

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// jsonText is the text of a field for a JSON column, which is LONGTEXT of utf8mb4.
func (it *loadIter) jsonText(data []byte) (string, error) {
	in := it.charset
	if in == sql.CharacterSet_binary {
		in = sql.CharacterSet_utf8mb4
	}
	text, bad := decoded(in, data)
	if bad >= 0 {
		return "", mysqlerr.NotYet("bytes that are no text for a JSON column in LOAD DATA")
	}
	return text, nil
}

// asWritten is what a column of JSON keeps: the text itself, where go-mysql-server would write the document anew. What is no document stays what it is, and
// is an error where it is stored.
func asWritten(c *sql.Context, col *sql.Column, v any) any {
	text, ok := v.(string)
	if !ok || !types.IsJSON(col.Type) {
		return v
	}
	if _, _, err := col.Type.Convert(c, text); err != nil {
		return v
	}
	return types.NewLazyJSONDocument([]byte(text))
}
