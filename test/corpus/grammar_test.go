package corpus

import (
	"flag"
	"os"
	"testing"

	"github.com/duramendb/duramen/query/dialect/dialecttest"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/test/peer"
)

var (
	report   = flag.Bool("corpus.report", false, "print what the grammar does otherwise than the server, by cause, instead of failing")
	only     = flag.String("corpus.only", "", "only groups of the report that contain this text")
	groups   = flag.Int("corpus.groups", 0, "groups of each cause in the report (0: 40)")
	examples = flag.Int("corpus.examples", 0, "examples of each group in the report (0: 2)")
	bytesMax = flag.Int("corpus.bytes", 0, "bytes of each example in the report (0: 300)")
	tables   = flag.Int("corpus.tables", 200, "make so many of the tables that statements define")
)

func init() {
	looks["Grammar"] = grammarOnStatements
	looks["Spoiled"] = grammarOnMutants
	looks["Expressions"] = grammarOnExpressions
}

// known are differences that stay, by their group, with their reason.
var known = map[Cause]map[string]string{}

// accept fails the test for each difference of these causes that is not known, and for too many refused statements.
func accept(t *testing.T, f *Findings, rate float64, causes ...Cause) {
	t.Helper()
	t.Logf("%d accepted by both of %d (%.3f %%); %d refused by both of %d", f.Agreed, f.Accepted, 100*f.Rate(), f.Refused-f.Count(TooLoose), f.Refused)
	for _, c := range []Cause{TooStrict, OtherText, OtherLine, NotMySQL} {
		t.Logf("%s: %d", c, f.Count(c))
	}
	if *report {
		o := Options{Groups: *groups, Examples: *examples, Bytes: *bytesMax, Only: *only}
		if err := f.Report(os.Stdout, o); err != nil {
			t.Error(err)
		}
		return
	}
	if f.Rate() < rate {
		t.Errorf("the grammar accepts %.3f %% of what the server accepts; wanted %.3f %%", 100*f.Rate(), 100*rate)
	}
	for _, c := range causes {
		n := 0
		for _, d := range f.Differences {
			if d.Cause != c || known[c][d.Group] != "" {
				continue
			}
			if n++; n <= shownMax {
				t.Errorf("%s: %s:%d %s: %s: %s", c, d.File, d.Line, d.Mode, abbreviate(d.Text, 500), abbreviate(d.Detail, 500))
			}
		}
		if n > shownMax {
			t.Errorf("%s: %d in all (-corpus.report groups them)", c, n)
		}
	}
}

// shownMax is how many differences of one cause a failing test shows.
const shownMax = 10

// grammarOnStatements judges our grammar by the statements themselves.
func grammarOnStatements(t *testing.T, c corpus) {
	f := Judge(c.list, grammarParser)
	if c.Server != nil {
		if err := f.CheckPrinted(c.Server); err != nil {
			t.Error(err)
		}
		n, inParentheses, err := f.CheckValues(c.Server)
		if err != nil {
			t.Error(err)
		}
		made, err := f.CheckTables(c.Server, *tables)
		if err != nil {
			t.Error(err)
		}
		t.Logf("%d queries without tables were computed, %d with other parentheses; %d tables were made", n, inParentheses, made)
	}
	walked(t, f)
	accept(t, f, 0.995, Panicked, TooLoose, NotMySQL, NotAgain, Changed, OtherTree, Refuted, Bound, Miscounted, Redefined)
}

// walked goes through all trees.
func walked(t *testing.T, f *Findings) {
	t.Helper()
	wrong := 0
	for i, s := range f.trees {
		if err := dialecttest.CheckWalk(s.(tree.Statement), len(f.Statements[i].Text)); err != nil {
			if wrong++; wrong <= shownMax {
				t.Errorf("%v: %s", err, abbreviate(f.Statements[i].Text, 500))
			}
		}
	}
	t.Logf("%d trees were walked through, %d wrongly", len(f.trees), wrong)
}

// grammarOnMutants judges it by spoiled statements.
func grammarOnMutants(t *testing.T, c corpus) {
	if c.Server == nil || *report {
		return // -corpus.mutants is for that
	}
	list, err := c.Judge(Mutants(c.list, peer.Scaled(20000, 200000), *seed))
	if err != nil {
		t.Fatal(err)
	}
	accept(t, Judge(list, grammarParser), 0.99, Panicked, TooLoose, NotAgain, Changed, OtherTree)
}

// grammarOnExpressions judges it by drawn expressions, which the server computes.
func grammarOnExpressions(t *testing.T, c corpus) {
	if c.Server == nil || *report {
		return // -corpus.expressions is for that
	}
	list, err := c.Judge(Expressions(peer.Scaled(10000, 100000), *seed))
	if err != nil {
		t.Fatal(err)
	}
	f := Judge(list, grammarParser)
	if _, _, err := f.CheckValues(c.Server); err != nil {
		t.Error(err)
	}
	accept(t, f, 0.99, Panicked, TooLoose, NotAgain, Changed, OtherTree, Bound, Miscounted)
}
