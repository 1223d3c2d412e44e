package info

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var hashes = []eval.Def{
	{Name: "MD5", Min: 1, Max: 1, Bind: digest("md5", 2*md5.Size, func(dst, s []byte) []byte {
		sum := md5.Sum(s)
		return hex.AppendEncode(dst, sum[:])
	})},
	{Name: "SHA", Min: 1, Max: 1, Bind: digest("sha", 2*sha1.Size, appendSHA1)},
	{Name: "SHA1", Min: 1, Max: 1, Bind: digest("sha", 2*sha1.Size, appendSHA1)},
	{Name: "SHA2", Min: 2, Max: 2, Bind: sha2},
	{Name: "PASSWORD", Min: 1, Max: 1, Bind: password},
	{Name: "OLD_PASSWORD", Min: 1, Max: 1, Bind: oldPassword},
}

func appendSHA1(dst, s []byte) []byte {
	sum := sha1.Sum(s)
	return hex.AppendEncode(dst, sum[:])
}

func digest(name string, length int, appendTo func(dst, s []byte) []byte) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		x := b.ToText(args[0])
		text := eval.Of[[]byte](x)
		return asciiText(b, name, b.Text(uint64(length)).OrNull(), func(f *eval.Frame) ([]byte, bool) {
			s, null := text(f)
			if null {
				return nil, true
			}
			return appendTo(f.Buffer(length), s), false
		}, x), nil
	}
}

// sha2Bits is what an argument of SHA2 means; false if it is none of its lengths.
func sha2Bits(n int64) (int64, bool) {
	switch n {
	case 0:
		return 256, true
	case 224, 256, 384, 512:
		return n, true
	}
	return 0, false
}

// sha2 has the length that a constant number of bits gives, else the largest. NULL counts as 0 there.
func sha2(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x, n := b.ToText(args[0]), b.ToInt(args[1])
	length := int64(sha512.Size * 8)
	if v, _, constant := constantInt(b, n); constant {
		var ok bool
		if length, ok = sha2Bits(v); !ok {
			b.Scratch.Warn(mysqlerr.WrongParametersToNativeFct, "sha2")
			text := eval.Of[[]byte](x)
			return eval.New("sha2", binaryText(0), func(f *eval.Frame) ([]byte, bool) {
				text(f) // for its conditions
				return nil, true
			}, x, n), nil
		}
	}
	text, bits := eval.Of[[]byte](x), eval.Of[int64](n)
	return asciiText(b, "sha2", b.Text(uint64(length/4)).OrNull(), func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		if null {
			return nil, true
		}
		v, null := bits(f)
		if null {
			v = 0
		}
		size, ok := sha2Bits(v)
		if !ok {
			f.Warn(mysqlerr.WrongParametersToNativeFct, "sha2")
			return nil, true
		}
		return appendSHA2(f.Buffer(2*sha512.Size), s, size), false
	}, x, n), nil
}

func appendSHA2(dst, s []byte, bits int64) []byte {
	switch bits {
	case 224:
		sum := sha256.Sum224(s)
		return hex.AppendEncode(dst, sum[:])
	case 384:
		sum := sha512.Sum384(s)
		return hex.AppendEncode(dst, sum[:])
	case 512:
		sum := sha512.Sum512(s)
		return hex.AppendEncode(dst, sum[:])
	}
	sum := sha256.Sum256(s)
	return hex.AppendEncode(dst, sum[:])
}

// passwordLength is a star and the hexadecimal digits of an SHA-1.
const passwordLength = 1 + 2*sha1.Size

// password is what mysql_native_password keeps: a star and the SHA-1 of the SHA-1. No password and NULL are empty.
func password(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToText(args[0])
	text := eval.Of[[]byte](x)
	return asciiText(b, "password", b.Text(passwordLength).OrNull(), func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		if null || len(s) == 0 {
			return nil, false
		}
		first := sha1.Sum(s)
		out := appendSHA1(append(f.Buffer(passwordLength), '*'), first[:])
		for i, c := range out {
			if c >= 'a' {
				out[i] = c - ('a' - 'A')
			}
		}
		return out, false
	}, x), nil
}

// oldHash is the two numbers that passwords before MySQL 4.1 were. Blanks and tabs do not count.
func oldHash(s []byte) (first, second uint32) {
	first, second = 1345345333, 0x12345671
	add := uint32(7)
	for _, c := range s {
		if c == ' ' || c == '\t' {
			continue
		}
		first ^= (first&63+add)*uint32(c) + first<<8
		second += second<<8 ^ first
		add += uint32(c)
	}
	const mask = 1<<31 - 1
	return first & mask, second & mask
}

// oldPasswordLength is that of two numbers of 32 bits in hexadecimal digits.
const oldPasswordLength = 16

func oldPassword(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToText(args[0])
	text := eval.Of[[]byte](x)
	return asciiText(b, "old_password", types.Type.OrNull(b.Text(oldPasswordLength)), func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		if null || len(s) == 0 {
			return nil, null
		}
		n, m := oldHash(s)
		return hex.AppendEncode(f.Buffer(oldPasswordLength), []byte{
			byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n), byte(m >> 24), byte(m >> 16), byte(m >> 8), byte(m),
		}), false
	}, x), nil
}
