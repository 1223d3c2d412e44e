package window

import (
	"slices"
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

// Def is a function over windows.
type Def struct {
	Name string // in upper case; of synonyms the one that package grammar chose: STD, VARIANCE
	// ArgsMin and ArgsMax are how many arguments it takes. What WITHIN GROUP orders by counts as one, the last.
	ArgsMin, ArgsMax int
	Within           bool // it has WITHIN GROUP (ORDER BY x)
	// Window is what its window has.
	Window Shape
	// Aggregate: it is an aggregate function, too, over the rows of groups.
	Aggregate bool
	typeOf    func(b *eval.Builder, c *Call) (types.Type, error)
}

// Shape is what the window of a function has besides PARTITION BY, which it may always have.
type Shape uint8

const (
	Free        Shape = iota // ORDER BY and a frame, if they are wanted
	Ordered                  // ORDER BY, and a frame if it is wanted, which changes nothing
	OrderedOnly              // ORDER BY, and no frame
	Unframed                 // ORDER BY if it is wanted, and no frame
	Partition                // neither, by the grammar
)

// NeedsOrder reports whether the window is to have ORDER BY; error 4018 says that it lacks it.
func (s Shape) NeedsOrder() bool { return s == Ordered || s == OrderedOnly }

// Frames reports whether the window may have a frame; error 4017 says that it has one that it must not have.
func (s Shape) Frames() bool { return s == Free || s == Ordered }

// Functions are all functions over windows, in the order of their names.
var Functions = []Def{
	aggregated("AVG", 1), aggregated("BIT_AND", 1), aggregated("BIT_OR", 1), aggregated("BIT_XOR", 1), aggregated("COUNT", 0),
	{Name: "CUME_DIST", Window: OrderedOnly, typeOf: share},
	{Name: "DENSE_RANK", Window: OrderedOnly, typeOf: place},
	{Name: "FIRST_VALUE", ArgsMin: 1, ArgsMax: 1, typeOf: valueOfRow},
	{Name: "LAG", ArgsMin: 1, ArgsMax: 2, Window: Ordered, typeOf: valueOfRow},
	{Name: "LAST_VALUE", ArgsMin: 1, ArgsMax: 1, typeOf: valueOfRow},
	{Name: "LEAD", ArgsMin: 1, ArgsMax: 2, Window: Ordered, typeOf: valueOfRow},
	aggregated("MAX", 1),
	{Name: "MEDIAN", ArgsMin: 1, ArgsMax: 1, Window: Partition, typeOf: median},
	aggregated("MIN", 1),
	{Name: "NTH_VALUE", ArgsMin: 2, ArgsMax: 2, typeOf: nthValue},
	{Name: "NTILE", ArgsMin: 1, ArgsMax: 1, Window: Unframed, typeOf: place},
	{Name: "PERCENTILE_CONT", ArgsMin: 2, ArgsMax: 2, Within: true, Window: Partition, typeOf: percentileCont},
	{Name: "PERCENTILE_DISC", ArgsMin: 2, ArgsMax: 2, Within: true, Window: Partition, typeOf: percentileDisc},
	{Name: "PERCENT_RANK", Window: OrderedOnly, typeOf: share},
	{Name: "RANK", Window: OrderedOnly, typeOf: place},
	{Name: "ROW_NUMBER", Window: Unframed, typeOf: place},
	aggregated("STD", 1), aggregated("STDDEV_SAMP", 1), aggregated("SUM", 1), aggregated("VARIANCE", 1), aggregated("VAR_SAMP", 1),
}

// aggregated is the entry of an aggregate function of one argument. COUNT(*) has none.
func aggregated(name string, argsMin int) Def {
	return Def{Name: name, ArgsMin: argsMin, ArgsMax: 1, Aggregate: true, typeOf: aggregateType}
}

// synonyms are other names of functions.
var synonyms = map[string]string{"STDDEV": "STD", "STDDEV_POP": "STD", "VAR_POP": "VARIANCE"}

// Find looks a function up by its name in upper case, or a synonym of it. Of the aggregate functions GROUP_CONCAT, JSON_ARRAYAGG and JSON_OBJECTAGG are
// not there: they are over groups only.
func Find(name string) (*Def, bool) {
	if other, ok := synonyms[name]; ok {
		name = other
	}
	at, ok := slices.BinarySearchFunc(Functions, name, func(d Def, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return nil, false
	}
	return &Functions[at], true
}
