package partition

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/bind"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Alteration is what an ALTER TABLE makes of a table's partitions.
type Alteration struct {
	// Def is the new definition; nil if it stays as it is.
	Def *catalog.PartitioningDef
	// Emptied are the partitions, by their places among the old ones, whose rows go; nil for none.
	Emptied map[int]bool
	// Moves says that rows have to be looked at, whether there is a partition for each of them.
	Moves bool
	// Loses says that rows go for which there is no partition afterwards.
	Loses bool
	// Stays says that no row may come to another partition: MariaDB leaves rows of a DEFAULT partition where they are.
	Stays bool
	// Copied are the partitions, by their places among the old ones, whose rows MariaDB copies and counts; nil for none.
	Copied map[int]bool
	// Note is what there is to say instead of an error.
	Note *mysqlerr.Error
}

// altering works on one ALTER TABLE.
type altering struct {
	def     *catalog.TableDef
	p       *catalog.PartitioningDef
	n       *tree.AlterPartitions
	by      *tree.PartitionBy
	compile Compiler
	zone    *temporal.Zone
}

// Alter finds out what a clause about partitions does to a table that has some.
func Alter(def *catalog.TableDef, n *tree.AlterPartitions, compile Compiler, zone *temporal.Zone) (*Alteration, error) {
	written, err := parse(def.Partitioning)
	if err != nil {
		return nil, err
	}
	if n.NoWriteToLog {
		return nil, bind.Refusal("NO_WRITE_TO_BINLOG")
	}
	a := &altering{def: def, p: def.Partitioning, n: n, by: written.By, compile: compile, zone: zone}
	var out *Alteration
	switch n.Verb {
	case "ADD":
		out, err = a.add()
	case "DROP":
		out, err = a.drop()
	case "TRUNCATE":
		out, err = a.truncate()
	case "COALESCE":
		out, err = a.coalesce()
	case "REORGANIZE":
		out, err = a.reorganize()
	case "REBUILD":
		out, err = &Alteration{Copied: a.places(a.named())}, a.known()
	default:
		return nil, bind.Refusal("ALTER TABLE ... " + n.Verb + " PARTITION")
	}
	if err == nil && out.Def != nil {
		err = Check(def, out.Def, compile)
	}
	return out, err
}

// ranged reports whether partitions have values.
func (a *altering) ranged() bool { return a.by.Method == "RANGE" || a.by.Method == "LIST" }

// with is the definition with other partitions.
func (a *altering) with(parts []catalog.PartitionDef) *catalog.PartitioningDef {
	p := *a.p
	p.Partitions = parts
	return &p
}

// at is the place of a partition of a name, -1 for none.
func (a *altering) at(name string) int {
	return slices.IndexFunc(a.p.Partitions, func(p catalog.PartitionDef) bool { return strings.EqualFold(p.Name, name) })
}

// known is error 1507 if there is none of a partition that is named.
func (a *altering) known() error {
	for _, name := range a.n.Names {
		if a.at(name.Text) < 0 {
			return mysqlerr.New(mysqlerr.PartitionDoesNotExist)
		}
	}
	return nil
}

// count is the number of the clause.
func (a *altering) count() (int, error) {
	n, err := strconv.ParseUint(a.n.Count, 0, 32)
	if err != nil || n > most {
		return 0, mysqlerr.New(mysqlerr.PartitionTooMany)
	}
	return int(n), nil
}

// defined makes the definitions of the clause's partitions. p becomes one that lists its partitions.
func (a *altering) defined(p *catalog.PartitioningDef) ([]catalog.PartitionDef, error) {
	subs := 0
	for _, n := range a.n.Definitions {
		if a.by.Method == "RANGE" && n.Values == nil {
			return nil, mysqlerr.New(mysqlerr.PartitionRequiresValues, "RANGE", "LESS THAN")
		}
		if a.by.Method == "LIST" && n.Values == nil {
			return nil, mysqlerr.New(mysqlerr.PartitionRequiresValues, "LIST", "IN")
		}
		if n.SubPartitions != nil {
			p.SubListed = true
			subs = len(n.SubPartitions)
		}
	}
	if subs > 0 && a.p.Sub != "" && subs != len(a.p.Partitions[0].Subs) {
		return nil, mysqlerr.New(mysqlerr.PartitionAddWrongSubs)
	}
	p.Listed = true
	return Partitions(a.def, a.p, a.n.Definitions, a.compile, a.zone)
}

