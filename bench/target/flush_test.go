package target

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlushOfAStranger(t *testing.T) {
	s := &Server{Contender: Contender{Spec: Spec{Name: "prod", Kind: Running}, Profile: AsIs}}
	require.ErrorContains(t, s.Flush(context.Background()), "prod/as-is: flush: it is not known how")
}
