package query

import (
	"strconv"

	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/semantics"
)

// appendFloat writes a floating point number as MariaDB does.
func appendFloat(dst []byte, v float64, single bool) []byte {
	return semantics.AppendFloat(dst, v, single)
}

// appendSingle writes a FLOAT, the value of the i-th column.
func (w *wire) appendSingle(dst []byte, v float32, i int) []byte {
	if w.binary {
		return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
	}
	if d := w.cols[i].Decimals; d < mysql.NOT_FIXED_DEC {
		return strconv.AppendFloat(dst, float64(v), 'f', int(d), 64)
	}
	return appendFloat(dst, float64(v), true)
}

// appendDouble writes a DOUBLE, the value of the i-th column.
func (w *wire) appendDouble(dst []byte, v float64, i int) []byte {
	if d := w.cols[i].Decimals; d < mysql.NOT_FIXED_DEC && !w.binary {
		return strconv.AppendFloat(dst, v, 'f', int(d), 64)
	}
	return appendFloat(dst, v, w.schema[i].Type == types.Float32)
}
