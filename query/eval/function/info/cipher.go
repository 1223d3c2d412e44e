package info

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/types"
)

var ciphers = []eval.Def{
	{Name: "AES_ENCRYPT", Min: 2, Max: 2, Bind: aesEncrypt},
	{Name: "AES_DECRYPT", Min: 2, Max: 2, Bind: aesDecrypt},
	{Name: "ENCODE", Min: 2, Max: 2, Bind: scrambled("encode", (*scrambler).encode)},
	{Name: "DECODE", Min: 2, Max: 2, Bind: scrambled("decode", (*scrambler).decode)},
	{Name: "RANDOM_BYTES", Min: 1, Max: 1, Bind: randomBytes},
}

// aesBlock is AES with a key of 128 bits, onto which the bytes of a key are folded.
func aesBlock(key []byte) cipher.Block {
	var folded [aes.BlockSize]byte
	for i, c := range key {
		folded[i%len(folded)] ^= c
	}
	block, err := aes.NewCipher(folded[:])
	if err != nil {
		panic(err) // of another length of key
	}
	return block
}

// aesEncrypt is aes-128-ecb with the padding of PKCS #7: the block_encryption_mode that there is.
func aesEncrypt(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	length := byteLength(args[0])
	t := binaryText(length - length%aes.BlockSize + aes.BlockSize)
	return withKey("aes_encrypt", t, func(f *eval.Frame, s, key []byte) ([]byte, bool) {
		pad := aes.BlockSize - len(s)%aes.BlockSize
		out := append(f.Buffer(len(s)+pad), s...)
		for range pad {
			out = append(out, byte(pad))
		}
		block := aesBlock(key)
		for i := 0; i < len(out); i += aes.BlockSize {
			block.Encrypt(out[i:], out[i:])
		}
		return out, false
	}, b.ToText(args[0]), b.ToText(args[1])), nil
}

func aesDecrypt(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return withKey("aes_decrypt", binaryText(byteLength(args[0])), func(f *eval.Frame, s, key []byte) ([]byte, bool) {
		if len(s) == 0 || len(s)%aes.BlockSize != 0 {
			return nil, true
		}
		out := append(f.Buffer(len(s)), s...)
		block := aesBlock(key)
		for i := 0; i < len(out); i += aes.BlockSize {
			block.Decrypt(out[i:], out[i:])
		}
		pad := out[len(out)-1]
		if pad == 0 || pad > aes.BlockSize {
			return nil, true
		}
		for _, c := range out[len(out)-int(pad):] {
			if c != pad {
				return nil, true
			}
		}
		return out[:len(out)-int(pad)], false
	}, b.ToText(args[0]), b.ToText(args[1])), nil
}

// withKey is a function of a text and a key; both are computed, whichever is NULL.
func withKey(name string, t types.Type, do func(f *eval.Frame, s, key []byte) ([]byte, bool), x, y *eval.Expr) *eval.Expr {
	text, secret := eval.Of[[]byte](x), eval.Of[[]byte](y)
	return eval.New(name, t, func(f *eval.Frame) ([]byte, bool) {
		s, null := text(f)
		key, never := secret(f)
		if null || never {
			return nil, true
		}
		return do(f, s, key)
	}, x, y)
}

// scrambler is the cipher of ENCODE and DECODE: a table of bytes and a sequence, both of random numbers whose seed is the key.
type scrambler struct {
	first, other uint32
	table, back  [256]byte
}

func (s *scrambler) start(key []byte) {
	const most = 1<<30 - 1
	first, other := oldHash(key)
	s.first, s.other = first%most, other%most
	for i := range s.table {
		s.table[i] = byte(i)
	}
	for i := range s.table {
		j := s.next()
		s.table[i], s.table[j] = s.table[j], s.table[i]
	}
	for i, c := range s.table {
		s.back[c] = byte(i)
	}
}

func (s *scrambler) next() byte {
	const most = 1<<30 - 1
	s.first = uint32((uint64(s.first)*3 + uint64(s.other)) % most)
	s.other = uint32((uint64(s.first) + uint64(s.other) + 33) % most)
	return byte(float64(s.first) / most * 255)
}

func (s *scrambler) encode(text []byte) {
	var shift byte
	for i, c := range text {
		shift ^= s.next()
		text[i] = s.back[c] ^ shift
		shift ^= c
	}
}

func (s *scrambler) decode(text []byte) {
	var shift byte
	for i, c := range text {
		shift ^= s.next()
		text[i] = s.table[c^shift]
		shift ^= text[i]
	}
}

func scrambled(name string, change func(*scrambler, []byte)) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		return eval.Map2(name, binaryText(byteLength(args[0])), func(f *eval.Frame, s, key []byte) ([]byte, bool) {
			var c scrambler
			c.start(key)
			out := append(f.Buffer(len(s)), s...)
			change(&c, out)
			return out, false
		}, b.ToText(args[0]), b.ToText(args[1])), nil
	}
}

// randomBytesMax is the most that RANDOM_BYTES gives.
const randomBytesMax = 1024

func randomBytes(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToInt(args[0])
	length := int64(randomBytesMax)
	if n, _, constant := constantInt(b, x); constant {
		length = min(max(n, 0), randomBytesMax)
	}
	return eval.Map1("random_bytes", binaryText(uint64(length)), func(f *eval.Frame, n int64) ([]byte, bool) {
		if n > randomBytesMax || n < 0 {
			return nil, true
		}
		out := f.Buffer(int(n))[:n]
		_, _ = rand.Read(out) // never fails
		return out, false
	}, x).With(eval.Volatile), nil
}
