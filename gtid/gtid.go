package gtid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ErrSyntax is what every parse error of this package wraps.
var ErrSyntax = errors.New("malformed GTID")

// ErrDuplicateDomain is returned for a position that names a domain twice.
var ErrDuplicateDomain = errors.New("GTID position names a domain twice")

// GTID is one global transaction id.
type GTID struct {
	Domain uint32
	Server uint32
	Seq    uint64
}

// Parse reads "domain-server-seq". Blanks around it are allowed.
func Parse(s string) (GTID, error) {
	text := strings.TrimSpace(s)
	d, rest, ok := strings.Cut(text, "-")
	srv, seq, ok2 := strings.Cut(rest, "-")
	if !ok || !ok2 {
		return GTID{}, fmt.Errorf("%w: %q", ErrSyntax, s)
	}
	domain, err1 := parseUint(d, 32)
	server, err2 := parseUint(srv, 32)
	n, err3 := parseUint(seq, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return GTID{}, fmt.Errorf("%w: %q", ErrSyntax, s)
	}
	return GTID{Domain: uint32(domain), Server: uint32(server), Seq: n}, nil
}

// parseUint is strconv.ParseUint without its tolerance for a sign.
func parseUint(s string, bits int) (uint64, error) {
	if s == "" || s[0] < '0' || s[0] > '9' {
		return 0, ErrSyntax
	}
	return strconv.ParseUint(s, 10, bits)
}

// String is the form that Parse reads.
func (g GTID) String() string {
	var buf [44]byte
	return string(g.AppendTo(buf[:0]))
}

// AppendTo appends the text form to dst.
func (g GTID) AppendTo(dst []byte) []byte {
	dst = strconv.AppendUint(dst, uint64(g.Domain), 10)
	dst = append(dst, '-')
	dst = strconv.AppendUint(dst, uint64(g.Server), 10)
	dst = append(dst, '-')
	return strconv.AppendUint(dst, g.Seq, 10)
}

// Compare orders by domain, then server, then sequence number. It is an order
// for sorted output, not the order of transactions in a log.
func (g GTID) Compare(h GTID) int {
	return cmp.Or(cmp.Compare(g.Domain, h.Domain), cmp.Compare(g.Server, h.Server), cmp.Compare(g.Seq, h.Seq))
}

// parseList reads a comma separated list; an empty or blank string is an empty list.
func parseList(s string) ([]GTID, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	list := make([]GTID, 0, strings.Count(s, ",")+1)
	for part := range strings.SplitSeq(s, ",") {
		g, err := Parse(part)
		if err != nil {
			return nil, err
		}
		list = append(list, g)
	}
	return list, nil
}

func formatList(list []GTID) string {
	var b []byte
	for i, g := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = g.AppendTo(b)
	}
	return string(b)
}

func sortedKeys[V any](m map[uint32]V) []uint32 {
	keys := make([]uint32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
