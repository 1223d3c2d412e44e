package option

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the type of an option's value.
type Kind int

// The kinds.
const (
	String  Kind = iota
	Bool         // ON, OFF, TRUE, FALSE, 1, 0; without a value ON
	Int          // a whole number, with an optional unit suffix
	Float        // a number
	Seconds      // a whole number of seconds, or a Go duration such as 1500ms
)

// Def declares an option.
type Def struct {
	Name    string // with underscores
	Kind    Kind
	Default string
	Help    string // empty for options that --help only lists by name
	Short   byte   // one-letter form, 0 for none
	// Optional values may be left out (--log-bin and --log-bin=name).
	Optional bool
	// Rules are options that count each time that they are given, in files and on the command line. Each may be about a part of the server: --part.name=value.
	Rules bool
}

// Set is the options that a program knows. It is immutable after NewSet.
type Set struct {
	byName  map[string]*Def
	byShort map[byte]*Def
	sorted  []*Def
}

// NewSet makes a Set. Of two definitions of one name the first counts.
func NewSet(defs ...Def) *Set {
	s := &Set{byName: make(map[string]*Def), byShort: make(map[byte]*Def)}
	for i := range defs {
		d := defs[i]
		if _, ok := s.byName[d.Name]; ok {
			continue
		}
		s.byName[d.Name] = &d
		if d.Short != 0 {
			s.byShort[d.Short] = &d
		}
		s.sorted = append(s.sorted, &d)
	}
	slices.SortFunc(s.sorted, func(a, b *Def) int { return strings.Compare(a.Name, b.Name) })
	return s
}

// value is a setting and where it comes from.
type value struct {
	text   string
	more   []string // what else was said of an option with Rules
	origin string
}

// and is a value of an option with Rules with those that were given later.
func (v value) and(later value) value {
	v.more = append(append(slices.Clone(v.more), later.text), later.more...)
	return v
}

// Values are the options as given. The zero value has none. Names are written
// with underscores.
type Values struct {
	set    *Set
	given  map[string]value
	Warned []string // about --loose- options that do not exist
}

// Error is about one option: which, where it was given, and what is wrong.
type Error struct {
	Option, Origin, Problem string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("option --%s (%s): %s", strings.ReplaceAll(e.Option, "_", "-"), e.Origin, e.Problem)
}

// canonical is a name as Def has it. A part of the server keeps its own signs.
func canonical(name string) string {
	part, own, ok := cutPart(name)
	if !ok {
		part, own = "", name
	}
	return part + strings.ToLower(strings.ReplaceAll(own, "-", "_"))
}

// cutPart cuts the part, with its point and in small letters, from a name.
func cutPart(name string) (part, own string, ok bool) {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return "", name, false
	}
	return strings.ToLower(name[:i+1]), name[i+1:], true
}

// assign takes one option, as written in a file or on the command line.
// hasValue is false where none was given with it.
func (v *Values) assign(name, text string, hasValue bool, origin string) error {
	written := name
	name = canonical(name)
	loose := false
	if rest, ok := strings.CutPrefix(name, "loose_"); ok {
		name, loose = rest, true
	}
	d, negated, switched := v.set.find(name)
	if d == nil {
		if loose {
			v.Warned = append(v.Warned, fmt.Sprintf("unknown option --%s (%s) ignored", written, origin))
			return nil
		}
		return &Error{Option: written, Origin: origin, Problem: "there is no such option" + v.set.suggest(name)}
	}
	problem := func(format string, args ...any) error {
		return &Error{Option: written, Origin: origin, Problem: fmt.Sprintf(format, args...)}
	}
	if switched {
		if hasValue {
			return problem("takes no value")
		}
		if text = "ON"; negated {
			text = "OFF"
		}
		if d.Kind != Bool && !(negated && d.Optional) {
			return problem("is not a switch")
		}
	} else if !hasValue {
		switch {
		case d.Kind == Bool:
			text = "ON"
		case d.Optional:
			text = d.Default
		default:
			return problem("needs a value")
		}
	}
	if err := d.check(text); err != nil {
		return problem("%v", err)
	}
	now := value{text: text, origin: origin}
	if !d.Rules {
		v.given[d.Name] = now
		return nil
	}
	if before, ok := v.given[name]; ok {
		now = before.and(now)
	}
	v.given[name] = now
	return nil
}

// find resolves a canonical name, also after skip_, disable_ and enable_.
func (s *Set) find(name string) (d *Def, negated, switched bool) {
	if d := s.def(name); d != nil {
		return d, false, false
	}
	for _, prefix := range []string{"skip_", "disable_", "enable_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if d, ok := s.byName[rest]; ok {
				return d, prefix != "enable_", true
			}
		}
	}
	return nil, false, false
}

