package option

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var testSet = NewSet(
	Def{Name: "port", Kind: Int, Default: "3306", Short: 'P', Help: "a port"},
	Def{Name: "datadir", Default: "data", Short: 'h'},
	Def{Name: "skip_networking", Kind: Bool, Default: "OFF"},
	Def{Name: "ssl", Kind: Bool, Default: "ON"},
	Def{Name: "max_binlog_size", Kind: Int, Default: "128M"},
	Def{Name: "log_bin", Default: "binlog", Optional: true},
	Def{Name: "timeout", Kind: Seconds, Default: "30"},
	Def{Name: "ratio", Kind: Float, Default: "0.5"},
	Def{Name: "init_connect"},
)

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		args  []string
		name  string
		want  any
		wrong string // part of the error
	}{
		{args: nil, name: "port", want: int64(3306)},
		{args: []string{"--port=1"}, name: "port", want: int64(1)},
		{args: []string{"--port", "1"}, name: "port", want: int64(1)},
		{args: []string{"-P", "1"}, name: "port", want: int64(1)},
		{args: []string{"-P1"}, name: "port", want: int64(1)},
		{args: []string{"--port=1", "--port=2"}, name: "port", want: int64(2)},
		{args: []string{"--PORT=7"}, name: "port", want: int64(7)},
		{args: []string{"--max-binlog_size=2k"}, name: "max_binlog_size", want: int64(2048)},
		{args: []string{"--max-binlog-size=3G"}, name: "max_binlog_size", want: int64(3 << 30)},
		{args: []string{"--skip-networking"}, name: "skip_networking", want: true},
		{args: []string{"--skip-networking=0"}, name: "skip_networking", want: false},
		{args: []string{"--skip-ssl"}, name: "ssl", want: false},
		{args: []string{"--disable-ssl"}, name: "ssl", want: false},
		{args: []string{"--skip-ssl", "--enable-ssl"}, name: "ssl", want: true},
		{args: []string{"--ssl=off"}, name: "ssl", want: false},
		{args: []string{"--log-bin"}, name: "log_bin", want: "binlog"},
		{args: []string{"--log-bin=x"}, name: "log_bin", want: "x"},
		{args: []string{"--skip-log-bin"}, name: "log_bin", want: "OFF"},
		{args: []string{"--timeout=5"}, name: "timeout", want: 5 * time.Second},
		{args: []string{"--timeout=1500ms"}, name: "timeout", want: 1500 * time.Millisecond},
		{args: []string{"--ratio=0.25"}, name: "ratio", want: 0.25},
		{args: []string{"--loose-nothing=1", "--port=9"}, name: "port", want: int64(9)},
		{args: []string{"--loose-port=9"}, name: "port", want: int64(9)},
		{args: []string{"--init-connect=SET a='b=c'"}, name: "init_connect", want: "SET a='b=c'"},

		{args: []string{"--prot=1"}, wrong: "option --prot (command line): there is no such option"},
		{args: []string{"--portt=1"}, wrong: "is --port meant?"},
		{args: []string{"-x"}, wrong: "option --x (command line): there is no such option"},
		{args: []string{"--port"}, wrong: "needs a value"},
		{args: []string{"--port=1x"}, wrong: `"1x" is not a whole number`},
		{args: []string{"--port=9999999999E"}, wrong: "too large"},
		{args: []string{"--ssl=maybe"}, wrong: `"maybe" is neither ON nor OFF`},
		{args: []string{"--skip-port"}, wrong: "is not a switch"},
		{args: []string{"--skip-ssl=1"}, wrong: "takes no value"},
		{args: []string{"--timeout=soon"}, wrong: "not a number of seconds"},
		{args: []string{"--ratio=x"}, wrong: "not a number"},
		{args: []string{"--defaults-file"}, wrong: "needs the name of a file"},
	} {
		v, rest, err := testSet.Parse(tc.args, Search{})
		if tc.wrong != "" {
			require.ErrorContains(t, err, tc.wrong, "%q", tc.args)
			continue
		}
		require.NoError(t, err, "%q", tc.args)
		require.Empty(t, rest)
		require.Equal(t, tc.want, v.Value(tc.name), "%q", tc.args)
	}
	v, rest, err := testSet.Parse([]string{"a", "--loose-x", "--", "--port=1"}, Search{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "--port=1"}, rest)
	require.Len(t, v.Warned, 1)
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	system := write("system.cnf", `
# a comment
[client]
port = 1
nonsense
[server]   # ours
port = 2 # not 3
init-connect = "SET NAMES 'x' # y"
max_binlog_size=1M
[duramen]
skip-networking
!include more/inc.cnf
!includedir more/dir
`)
	write("more/inc.cnf", "[server]\ntimeout=7\n")
	write("more/dir/a.cnf", "[server]\nratio=0.75\n")
	write("more/dir/a.txt", "[server]\nnonsense\n")
	write("my.cnf", "[server]\nmax-binlog-size = 2M\n")
	extra := write("extra.cnf", "[server]\nlog_bin = a\\sb\\\\c\n")
	groups := []string{"server", "duramen"}

	v, _, err := testSet.Parse([]string{"--datadir=" + dir, "--defaults-extra-file=" + extra, "--timeout=8"},
		Search{System: system, Groups: groups, DatadirOption: "datadir"})
	require.NoError(t, err)
	require.Equal(t, int64(2), v.Int("port"))
	require.Equal(t, "SET NAMES 'x' # y", v.String("init_connect"))
	require.Equal(t, int64(2<<20), v.Int("max_binlog_size"))
	require.True(t, v.Bool("skip_networking"))
	require.Equal(t, 8*time.Second, v.Duration("timeout"))
	require.Equal(t, "0.75", v.String("ratio"))
	require.Equal(t, `a b\c`, v.String("log_bin"))
	origin, ok := v.Given("port")
	require.True(t, ok)
	require.Equal(t, system+", line 7", origin)
	require.Contains(t, v.Names(), "ratio")

	v, _, err = testSet.Parse([]string{"--no-defaults"}, Search{System: system, Groups: groups})
	require.NoError(t, err)
	require.Empty(t, v.Names())

	for _, tc := range []struct{ text, want string }{
		{"[server]\nnonsense=1\n", ", line 2): there is no such option"},
		{"[server\n", "not a group"},
		{"[server]\nport=\"1\n", "no end of the quoted value"},
		{"[server]\nport=\"1\" 2\n", "follows the quoted value"},
		{"!include\n", "names nothing"},
		{"!include nothing.cnf\n", "no such file"},
		{"!import x\n", "unknown directive"},
		{"!include bad.cnf\n", "include each other"},
	} {
		bad := write("bad.cnf", tc.text)
		_, _, err := testSet.Parse([]string{"--defaults-file=" + bad}, Search{Groups: groups})
		require.ErrorContains(t, err, tc.want, "%q", tc.text)
	}
	_, _, err = testSet.Parse([]string{"--defaults-file=" + filepath.Join(dir, "none")}, Search{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestUsage(t *testing.T) {
	require.Equal(t, "  --port=#, -P                       a port [3306]\n", testSet.Usage())
}

func FuzzFile(f *testing.F) {
	f.Add("[server]\nport=1\n!include x\n'")
	f.Add("[server]\r\n# comment\n; another\nport = \"3307\" # why\nskip-port\nloose-nothing=1\n")
	f.Add("port=1\n[mariadb]\nport\n[server\n")
	f.Add("[server]\nport='a\\tb\\\\'\n!includedir .\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "!include") {
			text = strings.NewReplacer("/", "", "..", "").Replace(text) // nothing outside of the test's directory
		}
		path := filepath.Join(t.TempDir(), "x.cnf")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Skip(err)
		}
		_, _, err := testSet.Parse([]string{"--defaults-file=" + path}, Search{Groups: []string{"server"}})
		if err == nil {
			return
		}
		// An error about the text names a line of it.
		if m := regexp.MustCompile(`, line (\d+)\)`).FindStringSubmatch(err.Error()); m != nil {
			line, lerr := strconv.Atoi(m[1])
			require.NoError(t, lerr)
			require.True(t, line >= 1 && line <= strings.Count(text, "\n")+1, "%v", err)
		}
	})
}
