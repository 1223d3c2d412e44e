package session

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// definer is the subject of a definition of user@localhost.
func definer(user string) accounts.Subject {
	return accounts.Definer(accounts.Name{User: user, Host: "localhost"})
}

// TestAuthority enters bodies and views one after the other, and leaves them again. The steps are "proc NAME", "trig NAME", "view NAME" with
// the definer's name, which is that of the body's database as well, "leave", "done" (of a view), and "next" (statement).
func TestAuthority(t *testing.T) {
	type state struct {
		subject, db                  string
		delegated, inBody, view, trg bool
	}
	own := state{subject: "app@%", db: "home"}
	body := func(name string) state {
		return state{subject: name + "@localhost", db: name, delegated: true, inBody: true}
	}
	with := func(s state, change func(*state)) state { change(&s); return s }
	inView := func(s state, name string) state {
		return with(s, func(s *state) { s.subject, s.delegated, s.view = name+"@localhost", true, true })
	}
	fired := func(s state) state { return with(s, func(s *state) { s.trg = true }) }
	type step struct {
		do, name string
		want     state
	}
	for name, script := range map[string][]step{
		"a procedure": {{"proc", "p", body("p")}, {"leave", "", own}},
		"a view":      {{"view", "v", inView(own, "v")}, {"done", "", own}},
		"a trigger":   {{"trig", "t", fired(body("t"))}, {"leave", "", own}},
		"nested bodies": {{"proc", "p", body("p")}, {"proc", "q", body("q")}, {"trig", "t", fired(body("t"))}, {"leave", "", body("q")},
			{"leave", "", body("p")}, {"leave", "", own}},
		"a procedure in a trigger": {{"trig", "t", fired(body("t"))}, {"proc", "p", fired(body("p"))}, {"leave", "", fired(body("t"))}, {"leave", "", own}},
		"nested views":             {{"view", "v", inView(own, "v")}, {"view", "w", inView(own, "w")}, {"done", "", inView(own, "v")}, {"done", "", own}},
		"a view in a body":         {{"proc", "p", body("p")}, {"view", "v", inView(body("p"), "v")}, {"done", "", body("p")}, {"leave", "", own}},
		"a view that failed":       {{"view", "v", inView(own, "v")}, {"view", "w", inView(own, "w")}, {"next", "", own}},
		"a view that failed in a body": {{"proc", "p", body("p")}, {"view", "v", inView(body("p"), "v")}, {"next", "", body("p")},
			{"leave", "", own}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t).connect(func(ci *ConnInfo) { ci.User = "app" })
			s.SetDB("home")
			var leave []func()
			look := func() state {
				a := &s.Authority
				return state{s.AccountName(), s.DB(), a.Delegated(), a.InBody(), a.InView(), a.InTrigger()}
			}
			require.Equal(t, own, look())
			require.Equal(t, s.Authority.Own(), s.Authority.Subject())
			for i, step := range script {
				switch step.do {
				case "proc", "trig":
					leave = append(leave, s.EnterBody(definer(step.name), step.name, step.do == "trig"))
				case "leave":
					leave[len(leave)-1]()
					leave = leave[:len(leave)-1]
				case "view":
					s.Authority.BeginView(definer(step.name))
				case "done":
					s.Authority.EndView()
				case "next":
					s.Authority.Begin()
				}
				require.Equal(t, step.want, look(), "step %d: %s %s", i, step.do, step.name)
			}
		})
	}
}

// TestDatabaseOfBody: a body's names are in its database. What it was outside is restored, whatever the body has done, and SHOW
// PROCESSLIST shows it.
func TestDatabaseOfBody(t *testing.T) {
	s := newHarness(t).connect()
	for _, outside := range []string{"", "home", "inside"} {
		s.SetDB(outside)
		leave := s.EnterBody(definer("p"), "inside", false)
		require.Equal(t, "inside", s.DB())
		require.Equal(t, "inside", s.Proc.Info().DB)
		s.SetDB("elsewhere")
		leave()
		require.Equal(t, outside, s.DB())
		require.Equal(t, outside, s.Proc.Info().DB)
	}
}

// TestPrivilegesOfAuthority: the privileges on *.* follow the subject, and the accounts.
func TestPrivilegesOfAuthority(t *testing.T) {
	h := newHarness(t)
	s := h.connect(func(ci *ConnInfo) { ci.User = "app" })
	require.Equal(t, privilege.Select, s.GlobalPrivileges())
	require.True(t, s.May(privilege.Select|privilege.Super), "one of them")
	require.NoError(t, s.Require(privilege.Select))
	err := s.Require(privilege.Super)
	require.Equal(t, 1227, number(err))
	require.ErrorContains(t, err, privilege.Super.String())
	leave := s.EnterBody(accounts.Definer(accounts.Name{User: "root", Host: "localhost"}), "test", false)
	require.Equal(t, privilege.All, s.GlobalPrivileges())
	require.NoError(t, s.Require(privilege.Super))
	leave()
	require.Equal(t, privilege.Select, s.GlobalPrivileges())
	set := h.server.Accounts.Set().Clone()
	set.Find(accounts.Name{User: "app", Host: "%"}).Global |= privilege.Super
	h.server.Accounts.Publish(set)
	require.NoError(t, s.Require(privilege.Super), "a GRANT counts at once")
}
