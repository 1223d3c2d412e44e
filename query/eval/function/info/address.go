package info

import (
	"math"
	"strconv"

	"github.com/duramendb/duramen/query/eval"
	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/types"
)

var addresses = []eval.Def{
	{Name: "INET_ATON", Min: 1, Max: 1, Bind: inetAton},
	{Name: "INET_NTOA", Min: 1, Max: 1, Bind: inetNtoa},
	{Name: "INET6_ATON", Min: 1, Max: 1, Bind: inet6Aton},
	{Name: "INET6_NTOA", Min: 1, Max: 1, Bind: inet6Ntoa},
	{Name: "IS_IPV4", Min: 1, Max: 1, Bind: isText("is_ipv4", func(s []byte) bool {
		_, ok := parseIPv4(s)
		return ok
	})},
	{Name: "IS_IPV6", Min: 1, Max: 1, Bind: isText("is_ipv6", func(s []byte) bool {
		_, ok := parseIPv6(s)
		return ok
	})},
	{Name: "IS_IPV4_COMPAT", Min: 1, Max: 1, Bind: isAddress("is_ipv4_compat", compat)},
	{Name: "IS_IPV4_MAPPED", Min: 1, Max: 1, Bind: isAddress("is_ipv4_mapped", mapped)},
}

// asciiOf is an argument as text in which ASCII characters are single bytes.
func asciiOf(b *eval.Builder, x *eval.Expr) *eval.Expr {
	x = b.ToText(x)
	if x.Type.Collation == nil || x.Type.Collation.Set().ASCIIBytes() {
		return x
	}
	return b.ToSet(x, setNamed("utf8mb4"))
}

// inetAton reads numbers of up to 255 with points between them. With one point or two, the last number is the lowest byte.
func inetAton(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	return eval.Map1("inet_aton", types.BigintType(21, true).OrNull(), func(_ *eval.Frame, s []byte) (int64, bool) {
		var n, group uint64
		points := 0
		for _, c := range s {
			switch {
			case c >= '0' && c <= '9':
				if group = group*10 + uint64(c-'0'); group > math.MaxUint8 {
					return 0, true
				}
			case c == '.':
				n, group = n<<8+group, 0
				points++
			default:
				return 0, true
			}
		}
		if len(s) == 0 || s[len(s)-1] == '.' {
			return 0, true
		}
		switch points {
		case 1:
			n <<= 16
		case 2:
			n <<= 8
		}
		return int64(n<<8 + group), false
	}, asciiOf(b, args[0])), nil
}

// Lengths of addresses as text, which metadata has.
const (
	ipv4Length = 31
	ipv6Length = 39
)

// addressText is the type of an address as text, which has no digits after a point.
func addressText(b *eval.Builder, length uint64) types.Type {
	t := b.Text(length).OrNull()
	t.Decimals = 0
	return t
}

func inetNtoa(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := b.ToInt(args[0])
	number := eval.Of[int64](x)
	return asciiText(b, "inet_ntoa", addressText(b, ipv4Length), func(f *eval.Frame) ([]byte, bool) {
		n, null := number(f)
		if null || uint64(n) > math.MaxUint32 {
			return nil, true
		}
		return appendIPv4(f.Buffer(ipv4Length), []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), false
	}, x), nil
}

func appendIPv4(dst, address []byte) []byte {
	for i, c := range address {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(c), 10)
	}
	return dst
}

const (
	ipv4Size = 4
	ipv6Size = 16
)

func inet6Aton(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	t := binaryText(ipv6Size)
	t.Decimals = 0
	return eval.Map1("inet6_aton", t, func(f *eval.Frame, s []byte) ([]byte, bool) {
		if a, ok := parseIPv4(s); ok {
			return append(f.Buffer(ipv4Size), a[:]...), false
		}
		a, ok := parseIPv6(s)
		if !ok {
			return nil, true
		}
		return append(f.Buffer(ipv6Size), a[:]...), false
	}, asciiOf(b, args[0])), nil
}

// inet6Ntoa writes binary strings of 4 and 16 bytes; all else is NULL.
func inet6Ntoa(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
	x := args[0]
	t := addressText(b, ipv6Length)
	if !x.Type.Kind.IsString() || !x.Type.Binary() {
		return asciiText(b, "inet6_ntoa", t, func(*eval.Frame) ([]byte, bool) { return nil, true }, x), nil
	}
	address := eval.Of[[]byte](x)
	return asciiText(b, "inet6_ntoa", t, func(f *eval.Frame) ([]byte, bool) {
		s, null := address(f)
		switch {
		case null:
		case len(s) == ipv4Size:
			return appendIPv4(f.Buffer(ipv4Length), s), false
		case len(s) == ipv6Size:
			return appendIPv6(f.Buffer(ipv6Length), [ipv6Size]byte(s)), false
		}
		return nil, true
	}, x), nil
}

// isText binds what asks about an address in text; NULL is none.
func isText(name string, is func([]byte) bool) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		x := asciiOf(b, args[0])
		text := eval.Of[[]byte](x)
		return eval.New(name, types.BoolType().NullIf(args[0].Type), func(f *eval.Frame) (int64, bool) {
			s, null := text(f)
			if !null && is(s) {
				return 1, false
			}
			return 0, false
		}, x).With(eval.Bool), nil
	}
}

func compat(a [ipv6Size]byte) bool {
	for _, c := range a[:12] {
		if c != 0 {
			return false
		}
	}
	return a[12] != 0 || a[13] != 0 || a[14] != 0 || a[15] > 1
}

func mapped(a [ipv6Size]byte) bool {
	for _, c := range a[:10] {
		if c != 0 {
			return false
		}
	}
	return a[10] == 0xff && a[11] == 0xff
}

// isAddress binds what asks about an IPv6 address, as 16 bytes or as text; what is none is warned of.
func isAddress(name string, is func([ipv6Size]byte) bool) func(*eval.Builder, []*eval.Expr) (*eval.Expr, error) {
	return func(b *eval.Builder, args []*eval.Expr) (*eval.Expr, error) {
		bytes := args[0].Type.Kind.IsString() && args[0].Type.Binary()
		x := args[0]
		if !bytes {
			x = asciiOf(b, x)
		}
		set := setNamed("utf8mb4")
		if x.Type.Collation != nil {
			set = x.Type.Collation.Set()
		}
		text := eval.Of[[]byte](x)
		return eval.New(name, types.BoolType().NullIf(args[0].Type), func(f *eval.Frame) (int64, bool) {
			s, null := text(f)
			if null {
				return 0, false
			}
			a, ok := [ipv6Size]byte{}, false
			if bytes {
				if ok = len(s) == ipv6Size; ok {
					a = [ipv6Size]byte(s)
				}
			} else {
				a, ok = parseIPv6(s)
			}
			if !ok {
				f.Diag.Warnf(mysqlerr.TruncatedWrongValue, "Incorrect inet6 value: '%s'", types.CutBytes(types.Shown(set, s)))
			}
			if ok && is(a) {
				return 1, false
			}
			return 0, false
		}, x).With(eval.Bool), nil
	}
}