// def is the definition of an option by its canonical name, with the part that it is about.
func (s *Set) def(name string) *Def {
	if d, ok := s.byName[name]; ok {
		return d
	}
	if _, own, ok := cutPart(name); ok {
		if d, ok := s.byName[own]; ok && d.Rules {
			return d
		}
	}
	return nil
}

// suggest names options that are close to a mistyped one.
func (s *Set) suggest(name string) string {
	if len(name) < 3 {
		return ""
	}
	for _, d := range s.sorted {
		if strings.HasPrefix(d.Name, name) || strings.HasPrefix(name, d.Name) || oneEditApart(d.Name, name) {
			return fmt.Sprintf("; is --%s meant?", strings.ReplaceAll(d.Name, "_", "-"))
		}
	}
	return ""
}

// oneEditApart reports whether one letter more, less or other makes a into b.
func oneEditApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > 1 {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return i < len(a) && a[i+1:] == b[i+1:]
	}
	return a[i:] == b[i+1:]
}

func (d *Def) check(text string) error {
	var err error
	switch d.Kind {
	case Bool:
		_, err = parseBool(text)
	case Int:
		_, err = ParseSize(text)
	case Float:
		if _, ferr := strconv.ParseFloat(text, 64); ferr != nil {
			err = fmt.Errorf("%q is not a number", text)
		}
	case Seconds:
		_, err = parseSeconds(text)
	case String:
	}
	return err
}

func parseBool(text string) (bool, error) {
	switch strings.ToUpper(text) {
	case "ON", "TRUE", "1", "YES":
		return true, nil
	case "OFF", "FALSE", "0", "NO":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither ON nor OFF", text)
}

// ParseSize reads a whole number with an optional suffix K, M, G, T, P or E.
func ParseSize(text string) (int64, error) {
	digits, shift := text, 0
	if text != "" {
		if i := strings.IndexByte("KMGTPE", text[len(text)-1]&^0x20); i >= 0 {
			digits, shift = text[:len(text)-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		// The whole range of 64 bits, for variables whose maximum is 2^64-1.
		if u, uerr := strconv.ParseUint(digits, 10, 64); uerr == nil && shift == 0 {
			return int64(u), nil
		}
		return 0, fmt.Errorf("%q is not a whole number", text)
	}
	if n > math.MaxInt64>>shift || n < math.MinInt64>>shift {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return n << shift, nil
}

func parseSeconds(text string) (time.Duration, error) {
	if n, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(n) * time.Second, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a number of seconds", text)
	}
	return d, nil
}

// text returns what counts for an option: as given, or its default.
func (v Values) text(name string) string {
	if g, ok := v.given[name]; ok {
		return g.text
	}
	if v.set != nil {
		if d, ok := v.set.byName[name]; ok {
			return d.Default
		}
	}
	return ""
}

// String returns an option's text.
func (v Values) String(name string) string { return v.text(name) }

// Bool, Int and Duration return an option's value; it was checked when it was
// taken, and a default that does not parse is zero.
func (v Values) Bool(name string) bool {
	b, err := parseBool(v.text(name))
	return err == nil && b
}

// Int returns a whole number, its suffix multiplied out.
func (v Values) Int(name string) int64 {
	n, err := ParseSize(v.text(name))
	if err != nil {
		return 0
	}
	return n
}

// Duration returns an option of kind Seconds.
func (v Values) Duration(name string) time.Duration {
	d, err := parseSeconds(v.text(name))
	if err != nil {
		return 0
	}
	return d
}

// Given reports whether an option was given, and where.
func (v Values) Given(name string) (origin string, ok bool) {
	g, ok := v.given[name]
	return g.origin, ok
}

// Names returns the options that were given, sorted.
func (v Values) Names() []string {
	names := make([]string, 0, len(v.given))
	for n := range v.given {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// All are the values of an option with Rules, in their order; nil if it was not given.
func (v Values) All(name string) []string {
	g, ok := v.given[name]
	if !ok {
		return nil
	}
	return append([]string{g.text}, g.more...)
}

// Value returns an option as the Go type of its kind: string, bool, int64,
// float64 or time.Duration.
func (v Values) Value(name string) any {
	d := v.set.def(name)
	if d == nil {
		return nil
	}
	switch d.Kind {
	case Bool:
		return v.Bool(name)
	case Int:
		return v.Int(name)
	case Float:
		f, err := strconv.ParseFloat(v.text(name), 64)
		if err != nil {
			return float64(0)
		}
		return f
	case Seconds:
		return v.Duration(name)
	case String:
	}
	return v.text(name)
}
