package clone

import (
	"context"
	"encoding/hex"
	"regexp"
	"strings"
)

// accountOf is an account, or with a host of "" a role, as statements name it.
func accountOf(user, host string) string {
	if host == "" {
		return quoteName(user)
	}
	return quoteName(user) + "@" + quoteName(host)
}

// own are the accounts that a server makes for itself.
func own(user string) bool {
	switch user {
	case "mariadb.sys", "mysql.sys", "mysql.session", "mysql.infoschema", "PUBLIC":
		return true
	}
	return false
}

// everyProxy is the right of root to stand in for anybody, which each MariaDB and MySQL is made with, and which matters to plugins that Duramen does not
// have. Other grants of PROXY are told.
var everyProxy = regexp.MustCompile("^GRANT PROXY ON [`']{2}@[`']%?[`'] TO [`']root[`']@")

// readAccounts reads users and roles into the definitions, and what is granted to them into the grants.
func (s *source) readAccounts(ctx context.Context, inv *inventory) error {
	list := "SELECT User AS user, Host AS host, is_role AS role FROM mysql.user ORDER BY is_role DESC, User, Host"
	if s.flavor == mySQL {
		// Roles are users there.
		list = "SELECT User AS user, Host AS host, 'N' AS role FROM mysql.user ORDER BY User, Host"
		if err := execAll(ctx, s.admin, "SET SESSION print_identified_with_as_hex = 1"); err != nil {
			return err
		}
	}
	accounts, err := query(ctx, s.admin, list)
	if err != nil {
		return err
	}
	for _, r := range accounts {
		if own(r["user"]) {
			continue
		}
		host := r["host"]
		d := &definition{kind: kindUser, name: r["user"] + "@" + host}
		if r["role"] == "Y" {
			host = ""
			d.kind, d.name, d.create = kindRole, r["user"], "CREATE ROLE "+quoteName(r["user"])
		} else {
			shown, err := oneText(ctx, s.admin, "SHOW CREATE USER "+accountOf(r["user"], host))
			if err != nil {
				return err
			}
			d.create = shown[0]
			if s.flavor == mySQL {
				d.create = mariaDBUser(d.create)
			}
		}
		inv.definitions = append(inv.definitions, d)
		grants, err := oneText(ctx, s.admin, "SHOW GRANTS FOR "+accountOf(r["user"], host))
		if err != nil {
			return err
		}
		for _, g := range grants {
			if everyProxy.MatchString(g) {
				continue
			}
			grant := &definition{kind: kindGrant, name: d.name, create: g}
			if s.flavor == mySQL {
				if d.name == "root@localhost" {
					continue // keeps all privileges that there are
				}
				grant.create, grant.missing = mariaDBGrant(g)
			}
			inv.grants = append(inv.grants, grant)
		}
	}
	return nil
}

// oneText reads the only column of a result.
func oneText(ctx context.Context, c execer, q string) ([]string, error) {
	rows, err := query(ctx, c, q)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, r := range rows {
		for _, text := range r {
			all = append(all, text)
		}
	}
	return all, nil
}

// onlyMySQL are clauses of its CREATE USER that MariaDB has not. Those of history and reuse ask for the server's own settings unless they were set.
var onlyMySQL = regexp.MustCompile(` DEFAULT ROLE .*? REQUIRE| PASSWORD HISTORY (DEFAULT|\d+)| PASSWORD REUSE INTERVAL (DEFAULT|\d+ DAY)| PASSWORD REQUIRE CURRENT( DEFAULT| OPTIONAL)?`)

// mariaDBUser is a CREATE USER of MySQL in MariaDB's words.
func mariaDBUser(create string) string {
	create = onlyMySQL.ReplaceAllStringFunc(create, func(clause string) string {
		if strings.HasSuffix(clause, " REQUIRE") {
			return " REQUIRE"
		}
		return ""
	})
	return hashInHex.ReplaceAllStringFunc(create, func(clause string) string {
		hash, err := hex.DecodeString(strings.TrimPrefix(clause, " AS 0x"))
		if err != nil {
			return clause // an odd number of digits, which the new server refuses
		}
		return " AS " + quoteText(string(hash))
	})
}

// hashInHex is what print_identified_with_as_hex makes of a password's hash, which is ASCII in spite of that.
var hashInHex = regexp.MustCompile(` AS 0x[0-9A-Fa-f]+`)

// globalGrant is a grant of what can be granted for the whole server only, among others.
var globalGrant = regexp.MustCompile("(?s)^GRANT ([A-Z_, ]+) (ON \\*\\.\\* TO `.*)$")

// mariaDBPrivileges are the privileges for the whole server that MariaDB has, by MySQL's names.
var mariaDBPrivileges = map[string]string{
	"BINLOG_ADMIN": "BINLOG ADMIN", "CONNECTION_ADMIN": "CONNECTION ADMIN", "REPLICATION_SLAVE_ADMIN": "REPLICATION SLAVE ADMIN",
	"SET_ANY_DEFINER": "SET USER", "SET_USER_ID": "SET USER",
}

// mariaDBGrant is a GRANT of MySQL in MariaDB's words, "" if nothing is left of it, and the privileges that MariaDB does not have.
func mariaDBGrant(grant string) (statement string, missing []string) {
	parts := globalGrant.FindStringSubmatch(grant)
	if parts == nil {
		return grant, nil
	}
	var known []string
	for _, name := range strings.Split(parts[1], ",") {
		name = strings.TrimSpace(name)
		switch other := mariaDBPrivileges[name]; {
		case other != "":
			known = append(known, other)
		case strings.Contains(name, "_"), name == "CREATE ROLE", name == "DROP ROLE":
			missing = append(missing, name)
		default:
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		return "", missing
	}
	return "GRANT " + strings.Join(known, ", ") + " " + parts[2], missing
}

// alterUser makes ALTER USER of a CREATE USER.
func alterUser(create string) string { return "ALTER USER" + strings.TrimPrefix(create, "CREATE USER") }
