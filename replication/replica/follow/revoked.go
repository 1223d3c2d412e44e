package follow

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// revocations are the lists of MASTER_SSL_CRL and MASTER_SSL_CRLPATH. With one of these options each certificate of the primary's chain is looked up in a
// list of its issuer's, which has to be there and up to date, as in MariaDB (X509_V_FLAG_CRL_CHECK_ALL).
type revocations []*x509.RevocationList

// readRevocations reads PEM files: the one, and all in the directory. They are read for each connection, so that new ones count with the next.
func readRevocations(o *primary.TLS) (lists revocations, err error) {
	var files []string
	if o.CRL != "" {
		files = append(files, o.CRL)
	}
	if o.CRLPath != "" {
		entries, err := os.ReadDir(o.CRLPath)
		if err != nil {
			return nil, fmt.Errorf("MASTER_SSL_CRLPATH: %w", err)
		}
		for _, e := range entries {
			if !e.IsDir() {
				files = append(files, filepath.Join(o.CRLPath, e.Name()))
			}
		}
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("MASTER_SSL_CRL: %w", err)
		}
		for block, rest := pem.Decode(content); block != nil; block, rest = pem.Decode(rest) {
			if block.Type != "X509 CRL" {
				continue
			}
			list, err := x509.ParseRevocationList(block.Bytes)
			if err != nil {
				return nil, fmt.Errorf("MASTER_SSL_CRL: %s: %w", name, err)
			}
			lists = append(lists, list)
		}
	}
	if len(files) > 0 && len(lists) == 0 || o.CRLPath != "" && len(files) == 0 {
		return nil, errors.New("MASTER_SSL_CRL and MASTER_SSL_CRLPATH hold no revocation list")
	}
	return lists, nil
}

// check is why none of these chains, each from the primary's certificate to an authority, may be believed; nil if one may.
func (r revocations) check(chains [][]*x509.Certificate, now time.Time) (err error) {
	for _, chain := range chains {
		if err = r.checkChain(chain, now); err == nil {
			return nil
		}
	}
	return err
}

func (r revocations) checkChain(chain []*x509.Certificate, now time.Time) error {
	for i, c := range chain {
		issuer := c
		if i+1 < len(chain) {
			issuer = chain[i+1]
		} else if !bytes.Equal(c.RawIssuer, c.RawSubject) {
			return nil // an authority below another one, which was given as trusted
		}
		if err := r.checkCertificate(c, issuer, now); err != nil {
			return err
		}
	}
	return nil
}

// checkCertificate looks a certificate up in all lists of its issuer's that are valid.
func (r revocations) checkCertificate(c, issuer *x509.Certificate, now time.Time) error {
	var unusable error
	found := false
	for _, list := range r {
		if !bytes.Equal(list.RawIssuer, issuer.RawSubject) {
			continue
		}
		if err := usable(list, issuer, now); err != nil {
			unusable = err
			continue
		}
		found = true
		for _, e := range list.RevokedCertificateEntries {
			if e.SerialNumber.Cmp(c.SerialNumber) == 0 {
				return fmt.Errorf("tls: the certificate of %s with the serial number %s is revoked", c.Subject, c.SerialNumber)
			}
		}
	}
	switch {
	case found:
		return nil
	case unusable != nil:
		return unusable
	}
	return fmt.Errorf("tls: there is no revocation list of %s for the certificate of %s", issuer.Subject, c.Subject)
}

// usable reports why a list says nothing: it is not its issuer's, not of this time, or of a kind (of some certificates only, changes to another list)
// which its critical extensions tell.
func usable(list *x509.RevocationList, issuer *x509.Certificate, now time.Time) error {
	if err := list.CheckSignatureFrom(issuer); err != nil {
		return fmt.Errorf("tls: the revocation list of %s: %v", issuer.Subject, err) //nolint:errorlint // SHOW SLAVE STATUS shows the innermost error only
	}
	if now.Before(list.ThisUpdate) || !list.NextUpdate.IsZero() && now.After(list.NextUpdate) {
		return fmt.Errorf("tls: the revocation list of %s is not of now, but %s to %s", issuer.Subject, list.ThisUpdate.Format(time.DateTime), list.NextUpdate.Format(time.DateTime))
	}
	for _, e := range list.Extensions {
		if e.Critical {
			return fmt.Errorf("tls: the revocation list of %s has a critical extension (%s), which is not supported", issuer.Subject, e.Id)
		}
	}
	for _, entry := range list.RevokedCertificateEntries {
		for _, e := range entry.Extensions {
			if e.Critical {
				return fmt.Errorf("tls: the revocation list of %s has an entry with a critical extension (%s), which is not supported", issuer.Subject, e.Id)
			}
		}
	}
	return nil
}
