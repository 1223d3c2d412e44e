package semantics

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/cockroachdb/apd/v3"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/duramendb/duramen/query/gms/schema"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// target is the column that a value is stored in.
type target struct {
	ctx    *sql.Context
	column *sql.Column
	// row counts the rows of the statement from 1.
	row int64
	// strict says that a value that does not fit is an error; else it becomes the
	// nearest one that fits, with a warning.
	strict bool
	// assignment is how values of the expression become the column's; nil where it is not known.
	assignment *assignment
}

// misfit is the error of a value that does not fit; without strict mode it is a
// warning, and nil.
func (t *target) misfit(e *mysqlerr.Error) error {
	if t.strict {
		return e
	}
	t.warn(e)
	return nil
}

func (t *target) warn(e *mysqlerr.Error) { t.say("Warning", e) }

// note tells of a loss that is no error in any mode.
func (t *target) note(e *mysqlerr.Error) { t.say("Note", e) }

func (t *target) say(level string, e *mysqlerr.Error) {
	t.ctx.Session.Warn(&sql.Warning{Level: level, Code: int(e.Number), Message: e.Message})
}

func (t *target) outOfRange() *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.WarnDataOutOfRange, t.column.Name, t.row)
}

func (t *target) truncated() *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.DataTruncated, t.column.Name, t.row)
}

func (t *target) tooLong() *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.DataTooLong, t.column.Name, t.row)
}

func (t *target) incorrect(kind string, v any) *mysqlerr.Error {
	return mysqlerr.New(mysqlerr.TruncatedWrongValueForField, kind, v, t.column.DatabaseSource, t.column.Source, t.column.Name, t.row)
}

// wrongTime is the error 1292 of a text that is no date or time.
func (t *target) wrongTime(kind string, v any) *mysqlerr.Error {
	return mysqlerr.Newf(mysqlerr.TruncatedWrongValue, "Incorrect %s value: '%v' for column `%s`.`%s`.`%s` at row %d",
		kind, v, t.column.DatabaseSource, t.column.Source, t.column.Name, t.row)
}

// store gives the value that the column keeps of v, which is not nil. from is the
// type of the expression that v comes from, nil if it is not known. Types that are
// not dealt with here are left to go-mysql-server.
func (t *target) store(v any, from sql.Type) (any, error) {
	v, err := sql.UnwrapAny(t.ctx, v)
	if err != nil || v == nil {
		return v, err
	}
	if a := t.assignment; a != nil && a.refused != "" && !types.IsText(t.column.Type) {
		return nil, mysqlerr.NotYet(a.refused)
	}
	if t.assignment.assigns(v) {
		return t.assigned(t.assignment, v)
	}
	to := t.column.Type
	from = typeOfTime(v, from)
	switch v.(type) {
	case uint16, uint64, int:
		// Texts to begin with: ENUM and SET are numbers only for numbers.
		if from != nil && (types.IsEnum(from) || types.IsSet(from)) && !types.IsNumber(to) {
			if v, _, err = types.ConvertToCollatedString(t.ctx, v, from); err != nil {
				return nil, err
			}
		}
	}
	if n, ok := to.(sql.NumberType); ok && n.IsNumericType() && !types.IsDecimal(to) && !types.IsYear(to) && !types.IsBit(to) {
		if n.IsFloat() {
			return t.storeFloat(v, from)
		}
		return t.storeWhole(v, from)
	}
	switch typ := to.(type) {
	case *schema.Address:
		return t.storeAddress(v, typ)
	case schema.JSON:
		return t.storeJSON(v, from, typ)
	case sql.DecimalType:
		return t.storeDecimal(v, from, typ)
	case sql.StringType:
		if typ.IsStringType() {
			return t.storeText(v, from, typ)
		}
	case types.BitType:
		return t.storeBits(v, from, typ)
	}
	switch {
	case types.IsYear(to):
		return t.storeYear(v, from)
	case types.IsEnum(to), types.IsSet(to):
		return t.storeMember(v)
	case types.IsTime(to), types.IsTimespan(to):
		return t.storeTime(v, from)
	}
	return v, nil
}

