package gmserr

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	"github.com/stretchr/testify/require"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/txn"
)

// TestFrom maps one error of each source; the numbers and states are MariaDB's.
func TestFrom(t *testing.T) {
	require.Nil(t, From(nil))
	for _, c := range []struct {
		err    error
		number uint16
		state  string
	}{
		{txn.ErrDeadlock, 1213, "40001"},
		{mysqlerr.New(mysqlerr.ConnectionKilled), 1927, "70100"},
		{fmt.Errorf("outer: %w", mysqlerr.New(mysqlerr.ConCount)), 1040, "08004"},
		{sqlparser.ErrEmpty, 1065, "42000"},
		{sql.NewWrappedInsertError(sql.Row{}, sql.ErrPrimaryKeyViolation.New("x")), 1062, "23000"},
		{sql.NewWrappedInsertError(sql.Row{}, txn.ErrLockWaitTimeout), 1205, "HY000"},
		{sql.ErrSyntaxError.New("x"), 1064, "42000"},
		{mysql.NewSQLError(1062, "", "dup"), 1062, "23000"},
		{errors.New("syntax error at position 3"), 1064, "42000"},
		{errors.New("Access denied for user 'a'"), 1227, "42000"},
		{errors.New("can't drop database d; database doesn't exist"), 1008, "HY000"},
		{sql.ErrInvalidColumnSpecifier.New("a"), 1063, "42000"},
		{errors.New("anything"), 1105, "HY000"},
		{errors.New("expected insert destination to be resolved or unresolved table"), 1235, "42000"},
		{sql.ErrUnsupportedFeature.New("x"), 1235, "42000"},
		{errors.New("exhausted fetch iterator"), 1329, "02000"},
		{errors.New("Duplicate CHECK constraint name 'x'"), 1826, "HY000"},
	} {
		e := From(c.err)
		require.EqualValues(t, c.number, e.Number, "%v", c.err)
		require.Equal(t, c.state, e.State, "%v", c.err)
	}
	require.ErrorIs(t, From(txn.ErrDeadlock), txn.ErrDeadlock, "the cause stays")
}

// TestKinds: each kind of the table is recognised, also inside of another error.
func TestKinds(t *testing.T) {
	for _, k := range kinds {
		err := k.kind.New("a", "b", "c", "d")
		require.Equal(t, k.number, From(err).Number, "%v", err)
		require.Equal(t, k.number, From(fmt.Errorf("within: %w", err)).Number, "%v", err)
	}
}

// TestWords holds each pattern that is looked for against what go-mysql-server says, as it says it.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{sql.ErrTableNotFound.New("d.t"), "Table 'd.t' doesn't exist"},
		{sql.ErrTableNotFound.New("t"), "Table 't' doesn't exist"},
		{sql.ErrTableNotFound.New("t, maybe you mean u?"), "Table 't' doesn't exist"},
		{sql.ErrDatabaseNotFound.New("d"), "Unknown database 'd'"},
		{sql.ErrColumnNotFound.New("c"), "Unknown column 'c' in 'field list'"},
		{sql.ErrTableColumnNotFound.New("t", "c"), "Unknown column 't.c' in 'field list'"},
		{sql.ErrAmbiguousColumnName.New("c", []string{"t", "u"}), "Column 'c' in field list is ambiguous"},
		{sql.ErrTableAlreadyExists.New("t"), "Table 't' already exists"},
		{sql.ErrDatabaseExists.New("d"), "Can't create database 'd'; database exists"},
		{sql.ErrInsertIntoNonNullableProvidedNull.New("c"), "Column 'c' cannot be null"},
		{sql.ErrInsertIntoNonNullableDefaultNullColumn.New("c"), "Field 'c' doesn't have a default value"},
		{types.ErrLengthBeyondLimit.New("long", "c"), "Data too long for column 'c' at row 1"},
		{sql.ErrCheckConstraintViolated.New("k"), "CONSTRAINT `k` failed"},
		{sql.ErrCheckConstraintViolated.New("\x00t\x00c"), "CONSTRAINT `t.c` failed"},
		{sql.ErrStoredProcedureDoesNotExist.New("p"), "PROCEDURE p does not exist"},
		{sql.ErrFunctionNotFound.New("f"), "FUNCTION f does not exist"},
		{sql.ErrGeneratedColumnValue.New("c", "t"), mysqlerr.New(mysqlerr.FieldIsGenerated, "c", "t").Message},
		{fmt.Errorf("column c: %w", sql.ErrCharSetFailedToEncode.New("latin1", true, "\\xE2")), "Incorrect string value: '\\xE2' for column `c`"},
		{sql.ErrNoDatabaseSelected.New(), "No database selected"},
		{sql.ErrExpectedSingleRow.New(), "Subquery returns more than 1 row"},
	} {
		require.Equal(t, c.want, From(c.err).Message, "%v", c.err)
	}
	for _, kind := range []error{
		sql.ErrForeignKeyChildViolation.New("fk", "child", "parent", "[1]"), sql.ErrForeignKeyParentViolation.New("fk", "child", "parent", "[1]"),
	} {
		key, table, ok := ViolatedKey(From(kind).Message)
		require.True(t, ok, "%v", kind)
		require.Equal(t, []string{"fk", "child"}, []string{key, table})
	}
	_, _, ok := ViolatedKey("on fk: nothing")
	require.False(t, ok)
}
