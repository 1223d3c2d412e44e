package charset

import (
	"fmt"
	"strings"
)

// Derivation is MariaDB's coercibility: where an operand's collation comes from. The lower one wins.
type Derivation uint8

// What COERCIBILITY() returns.
const (
	Explicit  Derivation = iota // COLLATE
	None                        // a mixture of collations
	Implicit                    // columns, user variables, casts
	SysConst                    // USER(), VERSION()
	Coercible                   // literals
	Numeric                     // text of numbers and temporal values
	Ignorable                   // NULL
)

var derivationWords = [...]string{"EXPLICIT", "NONE", "IMPLICIT", "SYSCONST", "COERCIBLE", "NUMERIC", "IGNORABLE"}

// String is the word that error messages use.
func (d Derivation) String() string {
	if int(d) < len(derivationWords) {
		return derivationWords[d]
	}
	return "UNKNOWN"
}

// Operand is one of the strings whose collations are put together.
type Operand struct {
	Collation  *Collation
	Derivation Derivation
	ASCII      bool // the text can only be ASCII (MariaDB's repertoire), whatever the character set
	// Constant says that Text is the operand's value, so that it may be converted if nothing is lost.
	Constant bool
	Text     []byte
}

// Aggregation is what operands agree on.
type Aggregation struct {
	Collation  *Collation
	Derivation Derivation
	ASCII      bool
}

// MixError is the failure to agree: MariaDB's errors 1267, 1270 and 1271.
type MixError struct {
	Operation string // as the caller names it: =, concat, UNION
	Operands  []Operand
}

// Number is the error number, by the number of operands.
func (e *MixError) Number() int {
	switch len(e.Operands) {
	case 2:
		return 1267
	case 3:
		return 1270
	}
	return 1271
}

func (e *MixError) Error() string {
	var b strings.Builder
	b.WriteString("Illegal mix of collations")
	if n := len(e.Operands); n == 2 || n == 3 {
		for i, o := range e.Operands {
			switch {
			case i == 0:
				b.WriteString(" ")
			case n == 2:
				b.WriteString(" and ")
			default:
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "(%s,%s)", o.Collation.name, o.Derivation)
		}
	}
	fmt.Fprintf(&b, " for operation '%s'", e.Operation)
	return b.String()
}

// Aggregate finds the collation of an operation over operands, of which there is at least one, from left to right. A comparison must have one
// (comparing); other operations may end with a _bin collation of derivation None. The error is a *MixError.
//
// Where the result's character set is not an operand's, the operand has to be converted; a constant that would lose
// characters is an error. If all operands are Numeric, so is the result: MariaDB then takes collation_connection, which is the caller's to know.
func Aggregate(operation string, comparing bool, operands ...Operand) (Aggregation, error) {
	all := Aggregation{operands[0].Collation, operands[0].Derivation, operands[0].ASCII}
	unknown := false // character sets that cannot be converted: an explicit collation may still follow
	for _, o := range operands[1:] {
		switch all.add(o) {
		case mixedCollations:
			return Aggregation{}, &MixError{operation, operands}
		case mixedSets:
			unknown = true
		}
	}
	if unknown && all.Derivation != Explicit || comparing && all.Derivation == None {
		return Aggregation{}, &MixError{operation, operands}
	}
	for _, o := range operands {
		if !all.reachable(o) {
			return Aggregation{}, &MixError{operation, operands}
		}
	}
	return all, nil
}

type mixture uint8

const (
	agreed mixture = iota
	mixedSets
	mixedCollations
)

// add takes one more operand into account. Whether the result is ASCII is a matter of all operands that could not decide, as in MariaDB: one that wins
// also says that for those before it.
func (a *Aggregation) add(o Operand) mixture {
	left, right := a.Collation, o.Collation
	if left.set != right.set {
		return a.addSet(o)
	}
	switch {
	case a.Derivation < o.Derivation, a.Derivation == o.Derivation && left == right:
	case o.Derivation < a.Derivation:
		*a = o.aggregation()
	case a.Derivation == Explicit, left.Binary() && right.Binary():
		return mixedCollations
	case left.Binary():
		return agreed
	case right.Binary():
		*a = o.aggregation()
	default:
		a.Collation, a.Derivation = left.set.Bin(), None
	}
	a.ASCII = a.ASCII && o.ASCII
	return agreed
}

// addSet is add for an operand of another character set.
func (a *Aggregation) addSet(o Operand) mixture {
	left, right := a.Collation, o.Collation
	wins := false // the right one
	switch {
	case left.set.binary():
		wins = a.Derivation > o.Derivation
	case right.set.binary():
		wins = o.Derivation <= a.Derivation
	case covers(*a, o.aggregation()):
	case covers(o.aggregation(), *a):
		wins = true
	case a.Derivation < o.Derivation && o.Derivation >= SysConst:
	case o.Derivation < a.Derivation && a.Derivation >= SysConst:
		wins = true
	default:
		bin, _ := SetByName("binary")
		*a = Aggregation{bin.Bin(), None, a.ASCII && o.ASCII}
		return mixedSets
	}
	if wins {
		*a = o.aggregation()
	}
	a.ASCII = a.ASCII && o.ASCII
	return agreed
}

func (o Operand) aggregation() Aggregation { return Aggregation{o.Collation, o.Derivation, o.ASCII} }

// covers reports whether left's character set takes right's text without a look at it.
func covers(left, right Aggregation) bool {
	l, r := left.Collation.set, right.Collation.set
	if l.Unicode() {
		switch {
		case left.Derivation < right.Derivation:
			return true
		case left.Derivation == right.Derivation:
			if !r.Unicode() || l.codec == codecUTF8 && r.codec == codecUTF8MB3 {
				return true
			}
		}
	}
	return right.ASCII && (left.Derivation < right.Derivation || left.Derivation == right.Derivation && !left.ASCII)
}

// reachable reports whether an operand can be converted to the result's character set: a constant if nothing is lost, anything else if nothing can be.
func (a *Aggregation) reachable(o Operand) bool {
	from, to := o.Collation.set, a.Collation.set
	switch {
	case o.ASCII, from == to, from.binary(), to.binary():
		return true
	case !o.Constant:
		return to.Unicode()
	}
	_, done := Convert(nil, to, from, o.Text)
	return done.OK()
}
