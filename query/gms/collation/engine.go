package collation

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	_ "unsafe" // for go:linkname

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types/charset"
)

// Tables of go-mysql-server. Its collations are numbers below 324, and of many it knows no more than the name.

//go:linkname engineCollations github.com/dolthub/go-mysql-server/sql.collationArray
var engineCollations [engineIDs]sql.Collation

//go:linkname engineSets github.com/dolthub/go-mysql-server/sql.characterSetArray
var engineSets [256]sql.CharacterSet

//go:linkname engineNames github.com/dolthub/go-mysql-server/sql.collationStringToID
var engineNames map[string]sql.CollationID

const engineIDs = 324

// kept are collations of MySQL that go-mysql-server itself uses. The numbers of the others are for collations that it has no number for.
var kept = []sql.CollationID{
	sql.Collation_Unspecified, sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_0900_as_cs, sql.Collation_utf8mb4_0900_as_ci, sql.Collation_utf8mb4_0900_bin,
}

// weighted are the collations that go-mysql-server has weights of, in which keys are made of these.
var weighted [engineIDs]bool

// lent are the numbers that collations above the table have.
var lent = struct {
	sync.RWMutex
	free  []sql.CollationID
	to    map[uint16]sql.CollationID
	owner [engineIDs]atomic.Uint32 // MariaDB's number
}{to: map[uint16]sql.CollationID{}}

// init completes the tables by MariaDB's collations, before anything reads them.
func init() {
	for i := range engineCollations {
		c := &engineCollations[i]
		weighted[i] = c.Sorter != nil && engineSets[c.CharacterSet].Encoder != nil
	}
	for _, set := range charset.Sets() {
		if s := &engineSets[setID(set)]; s.Encoder == nil {
			s.Encoder = encoder{set}
		}
	}
	for id := sql.CollationID(1); id < engineIDs; id++ {
		e := &engineCollations[id]
		c, ok := charset.ByID(uint16(id))
		switch {
		case ok && e.Name == c.Name() && weighted[id]:
		case ok:
			if e.Name != "" {
				delete(engineNames, e.Name)
			}
			fill(id, c)
			engineNames[c.Name()] = id
		case !slices.Contains(kept, id):
			if e.Name != "" {
				delete(engineNames, e.Name)
			}
			*e = sql.Collation{}
			engineNames[slotName(id)] = id
			lent.free = append(lent.free, id)
		}
	}
}

// setID is the number of a character set: that of the collation which is MySQL's default.
func setID(set *charset.Set) sql.CharacterSetID {
	id, err := sql.ParseCharacterSet(set.Name())
	if err != nil {
		panic(err)
	}
	return id
}

// fill makes a line of the table.
func fill(id sql.CollationID, c *charset.Collation) {
	e := sql.Collation{
		ID: id, Name: c.Name(), CharacterSet: setID(c.Set()), IsDefault: c.IsDefault(), IsCompiled: true, SortLength: uint8(c.SortLen()),
		IsCaseSensitive: c.CaseSensitive(), IsAccentSensitive: c.CaseSensitive(), PadAttribute: "NO PAD", Sorter: sorter(c),
	}
	if c.PadSpace() {
		e.PadAttribute = "PAD SPACE"
	}
	if c.ID() == uint16(id) && weighted[id] {
		e.Sorter = engineCollations[id].Sorter
	}
	engineCollations[id] = e
}

// simple reports whether go-mysql-server, which compares character by character, compares as the collation does.
func simple(c *charset.Collation) bool {
	return c.PadSpace() && c.Simple()
}

// strange is added to characters that a character set lacks: they come after those that it has, whose weights have three bytes at most.
const strange = 1 << 25

// sorter makes go-mysql-server's function of a collation that weighs characters one by one. Of others it tells characters apart, and nobody compares by it.
func sorter(c *charset.Collation) sql.CollationSorter {
	order := sync.OnceValue(func() *charset.Order {
		if !simple(c) {
			return nil
		}
		o, err := c.Order()
		if err != nil {
			return nil
		}
		return o
	})
	return func(r rune) int32 {
		if o := order(); o != nil {
			if w, ok := o.CharacterWeight(r); ok {
				return int32(w)
			}
		}
		return strange + r
	}
}

// slotName is what go-mysql-server's parser of names takes for a free number: the names of what gets one are not put into its map, which others read.
func slotName(id sql.CollationID) string { return fmt.Sprintf("collation#%d", id) }

// Engine is the number by which go-mysql-server knows a collation of MariaDB's. Those above its table get what is free in it, which they keep until the
// server ends; the error (1235) is that nothing is left.
func Engine(id uint16) (sql.CollationID, error) {
	if id < engineIDs {
		return sql.CollationID(id), nil
	}
	c, ok := charset.ByID(id)
	if !ok {
		return 0, mysqlerr.New(mysqlerr.UnknownCollation, strconv.Itoa(int(id)))
	}
	lent.RLock()
	slot, ok := lent.to[id]
	lent.RUnlock()
	if ok {
		return slot, nil
	}
	lent.Lock()
	defer lent.Unlock()
	if slot, ok = lent.to[id]; ok {
		return slot, nil
	}
	if len(lent.free) == 0 {
		return 0, mysqlerr.NotYet("so many different collations, " + c.Name() + " among them")
	}
	slot, lent.free = lent.free[0], lent.free[1:]
	fill(slot, c)
	lent.to[id] = slot
	lent.owner[slot].Store(uint32(id))
	return slot, nil
}

// EngineName is the name by which go-mysql-server's parser finds the collation; the error is Engine's.
func EngineName(c *charset.Collation) (string, error) {
	id, err := Engine(c.ID())
	if err != nil || c.ID() < engineIDs {
		return c.Name(), err
	}
	return slotName(id), nil
}

// Named is the collation that has a name, as go-mysql-server knows it; ok is false if there is none, or no number left for it.
func Named(name string) (id sql.CollationID, ok bool) {
	if c, has := charset.ByName(name); has {
		id, err := Engine(c.ID())
		return id, err == nil
	}
	id, err := sql.ParseCollation("", name, false)
	return id, err == nil && id != sql.Collation_Unspecified
}

// ID is MariaDB's number of a collation that go-mysql-server knows.
func ID(c sql.CollationID) uint16 {
	if int(c) < engineIDs {
		if id := lent.owner[c].Load(); id != 0 {
			return uint16(id)
		}
	}
	return uint16(c)
}

// OneByteASCII reports whether texts of ASCII are the same bytes in a collation's character set as in UTF-8.
func OneByteASCII(c sql.CollationID) bool {
	own, ok := charset.ByID(ID(c))
	return ok && own.Set().ASCIIBytes()
}

// Lent reports whether go-mysql-server knows a collation by another number than MariaDB's, and does not find its name.
func Lent(id uint16) bool { return id >= engineIDs }

// Alone reports whether only SQL of our own compares by a collation: what go-mysql-server would make of it is not known to be right.
func Alone(id uint16) bool {
	if id >= engineIDs {
		return true
	}
	c, ok := charset.ByID(id)
	return ok && !weighted[id] && !simple(c)
}

// Weighted reports whether keys in a collation are made of go-mysql-server's weights: it is one of those that columns could have before SQL
// of our own had weights.
func Weighted(id uint16) bool { return id < engineIDs && weighted[id] }
