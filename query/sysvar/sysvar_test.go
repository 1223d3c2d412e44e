package sysvar

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// nullByDefault are NULL in MariaDB unless they are set.
var nullByDefault = map[string]bool{
	"secure_file_priv": true, "default_tmp_storage_engine": true, "enforce_storage_engine": true, "external_user": true, "proxy_user": true,
	"report_host": true, "report_password": true, "report_user": true,
}

func TestDefinitions(t *testing.T) {
	require.Greater(t, len(All()), 400)
	for _, d := range All() {
		text, null := d.Format(d.Default)
		require.Equal(t, nullByDefault[d.Name], null, d.Name)
		v, err := d.Convert(t.Context(), d.Default)
		require.NoError(t, err, d.Name)
		again, _ := d.Format(v)
		require.Equal(t, text, again, "the default of %s is a value of it", d.Name)
	}
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		name  string
		value any
		want  any // nil for an error
	}{
		{"default_storage_engine", "x", "x"},
		{"default_storage_engine", []byte("x"), "x"},
		{"default_storage_engine", 5, nil},
		{"default_storage_engine", true, nil},
		{"max_connections", int64(5), uint64(10)},
		{"max_connections", int64(-5), uint64(10)},
		{"max_connections", uint64(500), uint64(500)},
		{"max_binlog_size", int64(4097), uint64(4096)},
		{"max_binlog_size", uint64(1) << 40, uint64(1073741824)},
		{"read_buffer_size", int64(8200), uint64(8192)},
		{"read_buffer_size", int64(1) << 40, uint64(2147479552)},
		{"key_buffer_size", int64(0), uint64(0)},
		{"max_connections", "500", nil},
		{"max_connections", nil, nil},
		{"autocommit", "off", int8(0)},
		{"autocommit", true, int8(1)},
		{"autocommit", int64(7), nil},
		{"binlog_row_image", "minimal", "MINIMAL"},
		{"binlog_row_image", int64(2), "FULL"},
		{"binlog_row_image", "none", nil},
		{"sql_mode", "strict_all_tables,ansi_quotes", "ANSI_QUOTES,STRICT_ALL_TABLES"},
		{"sql_mode", "ansi", "REAL_AS_FLOAT,PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,ANSI"},
		{"sql_mode", "mssql", "PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,MSSQL,NO_KEY_OPTIONS,NO_TABLE_OPTIONS,NO_FIELD_OPTIONS"},
		{"sql_mode", "maxdb", "PIPES_AS_CONCAT,ANSI_QUOTES,IGNORE_SPACE,MAXDB,NO_KEY_OPTIONS,NO_TABLE_OPTIONS,NO_FIELD_OPTIONS,NO_AUTO_CREATE_USER"},
		{"sql_mode", "mysql40", "MYSQL40,HIGH_NOT_PRECEDENCE"},
		{"sql_mode", int64(4), "ANSI_QUOTES"},
		{"sql_mode", "", ""},
		{"sql_mode", "nothing", nil},
		{"long_query_time", 0.5, 0.5},
		{"max_user_connections", int64(-1), int64(-1)},
		{"time_zone", "+01:00", "+01:00"},
		{"autocommit", decimal(1), int8(1)},
		{"autocommit", decimal(0.5), nil},
		{"autocommit", uint64(1), int8(1)},
		{"binlog_row_image", decimal(1), "NOBLOB"},
		{"binlog_row_image", int64(3), nil},
		{"binlog_row_image", true, nil},
		{"long_query_time", decimal(2.5), 2.5},
		{"long_query_time", uint64(3), 3.0},
		{"long_query_time", math.NaN(), nil},
		{"max_user_connections", 1.0, int64(1)},
		{"max_user_connections", 1.5, nil},
		{"max_user_connections", uint64(math.MaxUint64), int64(math.MaxInt32)},
	} {
		d, ok := Lookup(c.name)
		require.True(t, ok, c.name)
		got, err := d.Convert(t.Context(), c.value)
		if c.want == nil {
			require.Error(t, err, "%s = %v", c.name, c.value)
			continue
		}
		require.NoError(t, err, "%s = %v", c.name, c.value)
		require.Equal(t, c.want, got, "%s = %v", c.name, c.value)
	}
}

// decimal is a number that comes as neither of Go's.
type decimal float64

func (d decimal) Float64() (float64, error) { return float64(d), nil }

// warned is the context of a statement that takes warnings.
type warned struct {
	context.Context
	codes []int
}

func (w *warned) Warn(code int, _ string, _ ...any) { w.codes = append(w.codes, code) }

// TestCut: a number outside of the range is cut to it, with a warning where somebody takes it.
func TestCut(t *testing.T) {
	w := &warned{Context: context.Background()}
	s := NewGlobals().NewSession()
	for name, c := range map[string][2]any{
		"max_error_count":      {int64(1 << 40), uint64(65535)},
		"max_user_connections": {int64(-7), int64(-1)},
		"lock_wait_timeout":    {int64(-1), uint64(0)},
		"long_query_time":      {1e12, 31536000.0},
		"group_concat_max_len": {int64(1), uint64(4)},
		"default_week_format":  {int64(9), uint64(7)},
	} {
		w.codes = nil
		d, ok := Lookup(name)
		require.True(t, ok, name)
		got, err := d.Convert(w, c[0])
		require.NoError(t, err, name)
		require.Equal(t, c[1], got, name)
		require.Equal(t, []int{1292}, w.codes, name)
		_, err = d.Convert(context.Background(), c[0])
		require.NoError(t, err, name)
	}
	require.Error(t, s.Set(w, "windowing_use_high_precision", 1), "nobody has it here")
}

func TestSQLModeBits(t *testing.T) {
	require.EqualValues(t, 0, SQLModeBits(""))
	require.EqualValues(t, 1<<2, SQLModeBits("ANSI_QUOTES"))
	require.EqualValues(t, 1<<21, SQLModeBits("STRICT_TRANS_TABLES"))
}

func TestScopes(t *testing.T) {
	g := NewGlobals()
	require.NoError(t, g.Configure("port", uint64(1234)))
	require.EqualValues(t, 1234, g.Uint("port"))
	require.Error(t, g.Set(t.Context(), "port", uint64(1)), "read only")
	require.Error(t, g.Set(t.Context(), "last_insert_id", uint64(1)), "session only")
	require.Error(t, g.Configure("nothing", 1))

	s := g.NewSession()
	require.Error(t, s.Set(t.Context(), "sync_binlog", uint64(0)), "global only")
	require.NoError(t, s.Set(t.Context(), "tx_isolation", "READ-COMMITTED"))
	require.Equal(t, "READ-COMMITTED", s.Str("transaction_isolation"), "two names of one variable")
	require.Equal(t, "REPEATABLE-READ", g.Str("tx_isolation"))
	require.NoError(t, g.Set(t.Context(), "tx_isolation", "SERIALIZABLE"))
	require.Equal(t, "READ-COMMITTED", s.Str("tx_isolation"))
	require.Equal(t, "SERIALIZABLE", g.NewSession().Str("tx_isolation"))
	d, _ := Lookup("timestamp")
	s.Computed("timestamp", func() any { return 7.0 })
	require.Equal(t, 7.0, s.Value(d))
	require.Equal(t, 0.0, s.Stored(d), "what it is set to, not what it shows")
	v, ok := s.Default("tx_isolation")
	require.True(t, ok)
	require.Equal(t, "SERIALIZABLE", v, "DEFAULT is the global value")
}
