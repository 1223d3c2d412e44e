package schema

import (
	"context"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// JSON is the type of a JSON column, and of what functions make that is JSON: MariaDB's, which is text. To go-mysql-server it is a text that keeps what was
// written, in the place of its documents, which write members in another order.
//
// It is a type of its own so that functions of JSON can tell JSON from other texts, which they put in quotes. Package semantics makes a plain text of it for
// everything else that takes values of it, as go-mysql-server knows its own type of texts alone.
type JSON struct{ sql.StringType }

var (
	_ sql.StringType         = JSON{}
	_ sql.TypeWithCollation  = JSON{}
	_ sql.CollationCoercible = JSON{}
)

// ColumnJSON is the type of JSON columns: LONGTEXT of utf8mb4_bin.
var ColumnJSON = JSON{types.CreateLongText(sql.Collation_utf8mb4_bin)}

// IsJSON reports whether values of a type are JSON.
func IsJSON(t sql.Type) bool {
	_, ok := t.(JSON)
	return ok
}

// String implements sql.Type.
func (JSON) String() string { return "json" }

// Equals implements sql.Type.
func (t JSON) Equals(other sql.Type) bool {
	o, ok := other.(JSON)
	return ok && t.StringType.Equals(o.StringType)
}

// Promote implements sql.Type.
func (t JSON) Promote() sql.Type { return t }

// WithNewCollation implements sql.TypeWithCollation: JSON keeps its own.
func (t JSON) WithNewCollation(sql.CollationID) (sql.Type, error) { return t, nil }

// StringWithTableCollation implements sql.TypeWithCollation.
func (JSON) StringWithTableCollation(sql.CollationID) string { return "json" }

// CollationCoercibility implements sql.CollationCoercible.
func (t JSON) CollationCoercibility(*sql.Context) (sql.CollationID, byte) { return t.Collation(), 4 }

// textOfJSON is a value of a JSON column as it is stored.
func textOfJSON(ctx context.Context, v any) (any, error) {
	switch j := v.(type) {
	case string:
		return j, nil
	case []byte:
		return string(j), nil
	case types.JSONBytes:
		b, err := j.GetBytes(ctx)
		return string(b), err
	case sql.JSONWrapper:
		return types.JsonToMySqlString(ctx, j)
	}
	u, err := sql.UnwrapAny(ctx, v)
	if err != nil {
		return nil, err
	}
	if s, ok := u.(string); ok {
		return s, nil
	}
	return nil, wrongType(v, "JSON")
}

func textFromJSON(v any) (any, error) {
	if _, ok := v.(string); !ok {
		return nil, wrongType(v, "JSON")
	}
	return v, nil
}
