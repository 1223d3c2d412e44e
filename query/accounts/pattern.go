package accounts

import (
	"cmp"
	"net/netip"
	"strings"
)

// Client is where a client comes from: its address, and the name of its host ("localhost" for a unix
// socket and the loopback addresses; other addresses have no name here).
type Client struct {
	Name string
	IP   string
}

// ClientOf makes a Client of what a connection says of its peer.
func ClientOf(host string) Client {
	c := Client{Name: host, IP: host}
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		c.Name, c.IP = "", a.String()
		if a.IsLoopback() && (host == "127.0.0.1" || host == "::1") {
			c.Name = "localhost"
		}
	} else if host == "localhost" {
		c.IP = ""
	}
	return c
}

// matchHost reports whether an account's host fits a client: a name, an address, a pattern of either,
// or address/netmask. Names of hosts have no case.
func matchHost(host string, c Client) bool {
	if ip, mask, ok := strings.Cut(host, "/"); ok {
		return matchMask(ip, mask, c.IP)
	}
	host = strings.ToLower(host)
	return host == "" || c.Name != "" && wild(host, strings.ToLower(c.Name)) || c.IP != "" && wild(host, strings.ToLower(c.IP))
}

// matchMask is base/netmask, for IPv4 only.
func matchMask(base, mask, ip string) bool {
	b, err1 := netip.ParseAddr(base)
	m, err2 := netip.ParseAddr(mask)
	a, err3 := netip.ParseAddr(ip)
	if err1 != nil || err2 != nil || err3 != nil || !b.Is4() || !m.Is4() || !a.Is4() {
		return false
	}
	bb, mm, aa := b.As4(), m.As4(), a.As4()
	for i := range aa {
		if aa[i]&mm[i] != bb[i] {
			return false
		}
	}
	return true
}

// wild matches text with a pattern of % (any text), _ (one character) and \ (the next is itself).
func wild(pattern, text string) bool {
	// MariaDB compares bytes: _ is one of them.
	p, t := []byte(pattern), []byte(text)
	// back and from: where to go on after a mismatch, with one more character for the last %.
	pi, ti, back, from := 0, 0, -1, 0
	for ti < len(t) {
		switch {
		case pi < len(p) && p[pi] == '%':
			pi++
			back, from = pi, ti
			continue
		case pi < len(p) && p[pi] == '_':
			pi++
			ti++
			continue
		case pi+1 < len(p) && p[pi] == '\\' && p[pi+1] == t[ti]:
			pi += 2
			ti++
			continue
		case pi < len(p) && p[pi] == t[ti] && (p[pi] != '\\' || pi+1 == len(p)):
			pi++
			ti++
			continue
		}
		if back < 0 {
			return false
		}
		from++
		pi, ti = back, from
	}
	for pi < len(p) && p[pi] == '%' {
		pi++
	}
	return pi == len(p)
}

// isPattern reports whether a name has a wildcard that is not escaped.
func isPattern(name string) bool { return specificityOf(name).kind < exactName }

// Kinds of names and patterns, from the least specific on.
const (
	noName       = iota // "": every host
	manyWildcard        // with %
	oneWildcard         // with _ only
	exactName
	escapedName // a name with an escaped wildcard: MariaDB lists it before others
)

// specificity is how MariaDB orders names and patterns of hosts and databases: by kind, patterns then by
// how many characters they fix, then by the place of the first wildcard, the earlier the more specific.
type specificity struct {
	kind, fixed, first int
}

func specificityOf(name string) specificity {
	if name == "" {
		return specificity{}
	}
	s := specificity{kind: exactName}
	escaped := false
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '\\' && i+1 < len(name):
			i++
			s.fixed++
			escaped = true
			continue
		case c == '%':
			s.kind = manyWildcard
		case c == '_':
			s.kind = min(s.kind, oneWildcard)
		default:
			s.fixed++
			continue
		}
		if s.first == 0 {
			s.first = i + 1
		}
	}
	if s.kind == exactName {
		s = specificity{kind: exactName}
		if escaped {
			s.kind = escapedName
		}
	}
	return s
}

// hostSpecificity is specificityOf a host. A netmask is one address.
func hostSpecificity(host string) specificity {
	if strings.Contains(host, "/") {
		return specificity{kind: exactName}
	}
	return specificityOf(host)
}

// compare is positive if s is more specific than t.
func (s specificity) compare(t specificity) int {
	return cmp.Or(cmp.Compare(s.kind, t.kind), cmp.Compare(s.fixed, t.fixed), cmp.Compare(t.first, s.first))
}
