package charset

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Collation is a collation of MariaDB 10.11, as information_schema knows it.
type Collation struct {
	name     string
	set      *Set
	id       uint16
	standard bool
	pad      bool
	sortLen  uint8
	levels   uint8  // bit n: level n+1 takes part in the order
	weights  string // which table, "-" if refused
	cases    string // which table of LOWER and UPPER, "-" if they change nothing

	order    sync.Once
	made     *Order
	caseOnce sync.Once
	caseMade *caseTable
}

// Name is the full name: uca1400_ai_ci has no character set of its own, utf8mb4_uca1400_ai_ci has.
func (c *Collation) Name() string { return c.name }

// ID is the number by which protocol, binlog and frm know it.
func (c *Collation) ID() uint16 { return c.id }

// Set is the character set.
func (c *Collation) Set() *Set { return c.set }

// IsDefault reports whether it is its set's default.
func (c *Collation) IsDefault() bool { return c.standard }

// PadSpace reports whether strings compare as if the shorter one were continued by spaces.
func (c *Collation) PadSpace() bool { return c.pad }

// SortLen is the column Sortlen of SHOW COLLATION.
func (c *Collation) SortLen() int { return int(c.sortLen) }

// Binary reports whether it orders by the characters' numbers: binary and those whose name ends in _bin.
func (c *Collation) Binary() bool { return c.set.binary() || strings.HasSuffix(c.name, "_bin") }

// CaseSensitive reports whether upper and lower case differ, by the name, as MariaDB's REGEXP decides it.
func (c *Collation) CaseSensitive() bool { return !strings.HasSuffix(c.name, "_ci") }

// Simple reports whether each character has one weight, and texts compare as the sequences of these do.
func (c *Collation) Simple() bool {
	form, table, _ := strings.Cut(c.weights, ":")
	switch form {
	case "8":
		return weights8()[table].expand == nil
	case "uca", "pass", "-":
		return false
	}
	return true
}

// UnsupportedError is the refusal of a collation whose order is not known.
type UnsupportedError struct{ Collation string }

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("collation %s is not supported: its comparison does not follow a table", e.Collation)
}

// Order returns what compares by the collation; the error is an *UnsupportedError. The first call unpacks tables.
func (c *Collation) Order() (*Order, error) {
	if c.weights == "-" {
		return nil, &UnsupportedError{c.name}
	}
	c.order.Do(func() { c.made = newOrder(c) })
	return c.made, nil
}

// ByName finds a collation by its full name; upper and lower case are the same.
func ByName(name string) (*Collation, bool) {
	c, ok := names().byName[lowerASCII(name)]
	return c, ok
}

// InSet finds a collation by its full name or, as COLLATE allows, by a name without a set (uca1400_ai_ci), in a set.
func InSet(set *Set, name string) (*Collation, bool) {
	name = lowerASCII(name)
	if strings.HasPrefix(name, "uca1400_") {
		name = set.name + "_" + name
	}
	c, ok := names().byName[name]
	return c, ok && c.set == set
}

// ByID finds a collation by its id.
func ByID(id uint16) (*Collation, bool) {
	if n := names(); int(id) < len(n.byID) && n.byID[id] != nil {
		return n.byID[id], true
	}
	return nil, false
}

// Collations returns all collations, by id. The slice is the caller's.
func Collations() []*Collation {
	var all []*Collation
	for _, c := range names().byID {
		if c != nil {
			all = append(all, c)
		}
	}
	return all
}

// directory is the table of names.
type directory struct {
	sets   map[string]*Set
	byName map[string]*Collation
	byID   []*Collation
}

const (
	namesFile   = "collations.tsv"
	namesFields = 9
)

// names is the directory, complete with the links between sets and collations.
var names = sync.OnceValue(func() *directory {
	d := &directory{sets: map[string]*Set{}, byName: map[string]*Collation{}}
	for _, s := range sets {
		d.sets[s.name] = s
	}
	text, err := data.ReadFile("data/" + namesFile)
	if err != nil {
		corrupt(namesFile, err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	all := make([]Collation, len(lines)-1)
	for i, line := range lines[1:] { // the first line has the names of the columns
		c := &all[i]
		if err := c.parse(d, line); err != nil {
			corrupt(namesFile, err)
		}
		d.byName[c.name] = c
		if int(c.id) >= len(d.byID) {
			d.byID = append(d.byID, make([]*Collation, int(c.id)+1-len(d.byID))...)
		}
		d.byID[c.id] = c
		if c.standard {
			c.set.standard = c
		}
		if c.Binary() && !strings.HasSuffix(c.name, "_nopad_bin") {
			c.set.bin = c
		}
	}
	return d
})

// parse takes a line of the file: id, name, set, 1 for a default, P or N for padding, sortlen, weights, levels, cases.
func (c *Collation) parse(d *directory, line string) error {
	f := strings.Split(line, "\t")
	if len(f) != namesFields {
		return fmt.Errorf("%d fields in %q", len(f), line)
	}
	id, err := strconv.ParseUint(f[0], 10, 16)
	if err != nil {
		return err
	}
	sortLen, err := strconv.ParseUint(f[5], 10, 8)
	if err != nil {
		return err
	}
	levels, err := strconv.ParseUint(f[7], 10, 8)
	if err != nil {
		return err
	}
	c.id, c.name, c.set = uint16(id), f[1], d.sets[f[2]]
	if c.set == nil {
		return fmt.Errorf("no character set %q", f[2])
	}
	c.standard, c.pad, c.sortLen = f[3] == "1", f[4] == "P", uint8(sortLen)
	c.weights, c.levels, c.cases = f[6], uint8(levels), f[8]
	return nil
}
