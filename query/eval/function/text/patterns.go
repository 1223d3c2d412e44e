package text

import (
	"slices"

	"github.com/duramendb/duramen/query/eval"
)

var patterns = slices.Concat(
	[]eval.Def{},
)
