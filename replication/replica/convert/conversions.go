package convert

import (
	"fmt"
	"strings"
)

// Conversions is slave_type_conversions: a set.
type Conversions uint8

// The members of Conversions.
const (
	AllLossy Conversions = 1 << iota
	AllNonLossy
)

var conversionNames = []struct {
	name string
	is   Conversions
}{{"ALL_LOSSY", AllLossy}, {"ALL_NON_LOSSY", AllNonLossy}}

// ParseConversions reads the text of slave_type_conversions: names with commas between them, in any case. A name that is not known is an error,
// whose text is that name.
func ParseConversions(text string) (Conversions, error) {
	var c Conversions
	for name := range strings.SplitSeq(text, ",") {
		found := name == ""
		for _, n := range conversionNames {
			if strings.EqualFold(n.name, name) {
				c |= n.is
				found = true
			}
		}
		if !found {
			return 0, fmt.Errorf("%s", name)
		}
	}
	return c, nil
}

// String is the text that ParseConversions reads.
func (c Conversions) String() string {
	var names []string
	for _, n := range conversionNames {
		if c&n.is != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

// relation is what a column's type is to the type that its values become.
type relation uint8

const (
	never     relation = iota // no conversion
	same                      // same type and size
	variant                   // another format of the same
	widening                  // what the one holds the other holds
	narrowing                 // what the one holds the other may not hold
)

func (c Conversions) allow(r relation) bool {
	switch r {
	case same, variant:
		return true
	case widening:
		return c&AllNonLossy != 0
	case narrowing:
		return c&AllLossy != 0
	}
	return false
}

// compared is the relation of two sizes.
func compared(from, to int) relation {
	switch {
	case from < to:
		return widening
	case from > to:
		return narrowing
	}
	return same
}
