package assign

import (
	"encoding/binary"
	"strconv"

	"github.com/duramendb/duramen/query/types"
)

const addressTextMax = 48

const hexDigits = "0123456789abcdef"

// ParseAddress appends the bytes of a UUID, INET4 or INET6 that is written in ASCII; false if it is none.
func ParseAddress(dst []byte, k types.Kind, s []byte) ([]byte, bool) {
	switch k {
	case types.UUID:
		return parseUUID(dst, s)
	case types.Inet4:
		return parseInet4(dst, s)
	}
	return parseInet6(dst, s)
}

func hexValue(b byte) (byte, bool) {
	switch {
	case b-'0' <= 9:
		return b - '0', true
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return b | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// parseUUID reads 32 digits, between which there may be hyphens. A version from 8 on is only taken with the variant that has versions.
func parseUUID(dst, s []byte) ([]byte, bool) {
	const count = 32
	n, high := 0, byte(0)
	for i, b := range s {
		if b == '-' && n > 0 && i < len(s)-1 {
			continue
		}
		d, ok := hexValue(b)
		if !ok || n == count {
			return nil, false
		}
		if n++; n%2 == 1 {
			high = d
		} else {
			dst = append(dst, high<<4|d)
		}
	}
	return dst, n == count && !otherUUID(dst[len(dst)-uuidSize:])
}

const uuidSize = 16

// otherUUID reports whether bytes are those that MariaDB does not keep as a UUID: its columns tell by the highest bit of the version whether the
// parts of a value stand in another order in them (MDEV-29959).
func otherUUID(b []byte) bool { return b[6]&0x80 != 0 && b[8]&0x80 == 0 }

// KeptAddress is what a column keeps of the bytes of an address.
func KeptAddress(k types.Kind, b []byte) []byte {
	if k == types.UUID {
		return keptUUID(make([]byte, 0, uuidSize), b)
	}
	return b
}

// keptUUID is what MariaDB's columns have of bytes that they are given: of those that it does not keep, another UUID, whose parts are theirs in
// another order.
func keptUUID(dst, b []byte) []byte {
	if !otherUUID(b) {
		return append(dst, b...)
	}
	dst = append(dst, b[12:]...)
	dst = append(dst, b[10:12]...)
	dst = append(dst, b[8:10]...)
	dst = append(dst, b[6:8]...)
	return append(dst, b[:6]...)
}

// parseInet4 reads four numbers of at most three digits.
func parseInet4(dst, s []byte) ([]byte, bool) {
	for part := range 4 {
		n, count := 0, 0
		for len(s) > 0 && s[0]-'0' <= 9 {
			n = n*10 + int(s[0]-'0')
			if count++; count > 3 || n > 255 {
				return nil, false
			}
			s = s[1:]
		}
		if count == 0 {
			return nil, false
		}
		dst = append(dst, byte(n))
		if part < 3 {
			if len(s) == 0 || s[0] != '.' {
				return nil, false
			}
			s = s[1:]
		}
	}
	return dst, len(s) == 0
}

// parseInet6 reads groups of at most four digits, of which :: leaves out at least one; the last two may be an INET4.
func parseInet6(dst, s []byte) ([]byte, bool) {
	var out [16]byte
	at, gap := 0, -1
	if len(s) >= 2 && s[0] == ':' && s[1] == ':' {
		gap, s = 0, s[2:]
	}
	for len(s) > 0 {
		n, count := 0, 0
		for count < len(s) {
			d, ok := hexValue(s[count])
			if !ok {
				break
			}
			n = n<<4 | int(d)
			if count++; count > 4 {
				return nil, false
			}
		}
		if count < len(s) && s[count] == '.' && at <= 12 {
			tail, ok := parseInet4(out[at:at:16], s)
			if !ok {
				return nil, false
			}
			at += len(tail)
			s = nil
			break
		}
		if count == 0 || at > 14 {
			return nil, false
		}
		binary.BigEndian.PutUint16(out[at:], uint16(n))
		at += 2
		if s = s[count:]; len(s) == 0 {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return nil, false
		}
		if s = s[1:]; s[0] == ':' {
			if gap >= 0 {
				return nil, false
			}
			gap, s = at, s[1:]
		}
	}
	if gap < 0 {
		return append(dst, out[:]...), at == 16
	}
	if at > 14 {
		return nil, false
	}
	moved := at - gap
	copy(out[16-moved:], out[gap:at])
	clear(out[gap : 16-moved])
	return append(dst, out[:]...), true
}

// AppendAddress writes a UUID, INET4 or INET6, given by its bytes.
func AppendAddress(dst []byte, k types.Kind, b []byte) []byte {
	switch {
	case len(b) != addressSize(k):
		return dst
	case k == types.UUID:
		for i, x := range b {
			if i == 4 || i == 6 || i == 8 || i == 10 {
				dst = append(dst, '-')
			}
			dst = append(dst, hexDigits[x>>4], hexDigits[x&15])
		}
		return dst
	case k == types.Inet4:
		return appendInet4(dst, b)
	}
	return appendInet6(dst, b)
}

func appendInet4(dst, b []byte) []byte {
	for i, x := range b {
		if i > 0 {
			dst = append(dst, '.')
		}
		dst = strconv.AppendUint(dst, uint64(x), 10)
	}
	return dst
}

// appendInet6 leaves out the first of the longest runs of zeros; addresses that hold an INET4 end as one.
func appendInet6(dst, b []byte) []byte {
	var groups [8]uint16
	gap, length := -1, 0
	for i := range groups {
		groups[i] = binary.BigEndian.Uint16(b[2*i:])
	}
	for i := 0; i < len(groups); i++ {
		n := 0
		for i+n < len(groups) && groups[i+n] == 0 {
			n++
		}
		if n > length {
			gap, length = i, n
		}
		i += n
	}
	for i := 0; i < len(groups); i++ {
		if i == gap {
			dst = append(dst, ':', ':')
			i += length - 1
			continue
		}
		if i > 0 && i != gap+length {
			dst = append(dst, ':')
		}
		if i == 6 && gap == 0 && (length == 6 || length == 5 && groups[5] == 0xFFFF) {
			return appendInet4(dst, b[12:])
		}
		dst = strconv.AppendUint(dst, uint64(groups[i]), 16)
	}
	return dst
}
