package follow

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"database/sql"
	"errors"
	"io"
	"math/big"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/duramendb/duramen/replication/replica/primary"
	"github.com/duramendb/duramen/test/peer"
)

// MASTER_SSL and its relatives mean what they mean to MariaDB.
func TestTLS(t *testing.T) {
	ours, theirs := peer.NewAuthority(t), peer.NewAuthority(t)
	cert, key := ours.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "127.0.0.1"}})
	own, ownKey := ours.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "replica"}})
	number := peer.Certificate(t, cert).SerialNumber
	none, other, revoked := ours.Revoke(time.Hour), ours.Revoke(time.Hour, peer.Certificate(t, own).SerialNumber), ours.Revoke(time.Hour, big.NewInt(7), number)
	foreign, old := theirs.Revoke(time.Hour), ours.Revoke(-time.Minute)
	s, db := startPrimary(t, "--ssl-ca="+ours.File, "--ssl-cert="+cert, "--ssl-key="+key)
	limited, limitedDB := startPrimary(t, "--ssl-ca="+ours.File, "--ssl-cert="+cert, "--ssl-key="+key, "--tls-version=TLSv1.2", "--ssl-cipher=ECDHE-ECDSA-AES256-GCM-SHA384")
	for _, db := range []*sql.DB{db, limitedDB} {
		peer.Exec(t, db, "CREATE USER 'safe'@'%' IDENTIFIED BY 'secret' REQUIRE SSL", "CREATE USER 'known'@'%' IDENTIFIED BY 'secret' REQUIRE X509",
			"GRANT REPLICATION SLAVE ON *.* TO 'safe'@'%', 'known'@'%'")
	}
	for _, c := range []struct {
		name, user, host string
		tls              primary.TLS
		number           uint16
		text             string
	}{
		{"none", "safe", "127.0.0.1", primary.TLS{}, 1045, "error connecting to master 'safe@127.0.0.1:"},
		{"any certificate", "safe", "127.0.0.1", primary.TLS{On: true}, 0, ""},
		{"authority", "safe", "localhost", primary.TLS{On: true, CA: ours.File}, 0, ""},
		{"directory", "safe", "127.0.0.1", primary.TLS{On: true, CAPath: ours.Dir}, 0, ""},
		{"another authority", "safe", "127.0.0.1", primary.TLS{On: true, CA: theirs.File}, crSSLConnection, "SSL connection error"},
		{"name", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, VerifyServerCert: true}, 0, ""},
		{"another name", "safe", "localhost", primary.TLS{On: true, CA: ours.File, VerifyServerCert: true}, crSSLConnection, "SSL connection error"},
		{"no authority", "safe", "127.0.0.1", primary.TLS{On: true, VerifyServerCert: true}, crSSLConnection, "SSL connection error"},
		{"certificate", "known", "127.0.0.1", primary.TLS{On: true, Cert: own, Key: ownKey}, 0, ""},
		{"no certificate", "known", "127.0.0.1", primary.TLS{On: true}, 1045, "Access denied"},
		{"no file", "safe", "127.0.0.1", primary.TLS{On: true, CA: "/nowhere"}, crSSLConnection, "MASTER_SSL_CA: open /nowhere"},
		{"ciphers", "safe", "127.0.0.1", primary.TLS{On: true, Cipher: "ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES256-GCM-SHA384"}, 0, ""},
		{"no common cipher", "safe", "127.0.0.1", primary.TLS{On: true, Cipher: "ECDHE-ECDSA-AES128-GCM-SHA256"}, crSSLConnection, "SSL connection error"},
		{"unknown cipher", "safe", "127.0.0.1", primary.TLS{On: true, Cipher: "ECDHE-ECDSA-AES256-GCM-SHA384:AES"}, crSSLConnection, "MASTER_SSL_CIPHER: \"AES\" is none of"},
		{"cipher of TLS 1.3", "safe", "127.0.0.1", primary.TLS{On: true, Cipher: "TLS_AES_128_GCM_SHA256"}, crSSLConnection, "MASTER_SSL_CIPHER: TLS_AES_128_GCM_SHA256"},
		{"nothing revoked", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: none}, 0, ""},
		{"another one revoked", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, VerifyServerCert: true, CRLPath: filepath.Dir(other)}, 0, ""},
		{"revoked", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: revoked}, crSSLConnection, "is revoked"},
		{"revoked in one of two", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: none, CRLPath: filepath.Dir(revoked)}, crSSLConnection, "is revoked"},
		{"list of another authority", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: foreign}, crSSLConnection, "the revocation list of CN=authority"},
		{"old list", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: old}, crSSLConnection, "CN=authority is not of now"},
		{"list without authority", "safe", "127.0.0.1", primary.TLS{On: true, CRL: none}, crSSLConnection, "MASTER_SSL_CRL and MASTER_SSL_CRLPATH need"},
		{"no list", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: ours.File}, crSSLConnection, "hold no revocation list"},
		{"no file of a list", "safe", "127.0.0.1", primary.TLS{On: true, CA: ours.File, CRL: "/nowhere"}, crSSLConnection, "MASTER_SSL_CRL: open /nowhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, db := s, db
			if c.tls.Cipher != "" {
				s, db = limited, limitedDB
			}
			o := optionsFor(s)
			o.Settings.User, o.Settings.Host, o.Settings.TLS = c.user, c.host, c.tls
			if c.number == 0 {
				follow(t, connect(t, o)).until(lastGTID(t, db))
				return
			}
			_, err := Connect(t.Context(), o)
			wantError(t, err, c.number, true, c.text)
		})
	}
}

