package statements

import (
	"slices"
	"strings"
	"testing"
)

// addresses are the kinds of UUID, INET4 and INET6, each several times, so that they meet.
var addresses = []kind{
	{"uu", "UUID", "uuid", uuids}, {"uv", "UUID", "uuid", uuids},
	{"i4", "INET4", "inet4", inet4s}, {"j4", "INET4", "inet4", inet4s},
	{"i6", "INET6", "inet6", inet6s}, {"j6", "INET6", "inet6", inet6s},
	{"b16", "BINARY(16)", "binary", []string{"x'6ccd780cbaba102695640040f4311e29'", "''", "x'20010db8000000000000000000000005'", "x'0123456789abcdef0123456789abcdef'"}},
}

var (
	uuids = []string{
		"'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", "'6ccd780c-baba-1026-9564-0040f4311e29'",
		"'6ccd780c-baba-1026-9564-0040f4310000'", "'11111111-2222-4333-8444-555555555555'", "'6CCD780CBABA102695640040F4311E29'",
		"'01890000-0000-7000-8000-000000000000'", "'01890000-0000-6000-8000-000000000001'", "'7ccd780c-baba-1026-9564-0040f4310000'",
	}
	inet4s = []string{"'0.0.0.0'", "'255.255.255.255'", "'1.2.3.4'", "'10.0.0.1'", "'9.255.0.0'", "'127.0.0.1'", "'1.2.3.0'"}
	inet6s = []string{
		"'::'", "'::1'", "'::1.2.3.4'", "'::ffff:1.2.3.4'", "'2001:db8::5'", "'2001:DB8:0:0:0:0:0:5'", "'fe80::'", "'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'",
		"'1:0:0:2::'",
	}
)

// Statements on tables with UUIDs and addresses, and columns to compare them with.
func TestDrawnAddresses(t *testing.T) {
	theirs, ours := maria(t), duramen(t)
	run := newRun(t, theirs, ours)
	run.kinds = slices.Concat(addresses, slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !strings.Contains(" c v i da e tx ", " "+k.name+" ") }))
	run.known = func(q question, theirs, ours answer) bool {
		// An error of types is found in another order, or told of an operator that MariaDB has put in place of the other; of the last row of a
		// ROLLUP MariaDB compares other bytes than those of the value.
		return strings.HasPrefix(theirs.failure, "4078/") && ours.failure != "" || strings.Contains(q.text(), "ROLLUP HAVING")
	}
	run.drawn(2_000_000)
}
