package types

import "github.com/duramendb/duramen/query/types/temporal"

// Mode is what sql_mode says of values and expressions. Modes that only the grammar looks at are not among them.
type Mode uint32

// The modes.
const (
	StrictTransTables Mode = 1 << iota
	StrictAllTables
	ErrorForDivisionByZero
	NoZeroDate
	NoZeroInDate
	AllowInvalidDates
	TimeRoundFractional
	NoUnsignedSubtraction
	PadCharToFullLength
	NoBackslashEscapes
	OnlyFullGroupBy
	SimultaneousAssignment
	NoAutoValueOnZero
	EmptyStringIsNull
	Oracle
)

var modeNames = map[string]Mode{
	"STRICT_TRANS_TABLES": StrictTransTables, "STRICT_ALL_TABLES": StrictAllTables, "ERROR_FOR_DIVISION_BY_ZERO": ErrorForDivisionByZero,
	"NO_ZERO_DATE": NoZeroDate, "NO_ZERO_IN_DATE": NoZeroInDate, "ALLOW_INVALID_DATES": AllowInvalidDates,
	"TIME_ROUND_FRACTIONAL": TimeRoundFractional, "NO_UNSIGNED_SUBTRACTION": NoUnsignedSubtraction,
	"PAD_CHAR_TO_FULL_LENGTH": PadCharToFullLength, "NO_BACKSLASH_ESCAPES": NoBackslashEscapes, "ONLY_FULL_GROUP_BY": OnlyFullGroupBy,
	"SIMULTANEOUS_ASSIGNMENT": SimultaneousAssignment, "NO_AUTO_VALUE_ON_ZERO": NoAutoValueOnZero, "EMPTY_STRING_IS_NULL": EmptyStringIsNull, "ORACLE": Oracle,
}

// ModeNamed is the mode of a name in upper case; 0 for one that changes no values.
func ModeNamed(name string) Mode { return modeNames[name] }

// Has reports whether one of the modes is on.
func (m Mode) Has(one Mode) bool { return m&one != 0 }

// Strict reports whether a strict mode is on.
func (m Mode) Strict() bool { return m.Has(StrictTransTables | StrictAllTables) }

// Temporal is what the mode says of dates.
func (m Mode) Temporal() temporal.Mode {
	return temporal.Mode{
		NoZeroDate: m.Has(NoZeroDate), NoZeroInDate: m.Has(NoZeroInDate),
		InvalidDates: m.Has(AllowInvalidDates), RoundFraction: m.Has(TimeRoundFractional),
	}
}