// talker is a server that says the given bytes to everybody, and then closes or, if it has to, waits.
func talker(t *testing.T, says []byte, waits bool) Options {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = conn.Write(says) // who was refused may have hung up
		if waits {
			_, _ = io.Copy(io.Discard, conn)
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return Options{Settings: primary.Settings{Host: "127.0.0.1", Port: uint16(l.Addr().(*net.TCPAddr).Port), User: "u"}, ServerID: 2, NetTimeout: atMost}
}

// What is no server, or one that breaks off, is an error after which one tries again, never a panic.
func TestNoServer(t *testing.T) {
	greeting := append([]byte("\x0a10.11.19-MariaDB\x00\x05\x00\x00\x00abcdefgh\x00\xff\xff\x2d\x02\x00\xff\x81\x15"), make([]byte, 10)...)
	greeting = append(greeting, "ijklmnopqrst\x00mysql_native_password\x00"...)
	framed := func(sequence byte, b []byte) []byte {
		return append([]byte{byte(len(b)), byte(len(b) >> 8), 0, sequence}, b...)
	}
	says := [][]byte{nil, []byte("HTTP/1.1 400 Bad Request\r\n\r\n"), []byte("SSH-2.0-server\r\n"), {0, 0, 0, 0}, {1, 0, 0, 0, 0xff}, {3, 0, 0, 0, 0xff, 0x69, 0x04}}
	for i := range greeting {
		says = append(says, framed(0, greeting[:i]))
	}
	all := framed(0, greeting)
	for _, answer := range [][]byte{nil, framed(2, nil), framed(2, []byte{0xff}), framed(2, []byte{0xfe}), framed(2, []byte{0}), framed(2, []byte{1, 2, 3}),
		framed(2, []byte("\xfeunknown_plugin\x00data"))} {
		says = append(says, append(append([]byte{}, all...), answer...))
	}
	ok := framed(2, []byte{0, 0, 0, 2, 0, 0, 0})
	for _, answer := range [][]byte{framed(1, nil), framed(1, []byte{0xff, 1}), framed(1, []byte{0xfe}), framed(1, []byte{5, 1}), framed(1, []byte{0xfb, 0xff}),
		append(framed(1, []byte{1}), framed(2, []byte{9, 9, 9})...)} {
		says = append(says, append(append(append([]byte{}, all...), ok...), answer...))
	}
	for _, b := range says {
		c, err := Connect(t.Context(), talker(t, b, false))
		if c != nil {
			_ = c.Close()
		}
		var e *primary.Error
		if !errors.As(err, &e) || !e.Retry || e.Number == 0 {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// The end of the context ends a Connect that waits for a server that says nothing.
func TestConnectContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := talker(t, nil, true)
	o.State = func(string) { cancel() }
	if _, err := Connect(ctx, o); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o = talker(t, []byte{1}, true)
	o.NetTimeout = 100 * time.Millisecond
	_, err := Connect(t.Context(), o)
	wantError(t, err, crServerLost, true, "error connecting to master 'u@127.0.0.1:")
}
