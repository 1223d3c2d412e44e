package gtid

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ErrTagged is returned for sets of MySQL that hold GTIDs with tags (MySQL 8.3 and later, gtid_next='AUTOMATIC:tag').
var ErrTagged = errors.New("GTIDs with tags are not read; have the primary use gtid_next=AUTOMATIC, without a tag")

// UUID names the server that gave a MySQL GTID its number.
type UUID [16]byte

// String is the form with dashes, in small letters.
func (u UUID) String() string {
	var b [36]byte
	return string(u.appendTo(b[:0]))
}

func (u UUID) appendTo(dst []byte) []byte {
	for i, n := 0, 0; n < len(uuidGroups); n++ {
		if n > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, u[i:i+uuidGroups[n]])
		i += uuidGroups[n]
	}
	return dst
}

// uuidGroups are the bytes between two dashes.
var uuidGroups = [...]int{4, 2, 2, 2, 6}

func parseUUID(s string) (u UUID, err error) {
	parts := strings.Split(s, "-")
	if len(parts) != len(uuidGroups) {
		return u, fmt.Errorf("%w: %q is no UUID", ErrSyntax, s)
	}
	at := 0
	for i, p := range parts {
		b, err := hex.DecodeString(p)
		if err != nil || len(b) != uuidGroups[i] {
			return u, fmt.Errorf("%w: %q is no UUID", ErrSyntax, s)
		}
		at += copy(u[at:], b)
	}
	return u, nil
}

// MySQL is a GTID of MySQL, uuid:number. The zero value is none: numbers begin with 1.
type MySQL struct {
	Source UUID
	Number uint64
}

// mysqlNumberEnd is what all numbers of MySQL GTIDs are below (GNO_END in MySQL's rpl_gtid.h).
const mysqlNumberEnd = 1<<63 - 1

// Valid reports whether the number is one that MySQL gives.
func (g MySQL) Valid() bool { return g.Number > 0 && g.Number < mysqlNumberEnd }

func (g MySQL) String() string { return g.Source.String() + ":" + strconv.FormatUint(g.Number, 10) }

// AppendTo appends the 16 bytes of the UUID and the number, 8 bytes, little-endian.
func (g MySQL) AppendTo(dst []byte) []byte {
	return binary.LittleEndian.AppendUint64(append(dst, g.Source[:]...), g.Number)
}

// DecodeMySQL reads what AppendTo wrote.
func DecodeMySQL(b []byte) (MySQL, error) {
	if len(b) != len(UUID{})+8 {
		return MySQL{}, fmt.Errorf("%w: a MySQL GTID of %d bytes", ErrSyntax, len(b))
	}
	g := MySQL{Source: UUID(b[:len(UUID{})]), Number: binary.LittleEndian.Uint64(b[len(UUID{}):])}
	if !g.Valid() {
		return MySQL{}, fmt.Errorf("%w: MySQL GTID %s", ErrSyntax, g)
	}
	return g, nil
}

// Interval are the numbers from Start up to, and without, End.
type Interval struct{ Start, End uint64 }

// Set is a set of MySQL GTIDs, as gtid_executed has it. The intervals of a source are in order, and none touches the next. A nil Set is empty and may be
// read.
type Set map[UUID][]Interval

// ParseSet reads MySQL's text form: uuid:1-5:7, more of them after commas, blanks and line ends between them. The empty string is the empty set.
func ParseSet(text string) (Set, error) {
	s := Set{}
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		name, rest, found := strings.Cut(strings.TrimSpace(part), ":")
		source, err := parseUUID(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%w: %q has no numbers", ErrSyntax, part)
		}
		for numbers := range strings.SplitSeq(rest, ":") {
			i, err := parseInterval(strings.TrimSpace(numbers))
			if err != nil {
				return nil, err
			}
			s.add(source, i)
		}
	}
	return s, nil
}

// parseInterval reads "7" or "1-5".
func parseInterval(s string) (Interval, error) {
	if s != "" && (s[0] == '_' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z') {
		return Interval{}, fmt.Errorf("%w: %q", ErrTagged, s)
	}
	from, to, isRange := strings.Cut(s, "-")
	if !isRange {
		to = from
	}
	first, err1 := parseUint(strings.TrimSpace(from), 64)
	last, err2 := parseUint(strings.TrimSpace(to), 64)
	if errors.Join(err1, err2) != nil || first == 0 || last < first || last >= mysqlNumberEnd {
		return Interval{}, fmt.Errorf("%w: %q is no interval of numbers", ErrSyntax, s)
	}
	return Interval{first, last + 1}, nil
}

