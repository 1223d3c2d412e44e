package wire

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Identity is the server's certificate, and the RSA key by which
// caching_sha2_password clients without TLS encrypt their password.
type Identity struct {
	TLS       *tls.Config
	rsaKey    *rsa.PrivateKey
	publicPEM []byte
}

// Names of the generated files in the data directory, as other servers call them.
const (
	generatedCert = "server-cert.pem"
	generatedKey  = "server-key.pem"
	certValidity  = 10 * 365 * 24 * time.Hour
	rsaKeyBits    = 2048
)

// LoadIdentity reads a certificate and its key from PEM files; caFile, if
// given, holds the authorities whose client certificates are accepted.
func LoadIdentity(certFile, keyFile, caFile string) (*Identity, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("load TLS certificate %s and key %s: %w", certFile, keyFile, err)
	}
	id := &Identity{TLS: &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}}
	if caFile != "" {
		pemData, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("load TLS authorities: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pemData) {
			return nil, fmt.Errorf("load TLS authorities: no certificate in %s", caFile)
		}
		id.TLS.ClientCAs, id.TLS.ClientAuth = pool, tls.VerifyClientCertIfGiven
	}
	// A key that is not RSA leaves caching_sha2_password to TLS and the socket.
	if key, ok := cert.PrivateKey.(*rsa.PrivateKey); ok {
		der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("encode public key: %w", err)
		}
		id.rsaKey = key
		id.publicPEM = pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	}
	return id, nil
}

// GeneratedIdentity returns the self-signed identity kept in dir, which it
// makes at the first call.
func GeneratedIdentity(dir string) (*Identity, error) {
	certFile, keyFile := filepath.Join(dir, generatedCert), filepath.Join(dir, generatedKey)
	_, certErr := os.Stat(certFile)
	_, keyErr := os.Stat(keyFile)
	if errors.Is(certErr, fs.ErrNotExist) || errors.Is(keyErr, fs.ErrNotExist) {
		if err := generateIdentity(certFile, keyFile); err != nil {
			return nil, fmt.Errorf("generate TLS certificate: %w", err)
		}
	}
	return LoadIdentity(certFile, keyFile, "")
}

func generateIdentity(certFile, keyFile string) error {
	key, err := rsa.GenerateKey(rand.Reader, rsaKeyBits)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	// An hour back, for clients whose clock is behind.
	from := time.Now().Add(-time.Hour)
	template := &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: "Duramen auto-generated server certificate"},
		NotBefore:             from,
		NotAfter:              from.Add(certValidity),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	// The key first: a crash in between leaves no certificate without its key,
	// and the next start makes both anew.
	if err := writePEM(keyFile, "PRIVATE KEY", keyDER); err != nil {
		return err
	}
	return writePEM(certFile, "CERTIFICATE", cert)
}

// writePEM replaces a file by way of a temporary one.
func writePEM(name, kind string, der []byte) error {
	tmp := name + ".tmp"
	if err := os.WriteFile(tmp, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, name)
}
