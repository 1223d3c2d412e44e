package clone

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/test/peer"
)

// both are the servers that a clone can follow.
var both = []peer.Kind{peer.MariaDB, peer.Duramen}

func start(t *testing.T, kind peer.Kind, args ...string) *peer.Server {
	t.Helper()
	if kind == peer.MariaDB {
		peer.RequireMariaDB(t)
	}
	return peer.Start(t, peer.Options{Kind: kind, Binlog: true, Args: args})
}

// snapshotTaken is how the line begins that tells where the snapshot is: from there on rows may be copied.
func snapshotTaken(kind peer.Kind) string {
	return map[peer.Kind]string{peer.MariaDB: "clone: MariaDB 1", peer.Duramen: "clone: Duramen 1"}[kind]
}

// TestReplicationLogin has accounts that the new server could not follow with: that is told before anything is read or made.
func TestReplicationLogin(t *testing.T) {
	for _, kind := range both {
		t.Run(string(kind), func(t *testing.T) {
			s := start(t, kind)
			db := s.DB("")
			defer db.Close()
			peer.AllowReplication(t, db)
			peer.Exec(t, db, "CREATE DATABASE shop", "CREATE TABLE shop.item (id INT PRIMARY KEY)", "INSERT INTO shop.item VALUES (1)",
				"CREATE USER reader@'%' IDENTIFIED BY 'secret'", "GRANT SELECT ON *.* TO reader@'%'")
			for _, c := range []struct{ user, password, want string }{
				{peer.ReplicationUser, "wrong", "1045: Access denied for user 'repl'@"},
				{"nobody", "secret", "1045: Access denied for user 'nobody'@"},
				{"reader", "secret", "REPLICATION SLAVE"},
			} {
				dir := filepath.Join(t.TempDir(), "data")
				out, err := run(t, s, dir, "--server-id=2", "--replication-user="+c.user, "--replication-password="+c.password)
				require.Error(t, err, c.user)
				require.Contains(t, out, "the new server could not follow as --replication-user="+c.user, c.user)
				require.Contains(t, out, c.want, c.user)
				require.Contains(t, out, "--no-follow", c.user)
				require.NotContains(t, out, snapshotTaken(kind), c.user)
				require.NoDirExists(t, dir, c.user)
			}
			dir := filepath.Join(t.TempDir(), "data")
			out, err := run(t, s, dir, "--server-id=2", "--replication-user="+peer.ReplicationUser, "--replication-password="+peer.ReplicationPassword)
			require.NoError(t, err, out)
			require.Contains(t, out, snapshotTaken(kind), "what is looked for above is told")
			// Whoever follows nobody needs no account to follow with.
			out, err = run(t, s, filepath.Join(t.TempDir(), "data"), "--no-follow", "--replication-user=nobody")
			require.NoError(t, err, out)
		})
	}
}

// secured is a source that takes logins of the accounts copier and repl (and, a MariaDB, all logins) with TLS only.
func secured(t *testing.T, kind peer.Kind, ours *peer.Authority) *peer.Server {
	t.Helper()
	cert, key := ours.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	s := start(t, kind, "--ssl-ca="+ours.File, "--ssl-cert="+cert, "--ssl-key="+key)
	db := s.DB("")
	defer db.Close()
	peer.Exec(t, db, "CREATE DATABASE shop", "CREATE TABLE shop.item (id INT PRIMARY KEY)", "INSERT INTO shop.item VALUES (1)",
		"CREATE USER copier@'%' IDENTIFIED BY 'secret' REQUIRE SSL", "GRANT ALL ON *.* TO copier@'%'",
		"CREATE USER repl@'%' IDENTIFIED BY 'secret' REQUIRE SSL", "GRANT REPLICATION SLAVE ON *.* TO repl@'%'")
	return s
}