func (a *altering) add() (*Alteration, error) {
	p := a.with(slices.Clone(a.p.Partitions))
	if a.n.Definitions == nil {
		n, err := a.count()
		switch {
		case err != nil:
			return nil, err
		case a.ranged():
			return nil, mysqlerr.New(mysqlerr.PartitionsMustBeDefined, a.by.Method)
		case n == 0:
			return nil, mysqlerr.New(mysqlerr.PartitionAddNone)
		}
		for range n {
			p.Partitions = append(p.Partitions, catalog.PartitionDef{Name: "p" + strconv.Itoa(len(p.Partitions))})
		}
		p.Counted = true
		return &Alteration{Def: p, Copied: a.redistributed()}, nil
	}
	if a.n.IfExists {
		for _, n := range a.n.Definitions {
			if a.at(n.Name.Text) >= 0 {
				return &Alteration{Note: mysqlerr.New(mysqlerr.SamePartitionName, n.Name.Text)}, nil
			}
		}
	}
	more, err := a.defined(p)
	p.Partitions = append(p.Partitions, more...)
	standard := slices.ContainsFunc(a.p.Partitions, func(p catalog.PartitionDef) bool { return p.Values == "DEFAULT" })
	return &Alteration{Def: p, Stays: standard}, err
}

func (a *altering) drop() (*Alteration, error) {
	if !a.ranged() {
		return nil, mysqlerr.New(mysqlerr.PartitionOnlyRangeList, "DROP")
	}
	gone := map[int]bool{}
	out := &Alteration{}
	for _, name := range a.n.Names {
		if at := a.at(name.Text); at >= 0 && !gone[at] {
			gone[at] = true
			continue
		}
		out.Note = mysqlerr.New(mysqlerr.PartitionDoesNotExist)
	}
	switch {
	case !a.n.IfExists && len(a.n.Names) >= len(a.p.Partitions) || len(gone) == len(a.p.Partitions):
		return nil, mysqlerr.New(mysqlerr.PartitionDropLast)
	case out.Note != nil && !a.n.IfExists:
		return nil, out.Note
	case len(gone) == 0:
		return out, nil
	}
	var left []catalog.PartitionDef
	for i := range a.p.Partitions {
		if !gone[i] {
			left = append(left, a.p.Partitions[i])
		}
	}
	out.Def, out.Emptied = a.with(left), a.places(gone)
	return out, nil
}

// named are the partitions that the clause names, by their places.
func (a *altering) named() map[int]bool {
	out := map[int]bool{}
	for i := range a.p.Partitions {
		if a.n.All || slices.ContainsFunc(a.n.Names, func(n tree.Ident) bool { return strings.EqualFold(n.Text, a.p.Partitions[i].Name) }) {
			out[i] = true
		}
	}
	return out
}

// redistributed are the places of all partitions by HASH or KEY, whose rows go to others when there are more or fewer of them. LINEAR moves those of some
// partitions only, which are not counted.
func (a *altering) redistributed() map[int]bool {
	if a.by.Linear {
		return nil
	}
	all := map[int]bool{}
	for i := range a.p.Partitions {
		all[i] = true
	}
	return a.places(all)
}

// places are those of all subpartitions of partitions.
func (a *altering) places(partitions map[int]bool) map[int]bool {
	out := map[int]bool{}
	for i := range partitions {
		subs := max(len(a.p.Partitions[i].Subs), 1)
		for k := range subs {
			out[i*subs+k] = true
		}
	}
	return out
}

func (a *altering) truncate() (*Alteration, error) {
	which := map[int]bool{}
	for i := range a.p.Partitions {
		if a.n.All {
			which[i] = true
		}
	}
	for _, name := range a.n.Names {
		at := a.at(name.Text)
		if at < 0 {
			for i := range a.p.Partitions {
				if slices.ContainsFunc(a.p.Partitions[i].Subs, func(s catalog.PartitionDef) bool { return strings.EqualFold(s.Name, name.Text) }) {
					return nil, mysqlerr.New(mysqlerr.PartitionWrongName)
				}
			}
			return nil, mysqlerr.New(mysqlerr.PartitionUnknown, name.Text, a.def.Name)
		}
		if which[at] {
			return nil, mysqlerr.New(mysqlerr.PartitionWrongName)
		}
		which[at] = true
	}
	return &Alteration{Emptied: a.places(which)}, nil
}

