// Package function is the one table of all functions of SQL that are called by name. The packages below it, and package operator, have
// them by family; this is where a missing or a double one is seen.
package function

import (
	"fmt"
	"iter"
	"maps"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/function/date"
	"github.com/duramendb/duramen/query/eval/function/info"
	"github.com/duramendb/duramen/query/eval/function/json"
	"github.com/duramendb/duramen/query/eval/function/number"
	"github.com/duramendb/duramen/query/eval/function/text"
	"github.com/duramendb/duramen/query/eval/operator"
)

var table = make(map[string]*eval.Def)

func init() {
	for _, family := range [][]eval.Def{operator.Functions, number.Functions, text.Functions, date.Functions, json.Functions, info.Functions} {
		for i := range family {
			d := &family[i]
			if table[d.Name] != nil {
				panic(fmt.Sprintf("function: %s is there twice", d.Name))
			}
			table[d.Name] = d
		}
	}
}

// Find finds a function by its name in upper case.
func Find(name string) (*eval.Def, bool) {
	d, ok := table[name]
	return d, ok
}

// Names are the names of all functions, in no order.
func Names() iter.Seq[string] { return maps.Keys(table) }
