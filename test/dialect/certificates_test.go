package dialect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-mysql-org/go-mysql/client"

	"github.com/duramendb/duramen/test/peer"
)

// noTLS is what a login without an encrypted connection presents; a certificate of another name is one of
// certificates.client, "" is none.
const noTLS = "no TLS"

// certificateCases are REQUIRE clauses with what logins yield: the number of the error, 0 for none.
var certificateCases = []struct {
	require string
	want    map[string]uint16 // by what the client presents
}{
	{"NONE", map[string]uint16{noTLS: 0, "": 0, "right": 0}},
	{"SSL", map[string]uint16{noTLS: 1045, "": 0, "right": 0}},
	{"X509", map[string]uint16{noTLS: 1045, "": 1045, "right": 0, "other subject": 0, "other issuer": 0}},
	{"SUBJECT '/O=Shop/CN=app'", map[string]uint16{noTLS: 1045, "": 1045, "right": 0, "other subject": 1045, "other issuer": 0}},
	{"ISSUER '/O=Shop/CN=authority'", map[string]uint16{noTLS: 1045, "": 1045, "right": 0, "other subject": 0, "other issuer": 1045}},
	{"SUBJECT '/O=Shop/CN=app' AND ISSUER '/O=Shop/CN=authority'",
		map[string]uint16{"": 1045, "right": 0, "other subject": 1045, "other issuer": 1045}},
	{"SUBJECT '/CN=app'", map[string]uint16{"right": 1045}},
	{"CIPHER 'ECDHE-ECDSA-AES128-GCM-SHA256'", map[string]uint16{noTLS: 1045, "": 0, "right": 0}},
	{"CIPHER 'ECDHE-ECDSA-AES256-GCM-SHA384'", map[string]uint16{noTLS: 1045, "": 1045, "right": 1045}},
	{"CIPHER 'ECDHE-ECDSA-AES128-GCM-SHA256' AND SUBJECT '/O=Shop/CN=app'", map[string]uint16{"": 1045, "right": 0, "other subject": 1045}},
}

// TestCertificates logs in with client certificates to accounts that require them, on both servers.
func TestCertificates(t *testing.T) {
	files := makeCertificates(t)
	for _, kind := range []peer.Kind{peer.Duramen, peer.MariaDB} {
		t.Run(string(kind), func(t *testing.T) {
			args := []string{"--ssl-ca=" + files.authorities, "--ssl-cert=" + files.cert, "--ssl-key=" + files.key}
			server := startEitherWith(t, kind, args)
			root := connectWith(t, server, "root", nil)
			defer root.Close()
			for _, c := range certificateCases {
				if _, err := root.Execute("CREATE OR REPLACE USER u REQUIRE " + c.require); err != nil {
					t.Fatalf("%s: %v", c.require, err)
				}
				for presents, want := range c.want {
					if got := files.login(t, server, presents); got != want {
						t.Errorf("REQUIRE %s, client with %q: error %d, want %d", c.require, presents, got, want)
					}
				}
			}
			if _, err := client.Connect(server.Addr(), "root", "", "", files.option("unknown issuer")); err == nil {
				t.Error("a certificate of an unknown authority was accepted")
			}
		})
	}
}

func connectWith(t *testing.T, server *peer.Server, user string, option client.Option) *client.Conn {
	t.Helper()
	options := []client.Option{}
	if option != nil {
		options = append(options, option)
	}
	c, err := client.Connect(server.Addr(), user, "", "", options...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// certificates are the files of a server and the certificates of its clients.
type certificates struct {
	authorities, cert, key string
	client                 map[string]tls.Certificate
}

// option is how a client with a certificate connects. The cipher is always the same one.
func (f *certificates) option(presents string) client.Option {
	return func(c *client.Conn) error {
		if presents == noTLS {
			return nil
		}
		config := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, // the server's is not what is tested
			CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
		if cert, ok := f.client[presents]; ok {
			// Sent whatever the server says of whom it trusts.
			config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &cert, nil }
		}
		c.SetTLSConfig(config)
		return nil
	}
}

func (f *certificates) login(t *testing.T, server *peer.Server, presents string) uint16 {
	c, err := client.Connect(server.Addr(), "u", "", "", f.option(presents))
	if err != nil {
		return errorNumber(t, err)
	}
	defer c.Close()
	if _, err := c.Execute("DO 1"); err != nil {
		t.Errorf("after the login with %q: %v", presents, err)
	}
	return 0
}

func makeCertificates(t *testing.T) *certificates {
	dir := t.TempDir()
	shop := newAuthority(t, "authority")
	other := newAuthority(t, "other authority")
	unknown := newAuthority(t, "unknown authority")
	f := &certificates{
		authorities: filepath.Join(dir, "ca.pem"), cert: filepath.Join(dir, "server.pem"), key: filepath.Join(dir, "server-key.pem"),
		client: map[string]tls.Certificate{
			"right": shop.issue(t, "app"), "other subject": shop.issue(t, "report"), "other issuer": other.issue(t, "app"),
			"unknown issuer": unknown.issue(t, "app"),
		},
	}
	server := shop.issue(t, "server")
	key, err := x509.MarshalPKCS8PrivateKey(server.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, f.authorities, "CERTIFICATE", shop.cert.Raw, other.cert.Raw)
	writePEM(t, f.cert, "CERTIFICATE", server.Certificate[0])
	writePEM(t, f.key, "PRIVATE KEY", key)
	return f
}

func writePEM(t *testing.T, name, kind string, blocks ...[]byte) {
	var out []byte
	for _, b := range blocks {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b})...)
	}
	if err := os.WriteFile(name, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	a := &authority{key: newKey(t)}
	template := certificateOf(t, name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	a.cert = sign(t, template, template, a.key, a.key)
	return a
}

func (a *authority) issue(t *testing.T, name string) tls.Certificate {
	key := newKey(t)
	template := certificateOf(t, name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	return tls.Certificate{Certificate: [][]byte{sign(t, template, a.cert, key, a.key).Raw}, PrivateKey: key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func certificateOf(t *testing.T, name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 100))
	if err != nil {
		t.Fatal(err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{Organization: []string{"Shop"}, CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
	}
}

func sign(t *testing.T, template, parent *x509.Certificate, of, by *ecdsa.PrivateKey) *x509.Certificate {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &of.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}
