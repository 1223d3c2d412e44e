package follow

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// tlsConfig is what the MASTER_SSL_... options ask for, nil without MASTER_SSL. As in MariaDB's client, certificates are looked at only if there is a CA to
// compare them with or MASTER_SSL_VERIFY_SERVER_CERT asks for it, and the host's name only in the latter case.
func tlsConfig(s *primary.Settings) (*tls.Config, error) {
	o := &s.TLS
	if !o.On {
		return nil, nil
	}
	suites, err := ciphers(o.Cipher)
	if err != nil {
		return nil, err
	}
	revoked, err := readRevocations(o)
	if err != nil {
		return nil, err
	}
	if revoked != nil && o.CA == "" && o.CAPath == "" && !o.VerifyServerCert {
		// MariaDB does not look at certificates then, nor at the list.
		return nil, errors.New("MASTER_SSL_CRL and MASTER_SSL_CRLPATH need MASTER_SSL_CA, MASTER_SSL_CAPATH or MASTER_SSL_VERIFY_SERVER_CERT, without which no certificate is looked at")
	}
	// The name is compared in verify: with the legacy common name, too, which Go does not look at.
	c := &tls.Config{ServerName: s.Host, InsecureSkipVerify: true, CipherSuites: suites}
	if o.Cert != "" || o.Key != "" {
		cert, key := o.Cert, o.Key
		if cert == "" {
			cert = key
		}
		if key == "" {
			key = cert
		}
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("MASTER_SSL_CERT: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	roots, err := authorities(o)
	if err != nil {
		return nil, err
	}
	if roots != nil || o.VerifyServerCert {
		c.VerifyConnection = func(state tls.ConnectionState) error {
			return verify(state, roots, revoked, o.VerifyServerCert, s.Host)
		}
	}
	return c, nil
}

// authorities are those of MASTER_SSL_CA and MASTER_SSL_CAPATH; nil without either: those of the system.
func authorities(o *primary.TLS) (*x509.CertPool, error) {
	var files []string
	if o.CA != "" {
		files = append(files, o.CA)
	}
	if o.CAPath != "" {
		entries, err := os.ReadDir(o.CAPath)
		if err != nil {
			return nil, fmt.Errorf("MASTER_SSL_CAPATH: %w", err)
		}
		for _, e := range entries {
			files = append(files, filepath.Join(o.CAPath, e.Name()))
		}
	}
	if files == nil {
		if o.CAPath != "" {
			return nil, fmt.Errorf("MASTER_SSL_CAPATH: %s has no certificates", o.CAPath)
		}
		return nil, nil
	}
	pool, found := x509.NewCertPool(), false
	for _, name := range files {
		pem, err := os.ReadFile(name)
		if err != nil && name == o.CA {
			return nil, fmt.Errorf("MASTER_SSL_CA: %w", err)
		}
		found = pool.AppendCertsFromPEM(pem) || found
	}
	if !found {
		return nil, errors.New("MASTER_SSL_CA and MASTER_SSL_CAPATH hold no certificate")
	}
	return pool, nil
}

func verify(state tls.ConnectionState, roots *x509.CertPool, revoked revocations, name bool, host string) error {
	if len(state.PeerCertificates) == 0 {
		return errors.New("tls: the primary sent no certificate")
	}
	leaf := state.PeerCertificates[0]
	opts := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
	for _, c := range state.PeerCertificates[1:] {
		opts.Intermediates.AddCert(c)
	}
	chains, err := leaf.Verify(opts)
	if err != nil {
		return err
	}
	if revoked != nil {
		if err := revoked.check(chains, time.Now()); err != nil {
			return err
		}
	}
	if !name {
		return nil
	}
	if len(leaf.DNSNames)+len(leaf.IPAddresses)+len(leaf.EmailAddresses)+len(leaf.URIs) == 0 && leaf.Subject.CommonName == host {
		return nil
	}
	return leaf.VerifyHostname(host)
}