// zero is what NULL becomes in a column that has none.
func zero(t sql.Type) any {
	if e, ok := t.(sql.EnumType); ok && types.IsEnum(e) {
		return uint16(1)
	}
	return t.Zero()
}

// wholeLimits are the least and the largest value of a type of whole numbers.
func wholeLimits(t sql.Type) (low, high number) {
	switch t.Type() {
	case query.Type_INT8:
		return number{neg: true, abs: 1 << 7}, number{abs: 1<<7 - 1}
	case query.Type_INT16:
		return number{neg: true, abs: 1 << 15}, number{abs: 1<<15 - 1}
	case query.Type_INT24:
		return number{neg: true, abs: 1 << 23}, number{abs: 1<<23 - 1}
	case query.Type_INT32:
		return number{neg: true, abs: 1 << 31}, number{abs: 1<<31 - 1}
	case query.Type_INT64:
		return number{neg: true, abs: 1 << 63}, number{abs: 1<<63 - 1}
	case query.Type_UINT8:
		return number{}, number{abs: math.MaxUint8}
	case query.Type_UINT16:
		return number{}, number{abs: math.MaxUint16}
	case query.Type_UINT24:
		return number{}, number{abs: 1<<24 - 1}
	case query.Type_UINT32:
		return number{}, number{abs: math.MaxUint32}
	}
	return number{}, number{abs: math.MaxUint64}
}

func less(a, b number) bool {
	switch {
	case a.neg && a.abs == 0, b.neg && b.abs == 0:
		return less(number{neg: a.neg && a.abs != 0, abs: a.abs}, number{neg: b.neg && b.abs != 0, abs: b.abs})
	case a.neg != b.neg:
		return a.neg
	case a.neg:
		return a.abs > b.abs
	}
	return a.abs < b.abs
}

// storeWhole stores in TINYINT to BIGINT. Texts and decimals round half away from
// zero, doubles to even.
func (t *target) storeWhole(v any, from sql.Type) (any, error) {
	n, fits, err := t.whole(v, from)
	if err != nil {
		return nil, err
	}
	to := t.column.Type
	low, high := wholeLimits(to)
	if d, ok := v.(*apd.Decimal); ok && types.IsUnsigned(to) && d.Negative && !d.IsZero() {
		fits = false // also what rounds to zero
		n.neg = true
	}
	switch {
	case !fits && n.neg, less(n, low):
		n, fits = low, false
	case !fits, less(high, n):
		n, fits = high, false
	}
	if !fits {
		if err := t.misfit(t.outOfRange()); err != nil {
			return nil, err
		}
	}
	if types.IsUnsigned(to) {
		v, _ = n.value(true)
	} else {
		v, _ = n.value(false)
	}
	v, _, err = to.Convert(t.ctx, v)
	return v, err
}

// whole rounds a value; fits is false beyond 64 bits, when only the sign of n counts.
func (t *target) whole(v any, from sql.Type) (n number, fits bool, err error) {
	switch v := v.(type) {
	case bool:
		if v {
			return number{abs: 1}, true, nil
		}
		return number{}, true, nil
	case int:
		return signed(int64(v)), true, nil
	case int8:
		return signed(int64(v)), true, nil
	case int16:
		return signed(int64(v)), true, nil
	case int32:
		return signed(int64(v)), true, nil
	case int64:
		return signed(v), true, nil
	case uint:
		return number{abs: uint64(v)}, true, nil
	case uint8:
		return number{abs: uint64(v)}, true, nil
	case uint16:
		return number{abs: uint64(v)}, true, nil
	case uint32:
		return number{abs: uint64(v)}, true, nil
	case uint64:
		return number{abs: v}, true, nil
	case float32:
		return wholeOfFloat(float64(v))
	case float64:
		return wholeOfFloat(v)
	case *apd.Decimal:
		return wholeOfDecimal(v)
	case string:
		return t.wholeOfText(v)
	case []byte:
		return t.wholeOfText(string(v))
	}
	d, err := decimalOf(t.ctx, v, from)
	if err != nil {
		return number{}, false, err
	}
	if from != nil && (types.IsTime(from) || types.IsTimespan(from)) && d.Exponent < 0 {
		down := *wide
		down.Rounding = apd.RoundDown // fractions of a second are cut off
		cut := new(apd.Decimal)
		if _, err := down.Quantize(cut, d, 0); err == nil {
			d = cut
		}
	}
	return wholeOfDecimal(d)
}

