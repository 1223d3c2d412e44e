// Package rowtest reads whole row images for tests; programs read the columns that they need.
package rowtest

import (
	"fmt"

	"github.com/duramendb/duramen/row"
)

// Decode gives the values of a full image, one per column, as row.DecodeSome does.
func Decode(cols []row.Column, image []byte) ([]any, error) {
	n, err := row.Size(cols, nil, image)
	if err != nil {
		return nil, err
	}
	if n != len(image) {
		return nil, fmt.Errorf("%w: %d bytes after the last column", row.ErrCorrupt, len(image)-n)
	}
	ordinals := make([]int, len(cols))
	for i := range ordinals {
		ordinals[i] = i
	}
	return row.DecodeSome(nil, cols, image, ordinals)
}
