package account

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/privilege"
)

// View is what the tables that show accounts are made of.
type View struct {
	Set     *accounts.Set
	Subject accounts.Subject // who asks
	Version int              // of the server, as MariaDB numbers it: 101114 for 10.11.14
}

// Tables are the rows of the tables that show the accounts: those of the database mysql, and those of information_schema.
var Tables = map[string]func(View) [][]any{
	"mysql.user": userRows, "mysql.global_priv": globalPrivRows, "mysql.db": dbRows, "mysql.tables_priv": tablesPrivRows, "mysql.columns_priv": columnsPrivRows,
	"mysql.procs_priv": procsPrivRows, "mysql.roles_mapping": rolesMappingRows,
	"APPLICABLE_ROLES": applicableRoles, "ENABLED_ROLES": enabledRoles, "USER_PRIVILEGES": userPrivileges,
	"SCHEMA_PRIVILEGES": schemaPrivileges, "TABLE_PRIVILEGES": tablePrivileges, "COLUMN_PRIVILEGES": columnPrivileges,
}

func yn(b bool) string {
	if b {
		return "Y"
	}
	return "N"
}

// columnPrivileges are the privileges of the columns ..._priv of mysql.user and mysql.db, in their order.
var (
	userColumns = firstPrivileges(privilege.DeleteHistory)
	dbColumns   = []privilege.Set{
		privilege.Select, privilege.Insert, privilege.Update, privilege.Delete, privilege.Create, privilege.Drop, privilege.Grant,
		privilege.References, privilege.Index, privilege.Alter, privilege.CreateTemporary, privilege.LockTables, privilege.CreateView,
		privilege.ShowView, privilege.CreateRoutine, privilege.AlterRoutine, privilege.Execute, privilege.Event, privilege.Trigger,
		privilege.DeleteHistory,
	}
)

func firstPrivileges(last privilege.Set) []privilege.Set {
	var out []privilege.Set
	(last | (last - 1)).Each(func(p privilege.Set) { out = append(out, p) })
	return out
}

func ynOf(have privilege.Set, columns []privilege.Set) []any {
	out := make([]any, len(columns))
	for i, p := range columns {
		out[i] = yn(have.Has(p))
	}
	return out
}

// requireTypes are the texts of mysql.user.ssl_type; their places are global_priv's numbers.
var requireTypes = []string{"", "ANY", "X509", "SPECIFIED"}

func requireType(a *accounts.Account) int {
	return max(0, slices.Index([]string{"", accounts.RequireSSL, accounts.RequireX509, accounts.RequireSpecified}, a.Require))
}

func userRows(v View) [][]any {
	var out [][]any
	for _, a := range v.Set.Accounts {
		password := ""
		if a.Plugin == accounts.NativePassword {
			password = a.Auth
		}
		row := append([]any{a.Host, a.User, password}, ynOf(a.Global, userColumns)...)
		out = append(out, append(row, requireTypes[requireType(a)], a.Cipher, a.Issuer, a.Subject, a.Limits.Queries, a.Limits.Updates,
			a.Limits.Connections, a.Limits.UserConnections, a.Plugin, a.Auth, yn(a.Expired), yn(a.Role), a.DefaultRole, a.Limits.StatementTime))
	}
	return out
}

func globalPrivRows(v View) [][]any {
	var out [][]any
	for _, a := range v.Set.Accounts {
		out = append(out, []any{a.Host, a.User, globalPriv(a, v.Version)})
	}
	return out
}