func wholeOfFloat(f float64) (number, bool, error) {
	f = math.RoundToEven(f)
	n := number{neg: f < 0}
	if abs := math.Abs(f); abs < 1<<64 {
		n.abs = uint64(abs)
		return n, true, nil
	}
	return n, false, nil
}

func wholeOfDecimal(d *apd.Decimal) (number, bool, error) {
	rounded := new(apd.Decimal)
	if _, err := wide.Quantize(rounded, d, 0); err != nil {
		return number{neg: d.Negative}, false, nil //nolint:nilerr // it is beyond all limits
	}
	n := number{neg: rounded.Negative}
	if !rounded.Coeff.IsUint64() {
		return n, false, nil
	}
	n.abs = rounded.Coeff.Uint64()
	return n, true, nil
}

// storeFloat stores in FLOAT and DOUBLE.
func (t *target) storeFloat(v any, from sql.Type) (any, error) {
	var f float64
	switch s := v.(type) {
	case string:
		d, err := t.decimalOfText(s, "double")
		if err != nil {
			return nil, err
		}
		f = floatOf(d)
	case []byte:
		d, err := t.decimalOfText(string(s), "double")
		if err != nil {
			return nil, err
		}
		f = floatOf(d)
	case float32:
		f = float64(s)
	case float64:
		f = s
	default:
		d, err := decimalOf(t.ctx, v, from)
		if err != nil {
			return nil, err
		}
		f = floatOf(d)
	}
	limit := math.MaxFloat64
	if t.column.Type.Type() == query.Type_FLOAT32 {
		limit = math.MaxFloat32
	}
	if math.IsNaN(f) || math.Abs(f) > limit {
		if err := t.misfit(t.outOfRange()); err != nil {
			return nil, err
		}
		f = math.Copysign(limit, f)
	}
	out, _, err := t.column.Type.Convert(t.ctx, f)
	return out, err
}

func floatOf(d *apd.Decimal) float64 {
	f, err := d.Float64()
	if err != nil {
		f = math.Inf(1)
		if d.Negative {
			f = math.Inf(-1)
		}
	}
	return f
}

// storeBits stores in BIT(n): all bits set if the value has more.
func (t *target) storeBits(v any, from sql.Type, to types.BitType) (any, error) {
	var n number
	var fits bool
	switch s := v.(type) {
	case string:
		n, fits = bitsOfText(s)
	case []byte:
		n, fits = bitsOfText(string(s))
	default:
		var err error
		if n, fits, err = t.whole(v, from); err != nil {
			return nil, err
		}
		if n.neg {
			n.abs = -n.abs
		}
	}
	width := to.NumberOfBits()
	if most := uint64(math.MaxUint64) >> (64 - width); !fits || n.abs > most {
		if t.strict {
			return nil, t.tooLong()
		}
		t.warn(t.outOfRange())
		n.abs = most
	}
	return n.abs, nil
}

// bitsOfText takes the bytes of a text as one number.
func bitsOfText(s string) (number, bool) {
	s = strings.TrimLeft(s, "\x00")
	if len(s) > 8 {
		return number{}, false
	}
	var n uint64
	for i := range len(s) {
		n = n<<8 | uint64(s[i])
	}
	return number{abs: n}, true
}

