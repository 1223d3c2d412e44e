package catalog

import (
	"fmt"
	"math"

	"github.com/duramendb/duramen/row"
)

// AutoIncrementValue is the value of the AUTO_INCREMENT column in a row image;
// 0 if the table has none, or the value is not positive.
func (t *Table) AutoIncrementValue(image []byte) (uint64, error) {
	if t.AutoIncrement < 0 {
		return 0, nil
	}
	var one [1]any
	var columns = [1]int{t.AutoIncrement}
	vals, err := row.DecodeSome(one[:0], t.Columns, image, columns[:])
	if err != nil {
		return 0, fmt.Errorf("auto-increment column of %s.%s: %w", t.Def.DB, t.Def.Name, err)
	}
	for _, v := range vals {
		switch v := v.(type) {
		case int64:
			return uint64(max(v, 0)), nil
		case uint64:
			return v, nil
		case float32:
			return floatValue(float64(v)), nil
		case float64:
			return floatValue(v), nil
		}
	}
	return 0, nil
}

func floatValue(f float64) uint64 {
	switch {
	case !(f >= 1):
		return 0
	case f >= math.MaxUint64:
		return math.MaxUint64
	}
	return uint64(f)
}
