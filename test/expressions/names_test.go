package expressions

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/eval/function"
)

// bySyntax are functions that are not in the table of functions, since the grammar makes something else of them, with an expression that has one.
var bySyntax = map[string]string{
	"ADDDATE": "ADDDATE('2020-01-01', 1)", "DATE_ADD": "DATE_ADD('2020-01-01', INTERVAL 1 DAY)", "DATE_SUB": "DATE_SUB('2020-01-01', INTERVAL 1 DAY)",
	"SUBDATE": "SUBDATE('2020-01-01', 1)", "EXTRACT": "EXTRACT(YEAR FROM '2020-01-01')",
	"CAST": "CAST(1 AS CHAR)", "CURDATE": "CURDATE()", "CURTIME": "CURTIME()", "NOW": "NOW()", "SCHEMAS": "SCHEMA()",
}

// leftOut are functions of the server that are none of ours, by the reason.
var leftOut = map[string][]string{
	"aggregates and window functions are no expressions over a row": {
		"BIT_AND", "BIT_OR", "BIT_XOR", "COUNT", "CUME_DIST", "DENSE_RANK", "FIRST_VALUE", "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "LAG",
		"LEAD", "MAX", "MEDIAN", "MIN", "NTH_VALUE", "NTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENT_RANK", "RANK", "STD", "STDDEV",
		"STDDEV_POP", "STDDEV_SAMP", "SUM", "VARIANCE", "VAR_POP", "VAR_SAMP",
	},
	"dynamic columns":           {"COLUMN_CHECK", "COLUMN_EXISTS", "COLUMN_JSON", "COLUMN_LIST"},
	"XML":                       {"EXTRACTVALUE", "UPDATEXML"},
	"crypt(3)":                  {"ENCRYPT"},
	"keys in a file":            {"DES_DECRYPT", "DES_ENCRYPT"},
	"statistics of the server":  {"DECODE_HISTOGRAM"},
	"the fallback asks the log": {"BINLOG_GTID_POS"},
	"Galera":                    {"WSREP_LAST_SEEN_GTID", "WSREP_LAST_WRITTEN_GTID", "WSREP_SYNC_WAIT_UPTO_GTID"},
	"what views of sql_mode=ORACLE are printed with": {
		"DECODE_ORACLE", "LPAD_ORACLE", "LTRIM_ORACLE", "REPLACE_ORACLE", "RPAD_ORACLE", "RTRIM_ORACLE", "SUBSTR_ORACLE", "TRIM_ORACLE",
	},
}

// Every function of the server is one of ours, or is left out by name.
func TestNames(t *testing.T) {
	r, err := maria(t).conn.Execute("SELECT FUNCTION FROM information_schema.SQL_FUNCTIONS")
	require.NoError(t, err)
	defer r.Close()
	theirs := map[string]bool{}
	for i := range r.Values {
		name, err := r.GetString(i, 0)
		require.NoError(t, err)
		theirs[name] = true
	}
	require.NotEmpty(t, theirs)
	out := map[string]string{}
	for why, names := range leftOut {
		for _, name := range names {
			out[name] = why
		}
	}
	for name := range theirs {
		_, ours := function.Find(name)
		require.False(t, ours && out[name] != "", "%s is left out (%s), and is there", name, out[name])
		if example := bySyntax[name]; example != "" {
			require.Empty(t, Ours(Default, example).Error, name)
			continue
		}
		require.True(t, ours || out[name] != "", "%s is missing", name)
	}
	for name := range out {
		require.True(t, theirs[name], "%s is left out, but no server has it", name)
	}
	for name := range bySyntax {
		require.True(t, theirs[name], "no server has %s", name)
	}
}
