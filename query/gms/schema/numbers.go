package schema

import (
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
)

// numberFromStore narrows the integers of package row to the Go types that the
// SQL engine has for each column type.
var numberFromStore = map[query.Type]fromStore{
	sqltypes.Int8:    signed[int8],
	sqltypes.Int16:   signed[int16],
	sqltypes.Int24:   signed[int32],
	sqltypes.Int32:   signed[int32],
	sqltypes.Int64:   signed[int64],
	sqltypes.Year:    signed[int16],
	sqltypes.Uint8:   unsigned[uint8],
	sqltypes.Uint16:  unsigned[uint16],
	sqltypes.Uint24:  unsigned[uint32],
	sqltypes.Uint32:  unsigned[uint32],
	sqltypes.Uint64:  unsigned[uint64],
	sqltypes.Float32: sameFromStore,
	sqltypes.Float64: sameFromStore,
}

func signed[T int8 | int16 | int32 | int64](v any) (any, error) {
	n, ok := v.(int64)
	if !ok {
		return nil, wrongType(v, "an integer")
	}
	return T(n), nil
}

func unsigned[T uint8 | uint16 | uint32 | uint64](v any) (any, error) {
	n, ok := v.(uint64)
	if !ok {
		return nil, wrongType(v, "an unsigned integer")
	}
	return T(n), nil
}

func sameFromStore(v any) (any, error) { return v, nil }
