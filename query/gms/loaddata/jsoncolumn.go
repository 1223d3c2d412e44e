package loaddata

import (
	"github.com/dolthub/go-mysql-server/sql"

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
