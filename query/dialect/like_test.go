package dialect

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLike(t *testing.T) {
	for _, c := range []struct {
		text, pattern string
		want          bool
	}{
		{"autocommit", "AUTO%", true}, {"autocommit", "auto", false}, {"a_b", `a\_b`, true}, {"axb", `a\_b`, false},
		{"axb", "a_b", true}, {"", "%", true}, {"abc", "%c", true}, {"abc", "%%b%", true}, {"é", "_", true},
	} {
		require.Equal(t, c.want, Like(c.text, c.pattern), "%q like %q", c.text, c.pattern)
	}
}
