package wire

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha1" // mysql_native_password is defined by it
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"
	"sync"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/account"
	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// go-mysql's server package authenticates against plaintext passwords (its
// CredentialProvider returns one), and a server has only hashes of them. So
// the exchange is our own.

// passwordCache remembers SHA256(SHA256(password)) of caching_sha2_password
// accounts that have logged in, so that later logins need one round trip. The
// key holds the stored hash: a changed password misses.
type passwordCache struct{ m sync.Map }

func cacheKey(a account.Login) string { return a.User + "\x00" + a.Host + "\x00" + a.AuthString }

func (p *passwordCache) load(a account.Login) ([]byte, bool) {
	v, ok := p.m.Load(cacheKey(a))
	if !ok {
		return nil, false
	}
	return v.([]byte), true
}

func (p *passwordCache) store(a account.Login, password []byte) {
	one := sha256.Sum256(password)
	two := sha256.Sum256(one[:])
	p.m.Store(cacheKey(a), two[:])
}

// checkNative verifies response = SHA1(pw) XOR SHA1(scramble, SHA1(SHA1(pw)))
// against the stored "*" + hex(SHA1(SHA1(pw))).
func checkNative(stored string, scramble, response []byte) bool {
	if stored == "" {
		return len(response) == 0
	}
	hash, err := hex.DecodeString(strings.TrimPrefix(stored, "*"))
	if err != nil || len(hash) != sha1.Size || len(response) != sha1.Size {
		return false
	}
	h := sha1.New() // as above
	h.Write(scramble)
	h.Write(hash)
	stage1 := h.Sum(nil)
	subtle.XORBytes(stage1, stage1, response)
	again := sha1.Sum(stage1) // as above
	return subtle.ConstantTimeCompare(again[:], hash) == 1
}

// checkSha2Fast verifies response = SHA256(pw) XOR SHA256(SHA256(SHA256(pw)), scramble)
// against the cached SHA256(SHA256(pw)).
func checkSha2Fast(cached, scramble, response []byte) bool {
	if len(response) != sha256.Size {
		return false
	}
	h := sha256.New()
	h.Write(cached)
	h.Write(scramble)
	stage1 := h.Sum(nil)
	subtle.XORBytes(stage1, stage1, response)
	again := sha256.Sum256(stage1)
	return subtle.ConstantTimeCompare(again[:], cached) == 1
}

var errAuthFailed = errors.New("password does not match")

// authenticate runs the exchange for user, whose client answered with plugin
// and response, and returns the account.
func (c *conn) authenticate(user, plugin string, response []byte) (account.Login, error) {
	account, found := c.srv.backend.Auth(user, c.host)
	want := account.Plugin
	if want == "" {
		want = pluginNative
	}
	if want != pluginNative && want != pluginSha2 {
		return account, pluginNotLoaded(want)
	}
	if plugin != want && !(plugin == "" && want == pluginNative) {
		if c.caps&mysql.CLIENT_PLUGIN_AUTH == 0 {
			return account, mysqlerr.New(mysqlerr.NotSupportedAuthMode)
		}
		var err error
		if response, err = c.switchPlugin(want); err != nil {
			return account, err
		}
	}
	if len(response) == 1 && response[0] == 0 {
		response = nil // how libmysql writes an empty password
	}
	var err error
	switch {
	case found && account.Blocked:
		return account, mysqlerr.New(mysqlerr.UserIsBlocked)
	case !found:
		// Only now, so that a stranger cannot tell which users exist.
		err = errAuthFailed
	case want == pluginNative:
		if !checkNative(account.AuthString, c.scramble, response) {
			err = errAuthFailed
		}
	default:
		err = c.authenticateSha2(account, response)
	}
	if err == nil || errors.Is(err, errAuthFailed) && found {
		c.passwordTried(account, err == nil)
	}
	if err == nil {
		err = c.admitted(account)
	}
	if errors.Is(err, errAuthFailed) {
		c.srv.backend.CountStatus("Access_denied_errors", 1)
		using := "YES"
		if len(response) == 0 {
			using = "NO"
		}
		return account, mysqlerr.New(mysqlerr.AccessDenied, user, c.host, using)
	}
	return account, err
}

// switchPlugin asks the client to authenticate by another plugin.
func (c *conn) switchPlugin(plugin string) ([]byte, error) {
	start := c.begin()
	c.out = append(append(append(c.out, 0xfe), plugin...), 0)
	c.out = append(append(c.out, c.scramble...), 0)
	c.end(start)
	return c.exchange()
}

// exchange sends what is queued and returns the answer.
func (c *conn) exchange() ([]byte, error) {
	if err := c.flush(); err != nil {
		return nil, err
	}
	answer, err := c.readPacket(handshakeMaxLen, c.srv.opts.ConnectTimeout)
	return bytes.Clone(answer), err
}

// Second bytes of the AuthMoreData packets of caching_sha2_password, and the
// client's request for the public key.
const (
	sha2RequestKey = 0x02
	sha2FastOK     = 0x03
	sha2FullAuth   = 0x04
)

func (c *conn) authenticateSha2(account account.Login, response []byte) error {
	if account.AuthString == "" || len(response) == 0 {
		if account.AuthString == "" && len(response) == 0 {
			return nil
		}
		return errAuthFailed
	}
	if cached, ok := c.srv.passwords.load(account); ok {
		if !checkSha2Fast(cached, c.scramble, response) {
			return errAuthFailed
		}
		c.writePayload([]byte{0x01, sha2FastOK})
		return nil
	}
	c.writePayload([]byte{0x01, sha2FullAuth})
	answer, err := c.exchange()
	if err != nil {
		return err
	}
	if !c.tls && !c.unix {
		if answer, err = c.decryptPassword(answer); err != nil {
			return err
		}
	}
	password := bytes.TrimSuffix(answer, []byte{0})
	if !accounts.SHA2Matches(account.AuthString, password) {
		return errAuthFailed
	}
	c.srv.passwords.store(account, password)
	return nil
}

// decryptPassword takes the password from a client on an open network, which
// encrypts it for our RSA key.
func (c *conn) decryptPassword(answer []byte) ([]byte, error) {
	id := c.srv.identity
	if id == nil || id.rsaKey == nil {
		return nil, errAuthFailed
	}
	if len(answer) == 1 && answer[0] == sha2RequestKey {
		c.writePayload(append([]byte{0x01}, id.publicPEM...))
		var err error
		if answer, err = c.exchange(); err != nil {
			return nil, err
		}
	}
	// OAEP with SHA-1 is what the protocol defines
	plain, err := rsa.DecryptOAEP(sha1.New(), nil, id.rsaKey, answer, nil)
	if err != nil {
		return nil, errAuthFailed
	}
	for i := range plain {
		plain[i] ^= c.scramble[i%len(c.scramble)]
	}
	return plain, nil
}
