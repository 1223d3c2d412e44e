package assign_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/types"
	"github.com/duramendb/duramen/query/types/assign"
	"github.com/duramendb/duramen/query/types/temporal"
)

// Storing numbers and dates, and short texts, allocates nothing.
func TestNoAllocation(t *testing.T) {
	c := &assign.Context{Diag: &types.Diagnostics{Most: 64}, Row: 1, Zone: temporal.UTC, Now: started * 1_000_000}
	columns := columns()
	byName := func(def string) *column {
		for i := range columns {
			if columns[i].def == def {
				return &columns[i]
			}
		}
		t.Fatal(def)
		return nil
	}
	for _, p := range []struct {
		value value
		def   string
	}{
		{intValue(5), "INT"}, {floatValue("2.5e0"), "BIGINT"}, {decValue("12.50"), "DECIMAL(5,2)"}, {intValue(7), "DECIMAL(5,2)"},
		{intValue(7), "DOUBLE"}, {textValue("utf8mb4_general_ci", "12"), "INT"}, {textValue("utf8mb4_general_ci", "12.5"), "DECIMAL(5,2)"},
		{timeValue(types.Datetime, "2020-01-01 10:11:12"), "DATETIME(3)"}, {textValue("utf8mb4_general_ci", "2020-01-01 10:11:12"), "TIMESTAMP(0)"},
		{intValue(20200101), "DATE"}, {textValue("utf8mb4_general_ci", "10:11:12"), "TIME(6)"}, {intValue(2020), "YEAR"}, {intValue(3), "BIT(5)"},
		{textValue("utf8mb4_general_ci", "日本"), "VARCHAR(5) CHARACTER SET utf8mb4"}, {intValue(12345), "VARCHAR(5) CHARACTER SET latin1"},
	} {
		a, err := assign.New(0, byName(p.def).named("t", false), p.value.from)
		require.NoError(t, err)
		n := testing.AllocsPerRun(100, func() {
			c.Reset()
			if _, ok := a.Assign(c, p.value.v); !ok {
				t.Fatal(c.Diag.Failed())
			}
		})
		require.Zero(t, n, "%s INTO %s", p.value.sql, p.def)
	}
	require.Empty(t, c.Diag.Conditions)
}

// A time that the clock skips is the moment of the skip; that is an error if warnings are.
func TestSkippedTime(t *testing.T) {
	zone, err := temporal.ParseZone("Europe/Berlin")
	require.NoError(t, err)
	column := &assign.Column{Type: types.TemporalType(types.Timestamp, 0), Database: "d", Table: "t", Name: "c"}
	v := textValue("utf8mb4_general_ci", "2021-03-28 02:30:00x")
	a, err := assign.New(0, column, v.from)
	require.NoError(t, err)

	c := &assign.Context{Diag: &types.Diagnostics{Most: 64}, Row: 2, Zone: zone}
	stored, ok := a.Assign(c, v.v)
	require.True(t, ok)
	require.Equal(t, "2021-03-28 03:00:00", string(temporal.AppendDateTime(nil, stored.Time, 0)))
	require.Equal(t, int64(1616893200_000000), stored.Int)
	require.Equal(t, []types.Condition{
		{Level: types.Warning, Number: 1299, Message: "Invalid TIMESTAMP value in column 'c' at row 2"},
	}, c.Diag.Conditions)

	c.Diag = &types.Diagnostics{Most: 64, Strict: func(uint16) bool { return true }}
	_, ok = a.Assign(c, v.v)
	require.False(t, ok)
	require.Equal(t, "Incorrect datetime value: '2021-03-28 02:30:00x' for column `d`.`t`.`c` at row 2", c.Diag.Failed().Message)
}

// An address is read as it was written.
func TestAddressText(t *testing.T) {
	for _, p := range []struct {
		kind       types.Kind
		text, want string
	}{
		{types.UUID, "123E4567E89B12D3A456426655440000", "123e4567-e89b-12d3-a456-426655440000"}, {types.Inet4, "01.2.3.255", "1.2.3.255"},
		{types.Inet6, "0:0:0:0:0:0:0:1", "::1"}, {types.Inet6, "1:0:0:2::", "1:0:0:2::"}, {types.Inet6, "::ffff:1.2.3.4", "::ffff:1.2.3.4"},
	} {
		b, ok := assign.ParseAddress(nil, p.kind, []byte(p.text))
		require.True(t, ok, p.text)
		require.Equal(t, p.want, string(assign.AppendAddress(nil, p.kind, b)))
	}
	for _, s := range []string{"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:", "g::", "::1.2.3", "1::2::"} {
		_, ok := assign.ParseAddress(nil, types.Inet6, []byte(s))
		require.False(t, ok, s)
	}
}