func (a *altering) coalesce() (*Alteration, error) {
	if a.ranged() {
		return nil, mysqlerr.New(mysqlerr.PartitionCoalesceOnlyHash)
	}
	n, err := a.count()
	switch {
	case err != nil:
		return nil, err
	case n == 0:
		return nil, mysqlerr.New(mysqlerr.PartitionCoalesceNone)
	case n >= len(a.p.Partitions):
		return nil, mysqlerr.New(mysqlerr.PartitionDropLast)
	}
	p := a.with(slices.Clone(a.p.Partitions[:len(a.p.Partitions)-n]))
	p.Counted = true
	return &Alteration{Def: p, Copied: a.redistributed()}, nil
}

func (a *altering) reorganize() (*Alteration, error) {
	switch {
	case a.n.Definitions == nil && a.ranged():
		return nil, mysqlerr.New(mysqlerr.PartitionReorganizeNone)
	case a.n.Definitions == nil:
		return nil, bind.Refusal("REORGANIZE PARTITION without partitions")
	case len(a.n.Names) > len(a.p.Partitions):
		return nil, mysqlerr.New(mysqlerr.PartitionReorganizeTooMany)
	case !a.ranged() && len(a.n.Names) != len(a.n.Definitions):
		return nil, mysqlerr.New(mysqlerr.PartitionReorganizeHash)
	}
	if err := a.known(); err != nil {
		return nil, err
	}
	var places []int
	for _, name := range a.n.Names {
		places = append(places, a.at(name.Text))
	}
	slices.Sort(places)
	for i := 1; i < len(places); i++ {
		switch {
		case places[i] == places[i-1]:
			return nil, mysqlerr.New(mysqlerr.PartitionDoesNotExist)
		case places[i] != places[i-1]+1:
			return nil, mysqlerr.New(mysqlerr.PartitionConsecutive)
		}
	}
	for i := range a.p.Partitions {
		if a.p.Partitions[i].Values == "DEFAULT" { // MariaDB leaves rows where they do not belong
			return nil, bind.Refusal("REORGANIZE PARTITION with a DEFAULT partition")
		}
	}
	p := a.with(nil)
	made, err := a.defined(p)
	if err != nil {
		return nil, err
	}
	p.Partitions = slices.Concat(a.p.Partitions[:places[0]], made, a.p.Partitions[places[len(places)-1]+1:])
	if err := Check(a.def, p, a.compile); err != nil {
		var e *mysqlerr.Error
		if len(made) == 1 && errors.As(err, &e) && e.Number == mysqlerr.PartitionRangeOrder {
			err = mysqlerr.New(mysqlerr.PartitionOutsideRange)
		}
		return nil, err
	}
	if a.by.Method == "RANGE" {
		if err := a.sameRange(p, places[len(places)-1], places[0]+len(made)-1); err != nil {
			return nil, err
		}
	}
	return &Alteration{Def: p, Loses: true, Copied: a.places(a.named())}, nil
}

// sameRange looks whether partitions reach as far as those in whose place they come, or further if they are the last ones.
func (a *altering) sameRange(p *catalog.PartitioningDef, was, now int) error {
	before, err := a.rule(a.p)
	if err != nil {
		return err
	}
	after, err := a.rule(p)
	if err != nil {
		return err
	}
	if c := after.limit(now, before, was); c < 0 || c > 0 && was < len(a.p.Partitions)-1 {
		return mysqlerr.New(mysqlerr.PartitionOutsideRange)
	}
	return nil
}

func (a *altering) rule(p *catalog.PartitioningDef) (*Rule, error) {
	t, err := version(a.def, p, a.compile)
	if err != nil {
		return nil, err
	}
	return Of(t)
}

// limit compares how far a partition of RANGE reaches with that of another rule.
func (r *Rule) limit(at int, o *Rule, other int) int {
	switch d := r.by.(type) {
	case *byRange:
		b, ok := o.by.(*byRange)
		if !ok {
			return -1
		}
		x, y := d.bound(at), b.bound(other)
		return bytes.Compare(x, y)
	case *byTuples:
		if b, ok := o.by.(*byTuples); ok {
			return compare(d.bounds[at], b.bounds[other])
		}
	}
	return -1
}

// bound is where a partition ends, as bytes that are ordered as such places are.
func (d *byRange) bound(at int) []byte {
	if at >= len(d.bounds) {
		return []byte{1}
	}
	b := make([]byte, 9)
	for i := range 8 {
		b[8-i] = byte(d.bounds[at] >> (8 * i))
	}
	return b
}
