package peer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority makes certificates in a directory of the test.
type Authority struct {
	// Dir has all certificates, and their keys; File is the authority's own certificate.
	Dir, File string

	t    testing.TB
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// NewAuthority makes one, which nobody knows yet.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{t: t, Dir: t.TempDir()}
	a.File, _ = a.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign})
	return a
}

// Issue gives the files of a certificate of c's subject, names and uses, and of its key. They are called after c's common name.
func (a *Authority) Issue(c *x509.Certificate) (certFile, keyFile string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if a.key == nil {
		a.key, a.cert = key, c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	write := func(name, kind string, b []byte) string {
		name = filepath.Join(a.Dir, name)
		if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			a.t.Fatal(err)
		}
		return name
	}
	return write(c.Subject.CommonName+".pem", "CERTIFICATE", der), write(c.Subject.CommonName+".key", "PRIVATE KEY", private)
}

// Below makes an authority whose certificate is this one's.
func (a *Authority) Below(name string) *Authority {
	a.t.Helper()
	file, keyFile := a.Issue(&x509.Certificate{Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign})
	key, err := x509.ParsePKCS8PrivateKey(block(a.t, keyFile))
	if err != nil {
		a.t.Fatal(err)
	}
	return &Authority{t: a.t, Dir: a.Dir, File: file, key: key.(*ecdsa.PrivateKey), cert: Certificate(a.t, file)}
}

// List is the authority's list of revoked certificates, which is valid for so long from now. change, if not nil, changes it before it is signed.
func (a *Authority) List(valid time.Duration, change func(*x509.RevocationList), numbers ...*big.Int) []byte {
	a.t.Helper()
	list := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now().Add(-time.Hour), NextUpdate: time.Now().Add(valid)}
	for _, n := range numbers {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: n, RevocationTime: list.ThisUpdate})
	}
	if change != nil {
		change(list)
	}
	der, err := x509.CreateRevocationList(rand.Reader, list, Certificate(a.t, a.File), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return der
}

// Revoke gives the file of such a list, in a directory of its own.
func (a *Authority) Revoke(valid time.Duration, numbers ...*big.Int) string {
	a.t.Helper()
	name := filepath.Join(a.t.TempDir(), "list.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "X509 CRL", Bytes: a.List(valid, nil, numbers...)}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return name
}

// Certificate is the one in a file.
func Certificate(t testing.TB, file string) *x509.Certificate {
	t.Helper()
	c, err := x509.ParseCertificate(block(t, file))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// block is what the first PEM block of a file holds.
func block(t testing.TB, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := pem.Decode(content); b != nil {
		return b.Bytes
	}
	t.Fatalf("%s is not in PEM", file)
	return nil
}
