package result

import (
	"bytes"
	"math"
)

// Kind is what a Value is.
type Kind uint8

// The kinds. A kind is not a column type: the value of an INT and that of a
// BIGINT are the same, and so are those of a DATETIME and a TIMESTAMP.
const (
	Null Kind = iota
	KindSigned
	KindUnsigned
	KindFloat  // single precision
	KindDouble // double precision
	KindDecimal
	KindText
	KindBytes // no text in any character set
	KindJSON  // a text that is a JSON document
	KindDate
	KindDatetime
	KindTime
	KindYear
	KindBit
)

// Value is one value, not boxed. The zero Value is NULL. Its bytes belong to
// whoever made it, for as long as that one says.
type Value struct {
	kind   Kind
	digits uint8  // fractional digits of a time; bytes of a BIT; of an integer, see Narrow
	micro  uint32 // of a time
	word   uint64
	bytes  []byte
}

// Signed is an integer of a type with a sign.
func Signed(n int64) Value { return Value{kind: KindSigned, word: uint64(n)} }

// Unsigned is an integer of a type without one.
func Unsigned(n uint64) Value { return Value{kind: KindUnsigned, word: n} }

// Narrow is an integer that a client sends in so many bytes, less than eight.
func (v Value) Narrow(bytes int) Value {
	v.digits = uint8(bytes)
	return v
}

// Width is the number of bytes that Narrow has set, 0 for all eight.
func (v Value) Width() int { return int(v.digits) }

// Float is a FLOAT.
func Float(f float32) Value { return Value{kind: KindFloat, word: math.Float64bits(float64(f))} }

// Double is a DOUBLE.
func Double(f float64) Value { return Value{kind: KindDouble, word: math.Float64bits(f)} }

// Decimal is a DECIMAL, written with all its decimals.
func Decimal(text []byte) Value { return Value{kind: KindDecimal, bytes: text} }

// Text is a string in the character set of its column.
func Text(b []byte) Value { return Value{kind: KindText, bytes: b} }

// Bytes is a string of bytes.
func Bytes(b []byte) Value { return Value{kind: KindBytes, bytes: b} }

// JSON is the text of a JSON document.
func JSON(b []byte) Value { return Value{kind: KindJSON, bytes: b} }

// Year is a YEAR.
func Year(n uint16) Value { return Value{kind: KindYear, word: uint64(n)} }

// Bit is a BIT(bits).
func Bit(n uint64, bits int) Value {
	return Value{kind: KindBit, digits: uint8((bits + 7) / 8), word: n}
}

// Moment is a date with a time of day, whether the calendar has it or not: the
// zero date and the 31st of June are values, too.
type Moment struct {
	Year                             uint16
	Month, Day, Hour, Minute, Second uint8
	Micro                            uint32
}

// Date is a DATE; the time of day does not count.
func Date(m Moment) Value {
	return Value{kind: KindDate, word: uint64(m.Year)<<40 | uint64(m.Month)<<32 | uint64(m.Day)<<24}
}

// Datetime is a DATETIME or TIMESTAMP of so many fractional digits. Further ones
// are cut off.
func Datetime(m Moment, digits int) Value {
	v := Date(m)
	v.kind = KindDatetime
	v.word |= uint64(m.Hour)<<16 | uint64(m.Minute)<<8 | uint64(m.Second)
	v.digits, v.micro = uint8(digits), cutMicro(m.Micro, digits)
	return v
}

func (v Value) moment() Moment {
	return Moment{
		Year: uint16(v.word >> 40), Month: uint8(v.word >> 32), Day: uint8(v.word >> 24),
		Hour: uint8(v.word >> 16), Minute: uint8(v.word >> 8), Second: uint8(v.word), Micro: v.micro,
	}
}

// Span is a TIME, which may be negative and longer than a day.
type Span struct {
	Negative       bool
	Hours          uint32
	Minute, Second uint8
	Micro          uint32
}

const spanNegative = 1 << 63

// Time is a TIME of so many fractional digits. Further ones are cut off.
func Time(s Span, digits int) Value {
	v := Value{
		kind: KindTime, digits: uint8(digits), micro: cutMicro(s.Micro, digits),
		word: uint64(s.Hours)<<16 | uint64(s.Minute)<<8 | uint64(s.Second),
	}
	if s.Negative {
		v.word |= spanNegative
	}
	return v
}

func (v Value) span() Span {
	return Span{Negative: v.word&spanNegative != 0, Hours: uint32(v.word >> 16), Minute: uint8(v.word >> 8), Second: uint8(v.word), Micro: v.micro}
}

var powersOfTen = [...]uint32{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000}

func cutMicro(micro uint32, digits int) uint32 { return micro - micro%powersOfTen[6-digits] }

// Kind tells what the value is.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether the value is NULL.
func (v Value) IsNull() bool { return v.kind == Null }

// Int is a Signed.
func (v Value) Int() int64 { return int64(v.word) }

// Uint is an Unsigned, Year or Bit.
func (v Value) Uint() uint64 { return v.word }

// Float is a Float or Double.
func (v Value) Float() float64 { return math.Float64frombits(v.word) }

// Raw is a Decimal, Text, Bytes or JSON; it aliases the value.
func (v Value) Raw() []byte { return v.bytes }

// Clone is the value with bytes of its own.
func (v Value) Clone() Value {
	v.bytes = bytes.Clone(v.bytes)
	return v
}
