package plan

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/gms/collation"
	"github.com/duramendb/duramen/query/types/charset"
	"github.com/duramendb/duramen/row"
)

// Keys of indexes order texts as their collation does for the collations that are not in otherOrder, and not for those.
func TestSameOrder(t *testing.T) {
	for _, c := range charset.Collations() {
		order, err := c.Order()
		if err != nil {
			continue // relation has no such columns
		}
		if c.ID() >= 2048 && c.ID()%16 != 0 && os.Getenv("DURAMEN_TEST_SCALE") != "full" {
			continue // of the hundreds of UCA 14.0.0 some
		}
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			found := disagreement(order)
			if otherOrder[c.Name()] {
				require.NotEmpty(t, found, "an index by it could be used")
			} else {
				require.Empty(t, found)
			}
		})
	}
}

// disagreement is a pair of texts that keys order otherwise than their collation; "" if none is found among all single characters of the Basic
// Multilingual Plane and drawn texts.
func disagreement(order *charset.Order) string {
	all := characters(order.Collation().Set())
	r := rand.New(rand.NewPCG(1, uint64(order.Collation().ID())))
	few := drawnFrom(r, order.Collation().Set(), all)
	if found := disagreementOf(order, drawnTexts(r, 1000, few, all)); found != "" {
		return found
	}
	return disagreementOf(order, append(drawnTexts(r, 20000, few, all), all...))
}

// drawnTexts are texts of up to five characters, most of them of few.
func drawnTexts(r *rand.Rand, count int, few, all [][]byte) (texts [][]byte) {
	for range count {
		var s []byte
		for range r.IntN(6) {
			if r.IntN(3) == 0 {
				s = append(s, all[r.IntN(len(all))]...)
			} else {
				s = append(s, few[r.IntN(len(few))]...)
			}
		}
		texts = append(texts, s)
	}
	return texts
}

func disagreementOf(order *charset.Order, texts [][]byte) string {
	c := order.Collation()
	col := row.Column{Type: mysql.MYSQL_TYPE_VARCHAR, Meta: 1 << 12, Collation: c.ID()}
	col.Weight, col.PadSpace = collation.Lookup(c.ID())
	keys := make([][]byte, len(texts))
	for i, s := range texts {
		k, err := row.AppendKeyValue(nil, col, row.KeyPart{}, s)
		if err != nil {
			return err.Error()
		}
		keys[i] = k
	}
	at := make([]int, len(texts))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
	for i := 1; i < len(at); i++ { // neighbours that agree make all pairs agree, as both are orders
		a, b := at[i-1], at[i]
		if want, got := order.Compare(texts[a], texts[b]), bytes.Compare(keys[a], keys[b]); want != got {
			return fmt.Sprintf("%x and %x: %d, by keys %d", texts[a], texts[b], want, got)
		}
	}
	return ""
}

// characters are all of a set that are in the Basic Multilingual Plane; of one whose characters are bytes, all bytes.
func characters(set *charset.Set) (out [][]byte) {
	if set.MaxLen() == 1 {
		for b := range 256 {
			out = append(out, []byte{byte(b)})
		}
		return out
	}
	for r := rune(0); r <= 0xFFFF; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if s, ok := set.Append(nil, r); ok {
			out = append(out, s)
		}
	}
	return out
}

// drawnFrom are characters of which many texts are made, so that they are alike.
func drawnFrom(r *rand.Rand, set *charset.Set, all [][]byte) (out [][]byte) {
	for _, c := range " \x00\t!aAbBsSzZ0_äÄßéıﬀЖжæœ😀😁𝒜" {
		if s, ok := set.Append(nil, c); ok {
			out = append(out, s)
		}
	}
	for range 8 {
		out = append(out, all[r.IntN(len(all))])
	}
	return out
}
