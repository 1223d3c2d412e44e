package wire

import (
	"crypto/tls"
	"crypto/x509/pkix"
	"encoding/asn1"
	"strings"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// passwordObserver is implemented by backends that count wrong passwords.
type passwordObserver interface {
	PasswordTried(a account.Login, right bool)
}

func (c *conn) passwordTried(a account.Login, right bool) {
	if o, ok := c.srv.backend.(passwordObserver); ok {
		o.PasswordTried(a, right)
	}
}

// admitted checks what an account asks of its connections after the password was right. The order of
// the checks, and their errors, are MariaDB's.
func (c *conn) admitted(a account.Login) error {
	if !c.meetsRequire(a) {
		return errAuthFailed
	}
	if a.Locked {
		return accountLocked()
	}
	if a.Disconnect && c.caps&mysql.CLIENT_CAN_HANDLE_EXPIRED_PASSWORDS == 0 {
		return mysqlerr.New(mysqlerr.MustChangePasswordLogin)
	}
	return nil
}

// meetsRequire reports whether the connection is what the account's REQUIRE clause asks for.
func (c *conn) meetsRequire(a account.Login) bool {
	if a.Require == "" {
		return true
	}
	secure, ok := c.Conn.(*tls.Conn)
	if !ok {
		return false
	}
	state := secure.ConnectionState()
	if a.Require == accounts.RequireSSL {
		return true
	}
	if a.Cipher != "" && a.Cipher != cipherName(state.CipherSuite) {
		return false
	}
	if a.Require == accounts.RequireSpecified && a.Issuer == "" && a.Subject == "" {
		return true
	}
	if len(state.VerifiedChains) == 0 || len(state.PeerCertificates) == 0 {
		return false
	}
	cert := state.PeerCertificates[0]
	return (a.Issuer == "" || a.Issuer == oneLine(cert.RawIssuer)) && (a.Subject == "" || a.Subject == oneLine(cert.RawSubject))
}

// cipherName is OpenSSL's name of a cipher suite, which REQUIRE CIPHER takes. Those of TLS 1.3 have
// the same name everywhere; for TLS 1.2, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 is
// ECDHE-RSA-AES128-GCM-SHA256.
func cipherName(id uint16) string {
	name := tls.CipherSuiteName(id)
	exchange, cipher, ok := strings.Cut(strings.TrimPrefix(name, "TLS_"), "_WITH_")
	if !ok {
		return name
	}
	cipher = strings.NewReplacer("AES_128", "AES128", "AES_256", "AES256", "CHACHA20_POLY1305_SHA256", "CHACHA20_POLY1305", "_CBC", "").Replace(cipher)
	out := strings.ReplaceAll(exchange, "_", "-") + "-" + strings.ReplaceAll(cipher, "_", "-")
	return strings.TrimPrefix(out, "RSA-")
}

// protocolName is OpenSSL's name of a version of TLS: TLSv1.3.
func protocolName(version uint16) string {
	return strings.Replace(tls.VersionName(version), "TLS 1", "TLSv1", 1)
}

// attributeNames are the short names of the attributes in names of certificates.
var attributeNames = map[string]string{
	"2.5.4.3": "CN", "2.5.4.4": "SN", "2.5.4.5": "serialNumber", "2.5.4.6": "C", "2.5.4.7": "L", "2.5.4.8": "ST",
	"2.5.4.9": "street", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.12": "title", "2.5.4.17": "postalCode",
	"2.5.4.42": "GN", "0.9.2342.19200300.100.1.25": "DC", "0.9.2342.19200300.100.1.1": "UID", "1.2.840.113549.1.9.1": "emailAddress",
}

// oneLine writes the name of a certificate's subject or issuer as REQUIRE SUBJECT and ISSUER take it:
// /C=SE/O=MariaDB/CN=client. "" if it cannot be read.
func oneLine(raw []byte) string {
	var name pkix.RDNSequence
	if rest, err := asn1.Unmarshal(raw, &name); err != nil || len(rest) > 0 {
		return ""
	}
	var b strings.Builder
	for _, set := range name {
		for _, attribute := range set {
			short, known := attributeNames[attribute.Type.String()]
			value, text := attribute.Value.(string)
			if !text {
				return ""
			}
			if !known {
				short = attribute.Type.String()
			}
			b.WriteString("/" + short + "=" + value)
		}
	}
	return b.String()
}
