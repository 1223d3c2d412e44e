package gms

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// MariaDB 10.11 was started with each of these pairs of options.
func TestServerCharset(t *testing.T) {
	for _, c := range []struct {
		set, collation         string
		wantSet, wantCollation string
		code                   int
	}{
		{"latin1", "", "latin1", "latin1_swedish_ci", 0},
		{"LATIN1", "", "latin1", "latin1_swedish_ci", 0},
		{"utf8", "", "utf8mb3", "utf8mb3_general_ci", 0},
		{"", "latin1_bin", "latin1", "latin1_bin", 0},
		{"", "utf8_bin", "utf8mb3", "utf8mb3_bin", 0},
		{"greek", "greek_bin", "greek", "greek_bin", 0},
		{"utf8mb4", "latin1_bin", "", "", 1253},
		{"klingon", "", "", "", 1115},
		{"", "klingon_ci", "", "", 1273},
		{"klingon", "latin1_bin", "", "", 1115},
	} {
		set, collation, err := ServerCharset(c.set, c.collation)
		require.Equal(t, c.wantSet, set, "%q %q", c.set, c.collation)
		require.Equal(t, c.wantCollation, collation, "%q %q", c.set, c.collation)
		code := 0
		if e := (*mysqlerr.Error)(nil); errors.As(err, &e) {
			code = int(e.Number)
		}
		require.Equal(t, c.code, code, "%q %q: %v", c.set, c.collation, err)
	}
}
