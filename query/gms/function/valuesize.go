package function

import (
	"context"
	"time"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// Estimated sizes of values in memory, bytes.
const (
	interfaceBytes = 16
	sliceBytes     = 24
	decimalBytes   = 64
	timeBytes      = 24
	MapEntryBytes  = 48
)

// RowBytes estimates what a row takes in memory. It allocates nothing.
func RowBytes(r sql.Row) int64 {
	n := int64(sliceBytes)
	for _, v := range r {
		n += interfaceBytes + ValueBytes(v)
	}
	return n
}

// ValueBytes estimates what a value takes besides the interface that holds it.
func ValueBytes(v any) int64 {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return int64(len(v)) + interfaceBytes
	case []byte:
		return int64(len(v)) + sliceBytes
	case *apd.Decimal:
		return decimalBytes
	case time.Time:
		return timeBytes
	case sql.JSONWrapper:
		n, _ := jsonBytes(v, jsonWalkMax)
		return 2*n + MapEntryBytes
	case []any:
		n := int64(sliceBytes)
		for _, e := range v {
			n += interfaceBytes + ValueBytes(e)
		}
		return n
	case sql.AnyWrapper:
		return v.MaxByteLength()
	}
	return 8
}

const (
	// jsonDepthMax bounds how deep arrays and objects may nest: whoever writes a
	// document as text calls itself for each level.
	jsonDepthMax = 1000
	// jsonWalkMax is where the size of a document is large enough to stop counting:
	// documents share parts, so that a small one in memory can be endless as text.
	jsonWalkMax = 1 << 30
)

// jsonBytes is the length of a document as text, in MariaDB's form without line
// breaks; where it exceeds limit, counting ends. deep tells a document that is nested
// beyond jsonDepthMax.
func jsonBytes(doc sql.JSONWrapper, limit int64) (n int64, deep bool) {
	if raw, ok := doc.(types.JSONBytes); ok {
		if b, err := raw.GetBytes(context.Background()); err == nil {
			return int64(len(b)), false
		}
	}
	v, err := doc.ToInterface(context.Background())
	if err != nil {
		return 0, false
	}
	w := jsonWalk{limit: limit}
	w.value(v, 0)
	return w.n, w.deep
}

type jsonWalk struct {
	n, limit int64
	deep     bool
}

func (w *jsonWalk) value(v any, depth int) {
	if w.n > w.limit || w.deep {
		return
	}
	if depth > jsonDepthMax {
		w.deep = true
		return
	}
	switch v := v.(type) {
	case nil:
		w.n += 4
	case string:
		w.n += quotedJSON(v)
	case []any:
		w.n += 2 + 2*max(int64(len(v))-1, 0)
		for _, e := range v {
			w.value(e, depth+1)
		}
	case map[string]any:
		w.n += 2 + 2*max(int64(len(v))-1, 0)
		for k, e := range v {
			w.n += quotedJSON(k) + 2
			w.value(e, depth+1)
		}
	case bool:
		w.n += 5
	case sql.JSONWrapper:
		inner, err := v.ToInterface(context.Background())
		if err == nil {
			w.value(inner, depth+1)
		}
	case []byte:
		w.n += int64(len(v)) + 2
	case *apd.Decimal:
		w.n += v.NumDigits() + 2
	default:
		w.n += 8
	}
}

// quotedJSON is the length of a string as JSON.
func quotedJSON(s string) int64 {
	n := int64(len(s)) + 2
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

// TextBytes is the length of a value as text, which is estimated for numbers and times.
func TextBytes(v any) int64 {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return int64(len(v))
	case []byte:
		return int64(len(v))
	case sql.JSONWrapper:
		n, _ := jsonBytes(v, jsonWalkMax)
		return n
	case *apd.Decimal:
		return v.NumDigits() + 2
	case sql.AnyWrapper:
		return v.MaxByteLength()
	}
	return 8
}
