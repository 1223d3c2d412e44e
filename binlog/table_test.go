package binlog

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/binlog/event"
)

var update = flag.Bool("update", false, "write the recovery table into docs/recovery.md")

// everyFact calls fn with each combination of facts that does not contradict itself.
func everyFact(fn func(f facts)) {
	for bits := range 1 << factCount {
		var f facts
		for i := range f {
			f[i] = bits>>i&1 == 1
		}
		if f.possible() {
			fn(f)
		}
	}
}

// TestPatterns: every row says something about every fact, and gives a cause.
func TestPatterns(t *testing.T) {
	for _, r := range recoveryTable {
		signs := strings.ReplaceAll(r.pattern, " ", "")
		require.Len(t, signs, int(factCount), r.label)
		require.Empty(t, strings.Trim(signs, "+-."), r.label)
		require.NotEmpty(t, r.cause, r.label)
	}
}

// TestEveryCombinationHasOneRow: every combination of facts hits exactly one row, and every row is hit.
func TestEveryCombinationHasOneRow(t *testing.T) {
	hits := map[string]int{}
	everyFact(func(f facts) {
		var rows []string
		for i := range recoveryTable {
			if recoveryTable[i].holds(&f) {
				rows = append(rows, recoveryTable[i].pattern)
			}
		}
		require.Len(t, rows, 1, "%v: %v", f, rows)
		hits[rows[0]]++
	})
	require.Len(t, hits, len(recoveryTable))
}

// TestRowsAreSafe: what the table must never do, whatever its rows.
func TestRowsAreSafe(t *testing.T) {
	everyFact(func(f facts) {
		sound := f[factHeader] && f[factOrder] && f[factChained]
		switch rowFor(f).decision {
		case torn:
			require.True(t, sound && f[factLive] && f[factInUse] && !f[factClosed] && !f[factVouched], "%v", f)
		case clean:
			require.True(t, sound && !f[factData] && !f[factInside], "%v", f)
		case damaged:
		}
	})
}

// TestTableInDocs: docs/recovery.md shows the table by which recovery decides.
func TestTableInDocs(t *testing.T) {
	const name, begin, end = "../docs/recovery.md", "<!-- the table is printed by binlog/table.go -->\n", "<!-- end of the table -->\n"
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	shown, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(before+begin+recoveryTableText()+end+after), 0o600))
		return
	}
	require.Equal(t, recoveryTableText(), shown, "go test ./binlog -run TestTableInDocs -update writes it")
}

// concluded is what recovery makes of the scan of the last segment.
func concluded(c contents, t tail) *finding {
	o := testOptions(nil)
	x := examination{dir: o.dir(), seg: &segment{}, live: true}
	x.dir.fs = vfs.NewMem()
	found := &finding{contents: c, tail: t}
	x.conclude(factsOf(c, t), found)
	return found
}

// TestFactsOf: what a scan finds becomes facts that do not contradict each other, and damage always has a reason.
func TestFactsOf(t *testing.T) {
	for _, ended := range []bool{false, true} {
		for _, inUse := range []bool{false, true} {
			for _, stop := range []error{io.EOF, errZeros, event.ErrChecksum} {
				for _, behind := range []uint64{0, 50} {
					for _, durable := range []uint64{0, 1000, 1001} {
						for _, vouched := range []uint64{0, 1000, 1001} {
							for _, unit := range []uint64{900, 1000} {
								c := contents{header: header{inUse: inUse}, unitEnd: unit, evEnd: 1000, ended: ended, stop: stop, vouched: vouched}
								tl := tail{dataEnd: 1000 + behind, durable: durable, mark: 1040}
								f := factsOf(c, tl)
								require.True(t, f.possible(), "%+v", c)
								found := concluded(c, tl)
								require.Equal(t, found.row.decision == damaged, found.damage != nil, "%+v", c)
								if found.damage != nil {
									require.ErrorContains(t, found.damage, found.row.cause)
								}
								if max(durable, vouched) > 1000 && inUse && !ended {
									require.Equal(t, damaged, found.row.decision)
								}
								if found.row.decision == clean {
									require.Zero(t, behind)
								}
							}
						}
					}
				}
			}
		}
	}
}

// possible says that the facts do not contradict each other.
func (f *facts) possible() bool {
	return !(f[factClosed] && f[factInside]) && (f[factRest] || !f[factData]) && (f[factData] || !f[factVouched]) && (f[factListed] || !f[factLive])
}

// recoveryTableText is the table as docs/recovery.md shows it.
func recoveryTableText() string {
	var b strings.Builder
	b.WriteString("| row |")
	for _, name := range factNames {
		b.WriteString(" " + name + " |")
	}
	b.WriteString(" decision | what leaves a file like this |\n|---|" + strings.Repeat("---|", int(factCount)) + "---|---|\n")
	for i := range recoveryTable {
		r := &recoveryTable[i]
		b.WriteString("| " + r.label + " |")
		for _, sign := range strings.ReplaceAll(r.pattern, " ", "") {
			b.WriteString(map[rune]string{'+': " yes |", '-': " no |", '.': " |"}[sign])
		}
		fmt.Fprintf(&b, " %v | %s |\n", r.decision, r.cause)
	}
	return b.String()
}