// storeYear stores in YEAR: 0, 1901 to 2155, and two digits from 1970 to 2069.
func (t *target) storeYear(v any, from sql.Type) (any, error) {
	text, isText := v.(string)
	n, fits, err := t.whole(v, from)
	if err != nil {
		return nil, err
	}
	year := int64(-1)
	if fits && !(n.neg && n.abs != 0) && n.abs <= 2155 {
		year = int64(n.abs)
	}
	switch {
	case isText && year == 0 && len(strings.TrimSpace(text)) < 4 && strings.TrimSpace(text) != "":
		year = 2000
	case year > 0 && year < 70:
		year += 2000
	case year >= 70 && year < 100:
		year += 1900
	case year == 0, year > 1900:
	default:
		if err := t.misfit(t.outOfRange()); err != nil {
			return nil, err
		}
		year = 0
	}
	return int16(year), nil
}

// storeMember stores in ENUM and SET.
func (t *target) storeMember(v any) (any, error) {
	out, in, err := t.column.Type.Convert(t.ctx, v)
	if err == nil && in == sql.InRange && out != nil {
		return out, nil
	}
	if err := t.misfit(t.truncated()); err != nil {
		return nil, err
	}
	if types.IsEnum(t.column.Type) {
		return uint16(0), nil
	}
	return t.membersOf(v), nil
}

// membersOf is the set of those names of a list that the column knows.
func (t *target) membersOf(v any) any {
	text, ok := v.(string)
	set, isSet := t.column.Type.(sql.SetType)
	if !ok || !isSet {
		return uint64(0)
	}
	var bits uint64
	for _, name := range strings.Split(text, ",") {
		if b, _, err := set.Convert(t.ctx, name); err == nil {
			n, _ := b.(uint64)
			bits |= n
		}
	}
	return bits
}

// storeText stores in CHAR to LONGTEXT and their binary kin: too long a text is an
// error, unless only blanks are lost.
func (t *target) storeText(v any, from sql.Type, to sql.StringType) (any, error) {
	var s string
	switch text := v.(type) {
	case string:
		s = text
	case []byte:
		s = string(text)
	default:
		if from == nil || types.IsJSON(from) {
			return v, nil
		}
		out, done, err := t.spell(v, from)
		if done || err != nil {
			return out, err
		}
		if s, err = timeText(t.ctx, v, from); err != nil {
			return v, nil //nolint:nilerr // go-mysql-server converts it, or says why not
		}
		v = s
	}
	binary := to.CharacterSet() == sql.CharacterSet_binary
	limit := to.Length()
	if binary {
		limit = to.MaxByteLength()
	}
	large := types.IsTextBlob(to)
	var cut string
	switch {
	case large || binary:
		if limit = to.MaxByteLength(); int64(len(s)) <= limit {
			if to.Type() == query.Type_BINARY && int64(len(s)) < limit { // which triggers see, too
				return append([]byte(s), make([]byte, limit-int64(len(s)))...), nil
			}
			return v, nil
		}
		cut = s[:limit]
		for !binary && len(cut) > 0 && !utf8.RuneStart(s[len(cut)]) {
			cut = cut[:len(cut)-1]
		}
	case int64(len(s)) <= limit || int64(utf8.RuneCountInString(s)) <= limit:
		return strings.TrimRight(s, padding(to)), nil
	default:
		at := 0
		for range limit {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		}
		cut = s[:at]
	}
	if !binary && !large && strings.TrimRight(s[len(cut):], " ") == "" {
		if to.Type() == query.Type_VARCHAR {
			t.note(t.truncated())
		}
		return strings.TrimRight(cut, padding(to)), nil
	}
	if t.strict {
		return nil, t.tooLong()
	}
	t.warn(t.truncated())
	return strings.TrimRight(cut, padding(to)), nil
}
