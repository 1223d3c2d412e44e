package account

import (
	"crypto/sha1" // mysql_native_password is defined with it
	"encoding/hex"
	"strings"
	"time"

	"github.com/duramendb/duramen/query/accounts"
	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// NativeHash is PASSWORD(text): the hash of mysql_native_password.
func NativeHash(password string) string {
	if password == "" {
		return ""
	}
	one := sha1.Sum([]byte(password)) // as above
	two := sha1.Sum(one[:])           // as above
	return "*" + strings.ToUpper(hex.EncodeToString(two[:]))
}

// hash is a password in clear text as a plugin stores it.
func (r *run) hash(plugin, password string) (string, error) {
	switch {
	case password == "":
		return "", nil
	case strings.EqualFold(plugin, accounts.SHA2Password):
		return r.SHA2Hash(password)
	}
	return NativeHash(password), nil
}

// checkPassword checks the plugin of a password, and a hash as its plugin stores it.
func checkPassword(w dialect.Password) error {
	if w.Form == dialect.NoPassword {
		return nil
	}
	if w.Plugin != accounts.NativePassword && !strings.EqualFold(w.Plugin, accounts.SHA2Password) {
		return mysqlerr.Newf(mysqlerr.PluginNotLoaded, "Plugin '%s' is not loaded", w.Plugin)
	}
	if w.Plugin != accounts.NativePassword || w.Form != dialect.HashedPassword || w.Text == "" {
		return nil
	}
	if len(w.Text) != 41 || w.Text[0] != '*' || strings.Trim(w.Text[1:], "0123456789abcdefABCDEF") != "" {
		return mysqlerr.New(mysqlerr.PasswdLength, 41)
	}
	return nil
}

// checkPasswords checks the passwords of all users of a statement.
func checkPasswords(users []dialect.User) error {
	for _, u := range users {
		if err := checkPassword(u.Password); err != nil {
			return err
		}
	}
	return nil
}

// setPassword gives an account a password that is hashed, if the statement has one.
func setPassword(a *accounts.Account, w dialect.Password) {
	if w.Form == dialect.NoPassword {
		return
	}
	a.Plugin, a.Auth, a.Expired, a.Changed = strings.ToLower(w.Plugin), w.Text, false, now()
	if a.Plugin == accounts.NativePassword {
		a.Auth = strings.ToUpper(a.Auth)
	}
}

// now is the time as accounts keep it.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }
