package accounts

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"strconv"
	"strings"
)

// SHA2Password is the plugin that keeps passwords as SHA-256 crypt.
const SHA2Password = "caching_sha2_password"

// A password is stored as "$A$", thousands of rounds as three hexadecimal digits, "$", the salt and the digest. See
// Ulrich Drepper, Unix crypt using SHA-256 and SHA-512; MySQL's salt is longer than the paper's.
const (
	sha2Prefix    = "$A$"
	sha2Thousands = 5
	sha2SaltLen   = 20
	sha2DigestLen = 43
	sha2HeadLen   = len(sha2Prefix) + 4
)

// SHA2Hash is a password as caching_sha2_password stores it, with a salt of its own.
func SHA2Hash(password string) string {
	salt := make([]byte, sha2SaltLen)
	_, _ = rand.Read(salt) // never fails
	for i := range salt {
		salt[i] = cryptAlphabet[salt[i]%64]
	}
	return string(sha2Stored([]byte(password), salt, sha2Thousands))
}

// SHA2Matches reports whether a password is the one that is stored.
func SHA2Matches(stored string, password []byte) bool {
	if len(stored) != sha2HeadLen+sha2SaltLen+sha2DigestLen || !strings.HasPrefix(stored, sha2Prefix) || stored[sha2HeadLen-1] != '$' {
		return false
	}
	thousands, err := strconv.ParseUint(stored[len(sha2Prefix):sha2HeadLen-1], 16, 32)
	if err != nil || thousands == 0 {
		return false
	}
	again := sha2Stored(password, []byte(stored[sha2HeadLen:sha2HeadLen+sha2SaltLen]), int(thousands))
	return subtle.ConstantTimeCompare(again, []byte(stored)) == 1
}

func sha2Stored(password, salt []byte, thousands int) []byte {
	digits := strconv.FormatUint(uint64(thousands), 16)
	out := []byte(sha2Prefix + strings.Repeat("0", 3-len(digits)) + strings.ToUpper(digits) + "$")
	out = append(out, salt...)
	return appendCrypt(out, sha256Crypt(password, salt, 1000*thousands))
}

// sha256Crypt is the digest of SHA-256 crypt.
func sha256Crypt(password, salt []byte, rounds int) [sha256.Size]byte {
	b := sha256.Sum256(joined(password, salt, password))
	first := joined(password, salt, stretched(b, len(password)))
	for n := len(password); n > 0; n >>= 1 {
		if n&1 != 0 {
			first = append(first, b[:]...)
		} else {
			first = append(first, password...)
		}
	}
	sum := sha256.Sum256(first)
	p := stretched(sha256.Sum256(bytes.Repeat(password, len(password))), len(password))
	s := stretched(sha256.Sum256(bytes.Repeat(salt, 16+int(sum[0]))), len(salt))
	var text []byte
	for i := range rounds {
		text = text[:0]
		before, after := sum[:], p
		if i&1 != 0 {
			before, after = p, sum[:]
		}
		text = append(text, before...)
		if i%3 != 0 {
			text = append(text, s...)
		}
		if i%7 != 0 {
			text = append(text, p...)
		}
		text = append(text, after...)
		sum = sha256.Sum256(text)
	}
	return sum
}

func joined(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// stretched repeats a digest up to so many bytes.
func stretched(digest [sha256.Size]byte, n int) []byte {
	return bytes.Repeat(digest[:], n/sha256.Size+1)[:n]
}

const cryptAlphabet = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// appendCrypt writes a digest in crypt's own base 64: groups of three bytes that lie ten apart, low bits first.
func appendCrypt(dst []byte, d [sha256.Size]byte) []byte {
	group := func(word uint32, chars int) {
		for range chars {
			dst = append(dst, cryptAlphabet[word&63])
			word >>= 6
		}
	}
	for i, a, b, c := 0, 0, 10, 20; i < 10; i++ {
		group(uint32(d[a])<<16|uint32(d[b])<<8|uint32(d[c]), 4)
		a, b, c = c+1, a+1, b+1
	}
	group(uint32(d[31])<<8|uint32(d[30]), 3)
	return dst
}
