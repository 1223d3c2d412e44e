package info

import (
	"bytes"
	"strconv"
)

// parseIPv4 reads four numbers of up to three digits.
func parseIPv4(s []byte) (a [ipv4Size]byte, ok bool) {
	i, digits, n := 0, 0, 0
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			n = n*10 + int(c-'0')
			if digits++; digits > 3 || n > 255 {
				return a, false
			}
		case c == '.':
			if digits == 0 || i == ipv4Size-1 {
				return a, false
			}
			a[i] = byte(n)
			i, digits, n = i+1, 0, 0
		default:
			return a, false
		}
	}
	if digits == 0 || i != ipv4Size-1 {
		return a, false
	}
	a[i] = byte(n)
	return a, true
}

// ipv6TextMax is how long an address may be as text, even with an IPv4 address at its end.
const ipv6TextMax = 39

// parseIPv6 reads groups of up to four hexadecimal digits, with one gap (::), or an IPv4 address for the last two groups.
func parseIPv6(s []byte) (a [ipv6Size]byte, ok bool) {
	if len(s) < 2 || len(s) > ipv6TextMax {
		return a, false
	}
	at, gap := 0, -1
	if s[0] == ':' {
		if s[1] != ':' {
			return a, false
		}
		s = s[1:]
	}
	put := func(b ...byte) bool {
		if at+len(b) > ipv6Size {
			return false
		}
		at += copy(a[at:], b)
		return true
	}
	for len(s) > 0 {
		if s[0] == ':' { // the second one of a gap
			if gap >= 0 {
				return a, false
			}
			gap, s = at, s[1:]
			continue
		}
		end := bytes.IndexByte(s, ':')
		group := s
		if end >= 0 {
			group = s[:end]
		}
		if bytes.IndexByte(group, '.') >= 0 {
			last, ok := parseIPv4(s)
			if !ok || !put(last[:]...) {
				return a, false
			}
			break
		}
		n, ok := hexGroup(group)
		if !ok || !put(byte(n>>8), byte(n)) {
			return a, false
		}
		if end < 0 {
			break
		}
		if s = s[end+1:]; len(s) == 0 {
			return a, false // it ends with one colon
		}
	}
	switch {
	case gap >= 0 && at == ipv6Size, gap < 0 && at < ipv6Size:
		return a, false
	case gap >= 0:
		moved := a
		clear(a[gap:])
		copy(a[ipv6Size-(at-gap):], moved[gap:at])
	}
	return a, true
}

func hexGroup(s []byte) (n uint16, ok bool) {
	if len(s) == 0 || len(s) > 4 {
		return 0, false
	}
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		n = n<<4 | uint16(c)
	}
	return n, true
}

const groups = ipv6Size / 2

// appendIPv6 writes an address with the first of its longest runs of zeros as a gap, and what is an IPv4 address in disguise as such.
func appendIPv6(dst []byte, a [ipv6Size]byte) []byte {
	var words [groups]uint16
	for i := range words {
		words[i] = uint16(a[2*i])<<8 | uint16(a[2*i+1])
	}
	start, length := -1, 0
	for i := 0; i < groups; i++ {
		j := i
		for j < groups && words[j] == 0 {
			j++
		}
		if j-i > length {
			start, length = i, j-i
		}
		i = max(i, j-1)
	}
	for i := 0; i < groups; i++ {
		if i == start {
			if i == 0 {
				dst = append(dst, ':')
			}
			dst = append(dst, ':')
			i += length - 1
			continue
		}
		if i == 6 && start == 0 && (length == 6 || length == 5 && words[5] == 0xffff) {
			return appendIPv4(dst, a[12:])
		}
		dst = strconv.AppendUint(dst, uint64(words[i]), 16)
		if i < groups-1 {
			dst = append(dst, ':')
		}
	}
	return dst
}