// TestTLS clones sources that take nobody without TLS, and has the clones follow them.
func TestTLS(t *testing.T) {
	for _, kind := range both {
		t.Run(string(kind), func(t *testing.T) {
			ours, theirs := peer.NewAuthority(t), peer.NewAuthority(t)
			s := secured(t, kind, ours)
			db := s.DB("")
			defer db.Close()
			db.SetMaxOpenConns(1) // it is connected before nobody can connect like this any more
			peer.Exec(t, db, "DO 1")
			if kind == peer.MariaDB {
				peer.Exec(t, db, "SET GLOBAL require_secure_transport = ON")
			}
			accounts := []string{"--server-id=2", "--user=copier", "--password=secret", "--replication-user=repl", "--replication-password=secret"}
			for _, c := range []struct {
				name, args, refused string
				said                bool // that TLS is used
				ca, verify          string
			}{
				{"any certificate", "--ssl", "", false, "", "No"},
				{"authority", "--ssl-ca=" + ours.File, "", false, ours.File, "No"},
				{"name", "--ssl-ca=" + ours.File + " --ssl-verify-server-cert", "", false, ours.File, "Yes"},
				{"not asked for", "", "", true, "", "No"},
				{"another authority", "--ssl-ca=" + theirs.File, "certificate signed by unknown authority", false, "", ""},
			} {
				t.Run(c.name, func(t *testing.T) {
					dir := filepath.Join(t.TempDir(), "data")
					out, err := run(t, s, dir, append(strings.Fields(c.args), accounts...)...)
					if c.refused != "" {
						require.Error(t, err)
						require.Contains(t, out, c.refused)
						require.NoDirExists(t, dir)
						return
					}
					require.NoError(t, err, out)
					require.Equal(t, c.said, strings.Contains(out, "with TLS only"), out)
					d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 2})
					replica := d.DB("")
					defer replica.Close()
					peer.Exec(t, db, "INSERT INTO shop.item SELECT MAX(id) + 1 FROM shop.item")
					peer.CatchUp(t, db, replica)
					peer.RequireEqualContent(t, db, replica)
					status, err := peer.SlaveStatus(replica)
					require.NoError(t, err)
					require.Equal(t, []string{"Yes", "Yes", c.ca, c.verify},
						[]string{status["Slave_IO_Running"], status["Master_SSL_Allowed"], status["Master_SSL_CA_File"], status["Master_SSL_Verify_Server_Cert"]})
				})
			}
		})
	}
}

// TestTLSOfTheReplicaOnly has a certificate that the copier trusts, and an account of the new server that needs one of its own.
func TestTLSOfTheReplicaOnly(t *testing.T) {
	for _, kind := range both {
		t.Run(string(kind), func(t *testing.T) {
			ours := peer.NewAuthority(t)
			s := secured(t, kind, ours)
			db := s.DB("")
			defer db.Close()
			peer.Exec(t, db, "CREATE USER known@'%' IDENTIFIED BY 'secret' REQUIRE X509", "GRANT REPLICATION SLAVE ON *.* TO known@'%'")
			args := []string{"--server-id=2", "--user=copier", "--password=secret", "--replication-user=known", "--replication-password=secret", "--ssl-ca=" + ours.File}
			dir := filepath.Join(t.TempDir(), "data")
			out, err := run(t, s, dir, args...)
			require.Error(t, err)
			require.Contains(t, out, "the new server could not follow as --replication-user=known")
			require.Contains(t, out, "1045: Access denied")
			require.NoDirExists(t, dir)

			cert, key := ours.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "replica"}})
			out, err = run(t, s, dir, append(args, "--ssl-cert="+cert, "--ssl-key="+key)...)
			require.NoError(t, err, out)
			d := peer.Start(t, peer.Options{Kind: peer.Duramen, Dir: dir, ServerID: 2})
			replica := d.DB("")
			defer replica.Close()
			peer.Exec(t, db, "INSERT INTO shop.item VALUES (2)")
			peer.CatchUp(t, db, replica)
			peer.RequireEqualContent(t, db, replica)
		})
	}
}
