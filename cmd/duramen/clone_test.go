package main

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestProgressInterval: 0 is for no lines about the progress, as --help says.
func TestProgressInterval(t *testing.T) {
	for _, c := range []struct {
		args []string
		want time.Duration
	}{
		{nil, 5 * time.Second}, {[]string{"--progress-interval=0"}, -1}, {[]string{"--progress-interval=2"}, 2 * time.Second},
	} {
		o, err := parseClone(append([]string{"--no-defaults", "--no-follow", "--datadir=new", "host"}, c.args...), io.Discard)
		require.NoError(t, err)
		o.EnsureDefaults()
		require.Equal(t, c.want, o.ProgressInterval, "%v", c.args)
	}
}
