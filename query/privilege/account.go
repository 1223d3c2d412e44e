package privilege

import "github.com/duramendb/duramen/query/dialect"

// ofAccountStatement gives the needs of a statement about accounts; ok is false for others. GRANT, REVOKE and what is done to roles depend on
// who grants what: those statements ask for it where they run.
func ofAccountStatement(st dialect.Statement) (n Needs, ok bool) {
	switch st := st.(type) {
	case dialect.CreateUser, dialect.AlterUser, dialect.DropUser, dialect.RenameUser, dialect.CreateRole, dialect.DropRole:
		n.Add(NeedGlobal(CreateUser))
	case dialect.Grant, dialect.Revoke, dialect.RevokeEverything, dialect.GrantRole, dialect.RevokeRole, dialect.SetRole:
	case dialect.SetPassword:
		n.ofOther(st.For, Update)
	case dialect.SetDefaultRole:
		n.ofOther(st.For, Update)
	case dialect.ShowGrants:
		if st.For.Form != dialect.CurrentRole {
			n.ofOther(st.For, Select)
		}
	case dialect.ShowCreateUser:
		if st.User.Form != dialect.CurrentRole {
			n.ofOther(st.User, Select)
		}
	default:
		return n, false
	}
	return n, true
}

// ofOther adds what looking at or changing an account needs that is not one's own: a privilege on database mysql.
func (n *Needs) ofOther(a dialect.Account, p Set) {
	need := Need{On: Database, DB: "mysql", All: p}
	switch a.Form {
	case dialect.NoAccount, dialect.CurrentUser:
		return
	case dialect.NamedAccount:
		need.Account = a.User + "@" + a.Host
	case dialect.BareAccount:
		need.Account = a.User + "@%"
	}
	n.Add(need)
}