// String is the text that ParseSet reads, sorted by UUID, without blanks.
func (s Set) String() string {
	var b []byte
	for _, u := range s.sources() {
		if len(b) > 0 {
			b = append(b, ',')
		}
		b = u.appendTo(b)
		for _, i := range s[u] {
			b = strconv.AppendUint(append(b, ':'), i.Start, 10)
			if i.End > i.Start+1 {
				b = strconv.AppendUint(append(b, '-'), i.End-1, 10)
			}
		}
	}
	return string(b)
}

func (s Set) sources() []UUID {
	return slices.SortedFunc(maps.Keys(s), func(a, b UUID) int { return bytes.Compare(a[:], b[:]) })
}

// Add adds a GTID, which has to be Valid.
func (s Set) Add(g MySQL) { s.add(g.Source, Interval{g.Number, g.Number + 1}) }

// add adds an interval, and joins those that touch it.
func (s Set) add(source UUID, i Interval) {
	list := s[source]
	// The usual case: the next number of its source.
	if n := len(list); n > 0 && list[n-1].End == i.Start {
		list[n-1].End = i.End
		return
	}
	from, _ := slices.BinarySearchFunc(list, i.Start, func(x Interval, start uint64) int { return cmp.Compare(x.End, start) })
	to := from
	for to < len(list) && list[to].Start <= i.End {
		i.Start, i.End = min(i.Start, list[to].Start), max(i.End, list[to].End)
		to++
	}
	s[source] = slices.Replace(list, from, to, i)
}

// Contains reports whether g is in the set.
func (s Set) Contains(g MySQL) bool {
	list := s[g.Source]
	at, found := slices.BinarySearchFunc(list, g.Number, func(x Interval, n uint64) int { return cmp.Compare(x.Start, n) })
	return found || at > 0 && g.Number < list[at-1].End
}

// Union adds all of other.
func (s Set) Union(other Set) {
	for source, list := range other {
		for _, i := range list {
			s.add(source, i)
		}
	}
}

// Clone returns an independent copy, never nil.
func (s Set) Clone() Set {
	c := make(Set, len(s))
	for source, list := range s {
		c[source] = slices.Clone(list)
	}
	return c
}

// Equal reports whether both sets hold the same GTIDs.
func (s Set) Equal(other Set) bool {
	return maps.EqualFunc(s, other, slices.Equal[[]Interval])
}

// AppendBinary appends MySQL's binary form, which COM_BINLOG_DUMP_GTID and PREVIOUS_GTIDS events hold: the number of UUIDs, and of each its 16 bytes, the
// number of its intervals, and of each of these its first number and the one behind its last. All numbers have 8 bytes, little-endian.
func (s Set) AppendBinary(dst []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(s)))
	for _, u := range s.sources() {
		dst = append(dst, u[:]...)
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(s[u])))
		for _, i := range s[u] {
			dst = binary.LittleEndian.AppendUint64(dst, i.Start)
			dst = binary.LittleEndian.AppendUint64(dst, i.End)
		}
	}
	return dst
}

// DecodeSet reads what AppendBinary wrote, or a MySQL.
func DecodeSet(b []byte) (Set, error) {
	const intervalBytes = 16
	r := setReader{b: b}
	sources := r.number()
	// With tags the first eight bytes are format, count and format.
	if len(b) >= 8 && b[7] != 0 {
		return nil, ErrTagged
	}
	s := Set{}
	for range sources {
		if len(r.b) < len(UUID{}) {
			return nil, r.short(len(b))
		}
		u := UUID(r.b[:len(UUID{})])
		r.b = r.b[len(u):]
		if _, twice := s[u]; twice {
			return nil, fmt.Errorf("%w: %s stands twice in a set", ErrSyntax, u)
		}
		n := r.number()
		if r.failed || n > uint64(len(r.b)/intervalBytes) {
			return nil, r.short(len(b))
		}
		before := uint64(0)
		for range n {
			i := Interval{r.number(), r.number()}
			if i.Start == 0 || i.Start < before || i.End <= i.Start || i.End > mysqlNumberEnd {
				return nil, fmt.Errorf("%w: interval from %d to %d behind %d in a set", ErrSyntax, i.Start, i.End, before)
			}
			before = i.End
			s.add(u, i)
		}
	}
	if r.failed || len(r.b) > 0 {
		return nil, r.short(len(b))
	}
	return s, nil
}

// setReader takes numbers off the front of a set's binary form.
type setReader struct {
	b      []byte
	failed bool
}

func (r *setReader) number() uint64 {
	if len(r.b) < 8 {
		r.failed = true
		return 0
	}
	n := binary.LittleEndian.Uint64(r.b)
	r.b = r.b[8:]
	return n
}

func (r *setReader) short(size int) error {
	return fmt.Errorf("%w: a set of %d bytes does not have the length that its numbers say", ErrSyntax, size)
}
