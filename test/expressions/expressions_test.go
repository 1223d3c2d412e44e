package expressions

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

var (
	record = flag.Bool("record", false, "write the answers of testdata anew, by a MariaDB")
	addr   = flag.String("expressions.server", "", "address of a running MariaDB, instead of one that the test starts")
	count  = flag.Int("expressions.count", 300, "how many expressions of each family are drawn")
	seed   = flag.Uint64("expressions.seed", 1, "which ones")
	most   = flag.Int("expressions.most", 25, "how many differences are shown")
)

// maria is a session of a real server.
func maria(t *testing.T) *Server {
	t.Helper()
	at := *addr
	if at == "" {
		at = peer.StartMariaDB(t, peer.Options{Args: []string{"--innodb-flush-log-at-trx-commit=0", "--character-set-server=latin1", "--collation-server=latin1_swedish_ci"}}).Socket
	}
	s, err := Dial(at)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// lines are those of a file that are neither empty nor comments.
func lines(t *testing.T, file string) (out []string) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		if line := strings.TrimSpace(scan.Text()); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	require.NoError(t, scan.Err())
	return out
}

// families are the files of testdata.
func families(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// setupOf takes the setup in front of an expression: {sql_mode=…; names=…; collation=…}.
func setupOf(t *testing.T, line string) (Setup, string) {
	t.Helper()
	s := Default
	if !strings.HasPrefix(line, "{") {
		return s, line
	}
	head, rest, ok := strings.Cut(line[1:], "} ")
	require.True(t, ok, line)
	for part := range strings.SplitSeq(head, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "sql_mode":
			s.SQLMode = value
		case "names":
			s.Names = value
		case "collation":
			s.Collation = value
		case "div":
			_, err := fmt.Sscan(value, &s.DivInc)
			require.NoError(t, err)
		case "packet":
			_, err := fmt.Sscan(value, &s.MaxPacket)
			require.NoError(t, err)
		case "zone":
			s.Zone = value
		default:
			t.Fatalf("%s: what is %s?", line, name)
		}
	}
	return s, rest
}

// What testdata has of MariaDB's answers is what our packages say.
func TestRecorded(t *testing.T) {
	for _, file := range families(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			questions, answersFile := lines(t, file), strings.TrimSuffix(file, ".sql")+".answers"
			if *record {
				recordAnswers(t, questions, answersFile)
			}
			answers := lines(t, answersFile)
			require.Len(t, answers, len(questions), "record the answers of %s again", file)
			d := differences{t: t}
			for i, q := range questions {
				s, expression := setupOf(t, q)
				d.compare(q, answers[i], Ours(s, expression).String())
			}
			d.report()
		})
	}
}

func recordAnswers(t *testing.T, questions []string, file string) {
	t.Helper()
	server := maria(t)
	var out strings.Builder
	for _, q := range questions {
		s, expression := setupOf(t, q)
		a, err := server.Ask(s, expression)
		require.NoError(t, err, q)
		out.WriteString(strings.ReplaceAll(a.String(), "\n", `\n`) + "\n")
	}
	require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
}

// A generator draws an expression.
type generator func(r *rand.Rand) string

// generators are the families that draw expressions; files of this folder add theirs.
var generators = map[string]generator{}

// Expressions that were drawn mean the same to a real server.
func TestDrawn(t *testing.T) {
	for name, draw := range generators {
		t.Run(name, func(t *testing.T) {
			server := maria(t)
			r := rand.New(rand.NewPCG(*seed, 7))
			d := differences{t: t, drawn: true}
			for range *count {
				q := draw(r)
				a, err := server.Ask(Default, q)
				require.NoError(t, err, q)
				d.compare(q, a.String(), Ours(Default, q).String())
			}
			d.report()
		})
	}
}

// differences counts what is not the same, and shows some.
type differences struct {
	t             *testing.T
	asked, differ int
	drawn         bool // differences that are known do not count
	known         int
}

func (d *differences) compare(question, theirs, ours string) {
	d.t.Helper()
	d.asked++
	theirs, ours = strings.ReplaceAll(theirs, "\n", `\n`), strings.ReplaceAll(ours, "\n", `\n`)
	if ours == theirs {
		return
	}
	if d.drawn && known(question, theirs, ours) {
		d.known++
		return
	}
	if d.differ++; d.differ <= *most {
		d.t.Errorf("SELECT %s\n  MariaDB: %s\n  ours:    %s", question, theirs, ours)
	}
}

func (d *differences) report() {
	d.t.Helper()
	d.t.Logf("%d of %d differ, and %d as is known", d.differ, d.asked, d.known)
	if d.differ > 0 {
		d.t.Fail()
	}
	if d.asked == 0 {
		d.t.Error("nothing was asked")
	}
}