// globalPriv is the JSON of an account in mysql.global_priv, with MariaDB's keys in MariaDB's order. Those with
// their defaults are left out.
func globalPriv(a *accounts.Account, version int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"access":%d,"version_id":%d`, a.Global, version)
	text := func(key, value string) {
		quoted, _ := json.Marshal(value) // a string
		fmt.Fprintf(&b, `,"%s":%s`, key, quoted)
	}
	if a.Role {
		return b.String() + `,"is_role":true}`
	}
	text("plugin", a.Plugin)
	text("authentication_string", a.Auth)
	if a.Require != "" {
		fmt.Fprintf(&b, `,"ssl_type":%d`, requireType(a))
		text("ssl_cipher", a.Cipher)
		text("x509_issuer", a.Issuer)
		text("x509_subject", a.Subject)
	}
	for _, n := range []struct {
		key   string
		value int64
	}{
		{"max_questions", int64(a.Limits.Queries)}, {"max_updates", int64(a.Limits.Updates)},
		{"max_connections", int64(a.Limits.Connections)}, {"max_user_connections", a.Limits.UserConnections},
	} {
		if n.value != 0 {
			fmt.Fprintf(&b, `,"%s":%d`, n.key, n.value)
		}
	}
	if a.Limits.StatementTime != 0 {
		fmt.Fprintf(&b, `,"max_statement_time":%.6f`, a.Limits.StatementTime)
	}
	if a.Locked {
		b.WriteString(`,"account_locked":true`)
	}
	fmt.Fprintf(&b, `,"password_last_changed":%d`, changedAt(a))
	if a.Lifetime != accounts.LifetimeDefault {
		fmt.Fprintf(&b, `,"password_lifetime":%d`, a.Lifetime)
	}
	if a.DefaultRole != "" {
		text("default_role", a.DefaultRole)
	}
	return b.String() + "}"
}

// changedAt is when the password was set, in seconds; 0 for an expired one.
func changedAt(a *accounts.Account) int64 {
	if a.Expired || a.Changed.IsZero() {
		return 0
	}
	return a.Changed.Unix()
}

func dbRows(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.DBs {
		out = append(out, append([]any{g.Host, g.DB, g.User}, ynOf(g.Privs, dbColumns)...))
	}
	return out
}

// memberNames are names of privileges as members of the SETs of tables_priv and procs_priv, where they are not those
// of GRANT.
var memberNames = map[string]string{"CREATE VIEW": "Create View", "SHOW VIEW": "Show view", "DELETE HISTORY": "Delete versioning rows", "ALTER ROUTINE": "Alter Routine"}

func members(p privilege.Set) string {
	names := p.Names()
	for i, n := range names {
		if m, ok := memberNames[n]; ok {
			names[i] = m
		} else {
			names[i] = n[:1] + strings.ToLower(n[1:])
		}
	}
	return strings.Join(names, ",")
}

// noTime is the time of a grant, as in MariaDB. Who granted is not kept: Grantor is "".
var noTime = time.Date(0, 0, 0, 0, 0, 0, 0, time.UTC) // 0000-00-00 00:00:00 for query/gms/schema

func tablesPrivRows(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.Tables {
		out = append(out, []any{g.Host, g.DB, g.User, g.Table, "", noTime, members(g.Privs), members(g.OnColumns())})
	}
	return out
}

func columnsPrivRows(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.Tables {
		for _, c := range g.Columns {
			out = append(out, []any{g.Host, g.DB, g.User, g.Table, c.Column, noTime, members(c.Privs)})
		}
	}
	return out
}

func procsPrivRows(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.Routines {
		kind := "PROCEDURE"
		if g.Function {
			kind = "FUNCTION"
		}
		out = append(out, []any{g.Host, g.DB, g.User, g.Routine, kind, "", members(g.Privs), noTime})
	}
	return out
}

func rolesMappingRows(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.Roles {
		out = append(out, []any{g.Host, g.User, g.Role, yn(g.Admin)})
	}
	return out
}

func yesNo(b bool) string {
	if b {
		return "YES"
	}
	return "NO"
}

// applicableRoles are the roles that the session's user can get at.
func applicableRoles(v View) [][]any {
	set, own := v.Set, v.Subject.Account
	a := set.Find(own)
	var out [][]any
	for _, g := range set.RolesOf(own) {
		grantee, isDefault := g.User, any(nil)
		if !g.IsRole() {
			grantee, isDefault = g.User+"@"+g.Host, yesNo(a != nil && a.DefaultRole == g.Role)
		}
		out = append(out, []any{grantee, g.Role, yesNo(g.Admin), isDefault})
	}
	return out
}

// enabledRoles are the active role and those in it; a row of NULL without one, as in MariaDB.
func enabledRoles(v View) [][]any {
	var out [][]any
	for _, r := range v.Set.ActiveRoles(v.Subject.Role) {
		out = append(out, []any{r})
	}
	if out == nil {
		out = [][]any{{nil}}
	}
	return out
}

func granteeName(n accounts.Name) string { return "'" + n.User + "'@'" + n.Host + "'" }

// grantRows adds a row for each privilege of a grant, USAGE for a grant of nothing but GRANT OPTION.
func grantRows(out [][]any, p privilege.Set, grantee accounts.Name, on ...any) [][]any {
	names := (p &^ privilege.Grant).Names()
	if len(names) == 0 {
		names = []string{"USAGE"}
	}
	for _, name := range names {
		row := append([]any{granteeName(grantee), "def"}, on...)
		out = append(out, append(row, name, yesNo(p.Has(privilege.Grant))))
	}
	return out
}

func userPrivileges(v View) [][]any {
	var out [][]any
	for _, a := range v.Set.Accounts {
		if !a.Role {
			out = grantRows(out, a.Global, a.Name)
		}
	}
	return out
}

// schemaPrivileges has for a role also what roles in it were granted.
func schemaPrivileges(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.InheritedDBs() {
		out = grantRows(out, g.Privs, g.Name, g.DB)
	}
	return out
}

// tablePrivileges is schemaPrivileges for tables.
func tablePrivileges(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.InheritedTables() {
		if g.Privs != 0 {
			out = grantRows(out, g.Privs, g.Name, g.DB, g.Table)
		}
	}
	return out
}

// columnPrivileges is tablePrivileges for columns, privilege by privilege.
func columnPrivileges(v View) [][]any {
	var out [][]any
	for _, g := range v.Set.InheritedTables() {
		privilege.OnColumn.Each(func(p privilege.Set) {
			for _, c := range g.Columns {
				if c.Privs.Has(p) {
					out = append(out, []any{granteeName(g.Name), "def", g.DB, g.Table, c.Column, p.String(), yesNo(g.Privs.Has(privilege.Grant))})
				}
			}
		})
	}
	return out
}
