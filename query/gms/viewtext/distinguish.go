package viewtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// item is a column of the view.
type item struct {
	*tree.SelectItem // nil for one of a *
	name             string
	given            bool   // a user has given the name, else it is what was written
	was              string // the name before distinguish
}

// nameMost is how long a name may be, in characters.
const nameMost = 64

// distinguish gives those expressions other names whose texts cannot be names of columns, or are the names of others, as MariaDB does.
func distinguish(items []*item) {
	for i, x := range items {
		x.was = x.name
		if !x.given && (x.name == "" || unicode.IsSpace(lastRune(x.name)) || utf8.RuneCountInString(x.name) > nameMost) {
			x.name = fmt.Sprintf("Name_exp_%d", i+1)
			x.was = x.name
		}
	}
	for i, x := range items {
		for _, before := range items[:i] {
			switch {
			case !strings.EqualFold(x.name, before.name):
			case !x.given:
				x.rename(items[:i+1])
			case !before.given:
				before.rename(items[:i+1])
			}
		}
	}
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// rename gives an item a name that no other one among some has.
func (x *item) rename(among []*item) {
	taken := func(name string) bool {
		for _, o := range among {
			if o != x && strings.EqualFold(o.name, name) {
				return true
			}
		}
		return false
	}
	name := "My_exp_" + x.was
	for attempt := 1; taken(name); attempt++ {
		name = fmt.Sprintf("My_exp_%d_%s", attempt, x.was)
	}
	x.name = name
}
