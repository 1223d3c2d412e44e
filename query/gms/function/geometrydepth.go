package function

import (
	"encoding/binary"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	fn "github.com/dolthub/go-mysql-server/sql/expression/function"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// geometryDepthMax is how deep collections of geometries may contain each other. go-mysql-server reads them by
// functions that call themselves, in time that grows with the square of the depth; nothing can interrupt them.
const geometryDepthMax = 100

// guardedGeometry are go-mysql-server's functions that read geometries, with a check of their arguments before them.
func guardedGeometry() map[string]sql.Function {
	out := map[string]sql.Function{}
	for _, f := range fn.BuiltIns {
		name := strings.ToLower(f.FunctionName())
		if !strings.HasPrefix(name, "st_") || !strings.Contains(name, "from") {
			continue
		}
		out[name] = sql.FunctionN{Name: name, Fn: func(c *sql.Context, args ...sql.Expression) (sql.Expression, error) {
			guarded := make([]sql.Expression, len(args))
			for i, a := range args {
				guarded[i] = &shallowGeometry{expression.UnaryExpressionStub{Child: a}}
			}
			return f.NewInstance(c, guarded)
		}}
	}
	return out
}

// shallowGeometry passes its child's value on unless it is a text or binary form of a geometry that is too deep (1436).
type shallowGeometry struct{ expression.UnaryExpressionStub }

func (g *shallowGeometry) Eval(c *sql.Context, r sql.Row) (any, error) {
	v, err := g.Child.Eval(c, r)
	if err != nil {
		return nil, err
	}
	deep := false
	switch v := v.(type) {
	case string:
		deep = deepText(v) || deepBinary([]byte(v))
	case []byte:
		deep = deepBinary(v) || deepText(string(v))
	}
	if deep {
		return nil, mysqlerr.Newf(mysqlerr.StackOverrunNeedMore, "Thread stack overrun: geometries are nested deeper than %d levels", geometryDepthMax)
	}
	return v, nil
}

func (g *shallowGeometry) String() string                 { return g.Child.String() }
func (g *shallowGeometry) Type(c *sql.Context) sql.Type   { return g.Child.Type(c) }
func (g *shallowGeometry) IsNullable(c *sql.Context) bool { return g.Child.IsNullable(c) }
func (g *shallowGeometry) WithChildren(_ *sql.Context, children ...sql.Expression) (sql.Expression, error) {
	return &shallowGeometry{expression.UnaryExpressionStub{Child: children[0]}}, nil
}

// deepText looks at brackets, those of WKT and of GeoJSON.
func deepText(s string) bool {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[', '{':
			if depth++; depth > geometryDepthMax {
				return true
			}
		case ')', ']', '}':
			depth--
		}
	}
	return false
}

// deepBinary looks at WKB: it counts what looks like the head of a collection, wherever that is, because how deep one
// lies cannot be told without reading everything before it.
func deepBinary(b []byte) bool {
	heads := 0
	for i := 0; i+wkbCollectionHead <= len(b); i++ {
		if collectionAt(b[i:]) {
			if heads++; heads > geometryDepthMax {
				return true
			}
		}
	}
	return false
}

// wkbCollectionHead is the byte order, the type and the number of members.
const wkbCollectionHead = 9

func collectionAt(b []byte) bool {
	const geometryCollection = 7
	switch b[0] {
	case 0:
		return binary.BigEndian.Uint32(b[1:]) == geometryCollection
	case 1:
		return binary.LittleEndian.Uint32(b[1:]) == geometryCollection
	}
	return false
}
