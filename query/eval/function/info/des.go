package info

import (
	"crypto/cipher"
	"crypto/des" //nolint:gosec // DES_ENCRYPT is this cipher
	"crypto/md5" //nolint:gosec // of which its keys are made

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

// Without a file of keys (--des-key-file) the keys that are called by number are zeros. DES_DECRYPT with one argument is refused: the server
// answers it for who has the privilege SUPER.
var desCiphers = []eval.Def{
	{Name: "DES_ENCRYPT", Min: 1, Max: 2, Bind: desEncrypt, Source: "Item_func_des_encrypt (sql/item_strfunc.cc)"},
	{Name: "DES_DECRYPT", Min: 1, Max: 2, Bind: desDecrypt, Source: "Item_func_des_decrypt (sql/item_strfunc.cc)"},
}

const (
	desKeyBytes  = 24   // three keys
	desKeyLast   = 9    // the largest number of a key
	desEncrypted = 0x80 // of the first byte: what follows is encrypted; the other bits are the number of the key
	desByText    = 0x7F // the number of a key that was given as text
	// desHead is what there is before the blocks.
	desHead = 1
)

// desBlock is triple DES with a key made of a text, or of zeros.
func desBlock(text []byte, numbered bool) cipher.Block {
	var key [desKeyBytes]byte
	if !numbered {
		first := md5.Sum(text)                       //nolint:gosec // as above
		second := md5.Sum(append(first[:], text...)) //nolint:gosec // as above
		copy(key[copy(key[:], first[:]):], second[:])
	}
	block, err := des.NewTripleDESCipher(key[:]) //nolint:gosec // as above
	if err != nil {
		panic(err) // of another length of key
	}
	return block
}

func desDeprecated(b *eval.Builder, name string) {
	b.Scratch.Diag.Notef(mysqlerr.WarnDeprecatedSyntax, "'%s' is deprecated and will be removed in a future release", name)
}

// desWrong warns of arguments; the function is NULL.
func desWrong(f *eval.Frame, name string) ([]byte, bool) {
	f.Diag.Warnf(wrongProcedureArguments, "Incorrect parameters to procedure '%s'", name)
	return nil, true
}

// wrongProcedureArguments is the number of that warning (ER_WRONG_PARAMETERS_TO_PROCEDURE).
const wrongProcedureArguments = 1108

func desEncrypt(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "des_encrypt"
	desDeprecated(b, name)
	plain := eval.Of[[]byte](b.ToText(args[0]))
	// key is the number of the key, or its text.
	key := func(*eval.Frame) (number int64, text []byte, ok bool) { return 0, nil, true }
	switch {
	case len(args) == 1:
	case args[1].Type.Class() == types.ClassInt && args[1].Type.Kind != types.Enum && args[1].Type.Kind != types.Set:
		number := eval.Of[int64](args[1])
		key = func(f *eval.Frame) (int64, []byte, bool) {
			n, null := number(f)
			if null {
				n = 0
			}
			return n, nil, n >= 0 && n <= desKeyLast
		}
	default:
		text := eval.Of[[]byte](b.ToText(args[1]))
		key = func(f *eval.Frame) (int64, []byte, bool) {
			s, null := text(f)
			return desByText, s, !null
		}
	}
	return eval.New(name, binaryText(byteLength(args[0])+desHead+des.BlockSize), func(f *eval.Frame) ([]byte, bool) {
		s, null := plain(f)
		if null || len(s) == 0 {
			return s, null
		}
		number, text, ok := key(f)
		if !ok {
			return desWrong(f, name)
		}
		pad := des.BlockSize - len(s)%des.BlockSize
		out := append(append(f.Buffer(desHead+len(s)+pad), byte(desEncrypted|number)), s...)
		for range pad - 1 {
			out = append(out, '*')
		}
		out = append(out, byte(pad))
		var start [des.BlockSize]byte
		cipher.NewCBCEncrypter(desBlock(text, number != desByText), start[:]).CryptBlocks(out[desHead:], out[desHead:])
		return out, false
	}, args...), nil
}

func desDecrypt(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	const name = "des_decrypt"
	if len(args) == 1 {
		return nil, mysqlerr.NotYet("DES_DECRYPT with the keys of the server")
	}
	desDeprecated(b, name)
	length := byteLength(args[0])
	if length >= desHead+des.BlockSize {
		length -= desHead + des.BlockSize
	}
	x, y := b.ToText(args[0]), b.ToText(args[1])
	text := eval.Of[[]byte](y)
	return eval.New(name, binaryText(length), func(f *eval.Frame) ([]byte, bool) {
		s, null := eval.Of[[]byte](x)(f)
		if null || len(s) <= des.BlockSize || len(s)%des.BlockSize != desHead || s[0]&desEncrypted == 0 {
			return s, null
		}
		key, null := text(f)
		if null {
			return desWrong(f, name)
		}
		out := append(f.Buffer(len(s)), s[desHead:]...)
		var start [des.BlockSize]byte
		cipher.NewCBCDecrypter(desBlock(key, false), start[:]).CryptBlocks(out, out)
		pad := int(out[len(out)-1])
		if pad > des.BlockSize {
			return nil, true
		}
		return out[:len(out)-pad], false
	}, x, y), nil
}
