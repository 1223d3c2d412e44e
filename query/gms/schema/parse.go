package schema

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/collation"
)

type typeKey struct {
	text      string
	collation uint16
}

// parsed caches types by their text: a schema has few distinct ones, and each
// costs a run of the SQL parser.
var parsed sync.Map // typeKey -> sql.Type

// ParseType makes the engine's type from a column's type text and collation.
func ParseType(text string, coll uint16) (sql.Type, error) {
	key := typeKey{text, coll}
	if t, ok := parsed.Load(key); ok {
		return t.(sql.Type), nil
	}
	if t, ok := AddressOf(text); ok {
		return t, nil
	}
	if text == "json" {
		return ColumnJSON, nil
	}
	if strings.HasPrefix(text, "time(") {
		return types.Time, nil // the engine has one type, whatever the precision
	}
	if strings.HasPrefix(text, "float(") || strings.HasPrefix(text, "double(") {
		base, _, _ := strings.Cut(text, "(")
		return ParseType(base, coll) // the engine takes M for a number of bits
	}
	typ, err := planbuilder.ParseColumnTypeString(context.Background(), text)
	if err != nil {
		return nil, fmt.Errorf("schema: column type %q: %w", text, err)
	}
	if t, ok := typ.(sql.TypeWithCollation); ok && coll != 0 && coll != mysql.Collation_binary {
		id, err := collation.Engine(coll)
		if err != nil {
			return nil, err
		}
		if typ, err = t.WithNewCollation(id); err != nil {
			return nil, fmt.Errorf("schema: column type %q with collation %d: %w", text, coll, err)
		}
	}
	parsed.Store(key, typ)
	return typ, nil
}
