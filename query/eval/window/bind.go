package window

import (
	"strings"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/eval/aggregate"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Call is a call of a function over a window, with its arguments bound.
type Call struct {
	Name     string // in upper case
	Distinct bool
	Args     []*eval.Expr // none: COUNT(*). Of WITHIN GROUP (ORDER BY x) x is the last.
}

// Bind settles the type of a call. Its error is MariaDB's: 1235 for functions that are not over windows, and for DISTINCT, which only MIN and MAX take; others
// for arguments of types that the function does not take. How many arguments there are, and what the window has, is for the grammar and for Shape.
func Bind(b *eval.Builder, c Call) (types.Type, error) {
	def, ok := Find(c.Name)
	switch {
	case !ok:
		return types.Type{}, mysqlerr.NotYet(c.Name + "() aggregate as window function")
	case c.Distinct && def.Name != "MIN" && def.Name != "MAX":
		return types.Type{}, mysqlerr.NotYet(c.Name + "(DISTINCT) aggregate as window function")
	case len(c.Args) < def.ArgsMin || len(c.Args) > def.ArgsMax:
		return types.Type{}, mysqlerr.New(mysqlerr.WrongParamcountToNativeFct, c.Name)
	}
	c.Name = def.Name
	return def.typeOf(b, &c)
}

func aggregateType(b *eval.Builder, c *Call) (types.Type, error) {
	fn, err := aggregate.Bind(b, aggregate.Call{Name: c.Name, Args: c.Args}) // DISTINCT changes nothing of MIN and MAX
	if err != nil {
		return types.Type{}, err
	}
	return fn.Type, nil
}

// placeLength is the length of the BIGINT that is the number of a row, a rank, or a part.
const placeLength = 21

// place is the type of ROW_NUMBER, of ranks and of NTILE, which takes an argument of every type: error 4024 comes with a value below 1.
func place(*eval.Builder, *Call) (types.Type, error) {
	return types.BigintType(placeLength, false), nil
}

// Digits after the point of what is computed as a part of one, or between two values, and the length of a DOUBLE besides them.
const (
	shareDecimals     = 10
	fixedDoubleLength = 17
	doubleLength      = 23 // of one whose digits are not fixed
)

// share is the type of PERCENT_RANK and CUME_DIST.
func share(*eval.Builder, *Call) (types.Type, error) {
	return types.FixedDoubleType(fixedDoubleLength, shareDecimals).OrNull(), nil
}

// valueOfRow is the type of functions that show the first argument of a row.
func valueOfRow(_ *eval.Builder, c *Call) (types.Type, error) {
	return aggregate.ExtremeType(c.Args[0]), nil
}

// nthValue is valueOfRow of NTH_VALUE, which subtracts one from its second argument.
func nthValue(b *eval.Builder, c *Call) (types.Type, error) {
	if n := c.Args[1]; n.Type.Kind.Address() {
		return types.Type{}, mysqlerr.New(mysqlerr.IllegalParameterTypes, n.Type.Name(), "bigint", "-")
	}
	return valueOfRow(b, c)
}

// median is the type of MEDIAN, which MariaDB computes as PERCENTILE_CONT(0.5).
func median(_ *eval.Builder, c *Call) (types.Type, error) {
	return between(c.Args[0], 1)
}

func percentileCont(_ *eval.Builder, c *Call) (types.Type, error) {
	part := c.Args[0]
	if err := isPart(c, part); err != nil {
		return types.Type{}, err
	}
	return between(c.Args[1], part.Type.Decimals)
}

// between is the type of a value between two of x. Its length follows from the digits after the point of the part that is asked for.
func between(x *eval.Expr, partDecimals uint8) (types.Type, error) {
	if !isNumber(x.Type) && !x.Type.Kind.Temporal() {
		return types.Type{}, mysqlerr.New(mysqlerr.WrongTypeForPercentileFunc, "percentile_cont")
	}
	length := uint32(doubleLength)
	if partDecimals < types.NotFixed {
		length = fixedDoubleLength + uint32(partDecimals)
	}
	return types.FixedDoubleType(length, shareDecimals).OrNull(), nil
}

// isNumber reports whether values of a type are numbers; x'41' is a text here.
func isNumber(t types.Type) bool {
	switch t.Class() {
	case types.ClassInt:
		return t.Kind != types.Enum && t.Kind != types.Set
	case types.ClassFloat, types.ClassDec:
		return true
	}
	return false
}

// isPart refuses a part that is no number. Errors 4102 and 4103 come with its value.
func isPart(c *Call, part *eval.Expr) error {
	if !isNumber(part.Type) {
		return mysqlerr.New(mysqlerr.WrongTypeOfArgument, strings.ToLower(c.Name))
	}
	return nil
}

// percentileDisc is the type of a value that is among those of the rows: as it is, where MIN and MAX keep the kind of columns only.
func percentileDisc(_ *eval.Builder, c *Call) (types.Type, error) {
	if err := isPart(c, c.Args[0]); err != nil {
		return types.Type{}, err
	}
	x := c.Args[1]
	t := x.Type.OrNull()
	_, _, column := x.Column()
	t.Zerofill = false
	switch {
	case t.Kind == types.Enum || t.Kind == types.Set:
		t.Kind, t.Members, t.Decimals = types.Varchar, nil, 0
	case t.Kind.Integer() && column:
		t.Length = x.Type.FullWidth()
	case t.Kind == types.Timestamp:
		t.Unsigned = column
	}
	return t, nil
}
