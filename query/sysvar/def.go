package sysvar

import (
	_ "embed"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

//go:embed variables.tsv
var definitions string

// Scope says where a variable has values.
type Scope byte

// The scopes, as information_schema.SYSTEM_VARIABLES names them.
const (
	Global      Scope = iota // one value per server
	Both                     // one per server, copied by each new session ("SESSION")
	SessionOnly              // one per session
)

// Kind is the type of a variable's values.
type Kind byte

// The kinds and the Go type of their values.
const (
	Bool    Kind = iota // int8, 0 or 1
	Uint                // uint64
	Int                 // int64
	Double              // float64
	Enum                // string, one of Members
	Set                 // string, comma separated Members in their order
	FlagSet             // string, member=on|off,...
	String              // string, or nil for NULL
	Name                // the same, of what is looked up by its name: no number is one
)

// Def is the definition of one system variable. It is immutable.
type Def struct {
	Name     string
	Scope    Scope
	Kind     Kind
	ReadOnly bool
	// Fixed is a variable of something that this server does not have, and whose meaning would be lost: it keeps its default.
	Fixed   bool
	Default any
	Members []string

	min, max   float64
	minU, maxU uint64
	block      uint64 // values are cut to multiples of it
	slot       int    // index in Session.values, -1 for global variables
}

var (
	byName       = map[string]*Def{}
	sorted       []*Def
	sessionSlots int
)

func init() {
	for line := range strings.Lines(definitions) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		d := parseDef(strings.Split(line, "\t"))
		byName[d.Name] = d
		sorted = append(sorted, d)
	}
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].Name < sorted[j].Name })
}

func parseDef(f []string) *Def {
	if len(f) != 6 {
		panic(fmt.Sprintf("sysvar: line of %d fields: %q", len(f), f))
	}
	d := &Def{Name: f[0], ReadOnly: strings.HasPrefix(f[3], "ro"), Fixed: strings.HasSuffix(f[3], "fixed"), slot: -1}
	switch f[1] {
	case "global":
		d.Scope = Global
	case "session":
		d.Scope = Both
	case "sessiononly":
		d.Scope = SessionOnly
	}
	if d.Scope != Global {
		d.slot = sessionSlots
		sessionSlots++
	}
	d.maxU, d.min, d.max = math.MaxUint64, math.Inf(-1), math.Inf(1)
	lo, hi, ranged := strings.Cut(f[5], "..")
	hi, block, _ := strings.Cut(hi, "/")
	d.block, _ = strconv.ParseUint(block, 10, 64)
	switch f[2] {
	case "bool":
		d.Kind = Bool
	case "uint":
		d.Kind = Uint
		if ranged {
			d.minU, _ = strconv.ParseUint(lo, 10, 64)
			d.maxU, _ = strconv.ParseUint(hi, 10, 64)
		}
	case "int":
		d.Kind = Int
		if ranged {
			d.min, _ = strconv.ParseFloat(lo, 64)
			d.max, _ = strconv.ParseFloat(hi, 64)
		}
	case "double":
		d.Kind = Double
		if ranged {
			d.min, _ = strconv.ParseFloat(lo, 64)
			d.max, _ = strconv.ParseFloat(hi, 64)
		}
	case "enum":
		d.Kind = Enum
		if f[5] == "" { // character sets, collations, locales: checked by who uses them
			d.Kind = String
			break
		}
		d.Members = strings.Split(f[5], ",")
	case "set", "flagset":
		d.Kind, d.Members = Set, strings.Split(f[5], ",")
		if f[2] == "flagset" {
			d.Kind = FlagSet
		}
	case "string":
		d.Kind = String
	case "name":
		d.Kind = Name
	default:
		panic("sysvar: unknown type " + f[2])
	}
	d.Default = d.parseDefault(f[4])
	return d
}

func (d *Def) parseDefault(s string) any {
	switch d.Kind {
	case Bool:
		if s == "ON" {
			return int8(1)
		}
		return int8(0)
	case Uint:
		v, _ := strconv.ParseUint(s, 10, 64)
		return v
	case Int:
		v, _ := strconv.ParseInt(s, 10, 64)
		return v
	case Double:
		v, _ := strconv.ParseFloat(s, 64)
		return v
	}
	if s == `\N` {
		return nil
	}
	return s
}

// Lookup finds a definition by name, in any case.
func Lookup(name string) (*Def, bool) {
	if d, ok := byName[name]; ok {
		return d, true
	}
	d, ok := byName[strings.ToLower(name)]
	return d, ok
}

// All returns the definitions in the order of their names; not to be changed.
func All() []*Def { return sorted }

// Format gives a value as SHOW VARIABLES prints it; null reports NULL.
func (d *Def) Format(v any) (text string, null bool) {
	switch x := v.(type) {
	case nil:
		return "", true
	case int8:
		if d.Kind == Bool {
			if x == 0 {
				return "OFF", false
			}
			return "ON", false
		}
		return strconv.Itoa(int(x)), false
	case float64:
		return strconv.FormatFloat(x, 'f', 6, 64), false
	case string:
		return x, false
	}
	return fmt.Sprint(v), false
}

// Range are the least and the greatest value of a numeric variable as text, nil if there is no bound.
func (d *Def) Range() (low, high any) {
	switch d.Kind {
	case Uint:
		return strconv.FormatUint(d.minU, 10), strconv.FormatUint(d.maxU, 10)
	case Int, Double:
		if !math.IsInf(d.min, 0) {
			low = strconv.FormatFloat(d.min, 'f', -1, 64)
		}
		if !math.IsInf(d.max, 0) {
			high = strconv.FormatFloat(d.max, 'f', -1, 64)
		}
	}
	return low, high
}
