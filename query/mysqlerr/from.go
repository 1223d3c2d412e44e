package mysqlerr

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"syscall"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/duramendb/duramen/binlog"
	"github.com/duramendb/duramen/txn"
)

// From maps any error of a statement to what the client gets. nil stays nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if e := fromStorage(err); e != nil {
		return e.WithCause(err)
	}
	if e := fromKinds(err); e != nil {
		return e.WithCause(err)
	}
	var foreign *mysql.SQLError
	if errors.As(err, &foreign) {
		state := foreign.State
		if state == "" || state == "HY000" {
			state = State(uint16(foreign.Num))
		}
		return (&Error{Number: uint16(foreign.Num), State: state, Message: foreign.Message}).WithCause(err)
	}
	if e := fromText(err); e != nil {
		return e.WithCause(err)
	}
	cast := sql.CastSQLError(err)
	return (&Error{Number: uint16(cast.Num), State: State(uint16(cast.Num)), Message: cast.Message}).WithCause(err)
}

// fromStorage maps the sentinels and error types of the packages below SQL.
func fromStorage(err error) *Error {
	var dup *txn.DuplicateKeyError
	switch {
	case errors.Is(err, txn.ErrDeadlock):
		return New(LockDeadlock)
	case errors.Is(err, txn.ErrLockWaitTimeout), errors.Is(err, txn.ErrNoWait):
		return New(LockWaitTimeout)
	case errors.Is(err, txn.ErrReadOnly):
		return New(CantExecuteInReadOnlyTransaction)
	case errors.Is(err, txn.ErrRowChanged):
		return New(CheckRead, "")
	case errors.Is(err, txn.ErrTableChanged):
		return Newf(1412, "Table definition has changed, please retry transaction")
	case errors.Is(err, txn.ErrNoSavepoint):
		return New(SPDoesNotExist, "SAVEPOINT", "")
	case errors.Is(err, txn.ErrTooLarge):
		return Newf(1197, "Multi-statement transaction required more than 'max_binlog_cache_size' bytes of storage; increase this mariadbd variable and try again")
	case errors.Is(err, txn.ErrAutoIncrementExhausted):
		return Newf(1467, "Failed to read auto-increment value from storage engine")
	case errors.As(err, &dup):
		return New(DupEntryWithKeyName, "", keyName(dup)).as(DupEntry)
	case errors.Is(err, binlog.ErrNoSpace), errors.Is(err, syscall.ENOSPC):
		return New(DiskFull, "binlog", 28)
	case errors.Is(err, binlog.ErrPurged), errors.Is(err, binlog.ErrCorrupt):
		return New(MasterFatalErrorReadingBinlog, uint16(1236), err.Error())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return New(QueryInterrupted)
	case errors.Is(err, sqlparser.ErrEmpty):
		return New(EmptyQuery)
	}
	return nil
}

// as gives the error another number (and keeps the message): MariaDB sends 1062
// with the text of 1586.
func (e *Error) as(number uint16) *Error {
	e.Number, e.State = number, State(number)
	return e
}

func keyName(d *txn.DuplicateKeyError) string {
	if d.Index < 0 || d.Table == nil || d.Index >= len(d.Table.Indexes) {
		return "PRIMARY"
	}
	return d.Table.Indexes[d.Index].Def.Name
}

// kind is how one error kind of go-mysql-server is told to the client. A nil
// message keeps go-mysql-server's text.
type kind struct {
	kind   *goerrors.Kind
	number uint16
}

var kinds = []kind{
	{sql.ErrSyntaxError, Parse},
	{sql.ErrTableNotFound, NoSuchTable},
	{sql.ErrUnknownTable, BadTable},
	{sql.ErrTableAlreadyExists, TableExists},
	{sql.ErrDatabaseNotFound, BadDB},
	{sql.ErrDatabaseExists, DBCreateExists},
	{sql.ErrNoDatabaseSelected, NoDB},
	{sql.ErrColumnNotFound, BadField},
	{sql.ErrTableColumnNotFound, BadField},
	{sql.ErrUnknownColumn, BadField},
	{sql.ErrAmbiguousColumnName, NonUniq},
	{sql.ErrDuplicateAliasOrTable, NonUniqTable},
	{sql.ErrColumnExists, DupFieldName},
	{sql.ErrDuplicateColumn, DupFieldName},
	{sql.ErrDuplicateKey, DupKeyName},
	{sql.ErrPrimaryKeyViolation, DupEntry},
	{sql.ErrUniqueKeyViolation, DupEntry},
	{sql.ErrDuplicateEntry, DupEntry},
	{sql.ErrInsertIntoNonNullableProvidedNull, BadNull},
	{sql.ErrInsertIntoNonNullableDefaultNullColumn, NoDefaultForField},
	{sql.ErrInsertIntoMismatchValueCount, WrongValueCountOnRow},
	{sql.ErrColumnCountMismatch, WrongValueCountOnRow},
	{sql.ErrColumnSpecifiedTwice, FieldSpecifiedTwice},
	{sql.ErrForeignKeyChildViolation, NoReferencedRow2},
	{sql.ErrForeignKeyParentViolation, RowIsReferenced2},
	{sql.ErrForeignKeyDropTable, RowIsReferenced2},
	{sql.ErrTriggerTableInUse, CantUpdateUsedTableInSFOrTrg},
	{sql.ErrForeignKeyDropIndex, DropIndexFK},
	{sql.ErrForeignKeyMissingReferenceIndex, CantCreateTable},
	{sql.ErrForeignKeyColumnTypeMismatch, CantCreateTable},
	{sql.ErrCheckConstraintViolated, ConstraintFailed},
	{sql.ErrUnexpectedSeparator, WrongFieldTerminators},
	{types.ErrLengthBeyondLimit, DataTooLong},
	{types.ErrDataTruncatedForColumnAtRow, DataTruncated},
	{types.ErrConvertToDecimalLimit, WarnDataOutOfRange},
	{types.ErrBadCharsetString, TruncatedWrongValueForField},
	{sql.ErrCharSetFailedToEncode, TruncatedWrongValueForField},
	{sql.ErrValueOutOfRange, WarnDataOutOfRange},
	{sql.ErrInvalidValue, TruncatedWrongValueForField},
	{sql.ErrInvalidOperandColumns, OperandColumns},
	{sql.ErrExpectedSingleRow, SubqueryNo1Row},
	{sql.ErrFunctionNotFound, SPDoesNotExist},
	{sql.ErrStoredProcedureDoesNotExist, SPDoesNotExist},
	{sql.ErrStoredProcedureAlreadyExists, SPAlreadyExists},
	{sql.ErrTriggerDoesNotExist, TrgDoesNotExist},
	{sql.ErrUnknownSystemVariable, UnknownSystemVariable},
	{sql.ErrSystemVariableReadOnly, IncorrectGlobalLocalVar},
	{sql.ErrSystemVariableGlobalOnly, GlobalVariable},
	{sql.ErrSystemVariableSessionOnly, LocalVariable},
	{sql.ErrInvalidSystemVariableValue, WrongValueForVar},
	{sql.ErrInvalidType, WrongTypeForVar},
	{sql.ErrIndexIDAlreadyRegistered, DupKeyName},
	{sql.ErrViewDoesNotExist, UnknownView},
	{sql.ErrTruncateReferencedFromForeignKey, TruncateIllegalFK},
	{planbuilder.ErrUnionSchemasDifferentLength, WrongNumberOfColumnsInSelect},
	{planbuilder.ErrPrimaryKeyOnNullField, PrimaryCantHaveNull},
	{sql.ErrMultiplePrimaryKeysDefined, MultiplePriKey},
	{sql.ErrWrongAutoKey, WrongAutoKey},
	{sql.ErrInvalidAutoIncCols, WrongAutoKey},
	{sql.ErrGrantUserDoesNotExist, PasswordNoMatch},
	{sql.ErrKeyColumnDoesNotExist, KeyColumnDoesNotExist},
	{sql.ErrCantDropFieldOrKey, CantDropFieldOrKey},
	{sql.ErrCantDropIndex, DropIndexFK},
	{sql.ErrIncompatibleDefaultType, InvalidDefault},
	{sql.ErrInvalidColumnDefaultValue, InvalidDefault},
	{sql.ErrReadOnlyTransaction, CantExecuteInReadOnlyTransaction},
	{sql.ErrReadOnly, OptionPreventsStatement},
	{sql.ErrLockDeadlock, LockDeadlock},
	{sql.ErrCollationUnknown, UnknownCollation},
	{sql.ErrCollationIllegalMix, CantAggregate2Collations},
	{sql.ErrNonAggregatedColumnWithoutGroupBy, MixOfGroupFuncAndFields},
	{sql.ErrInvalidArgumentNumber, WrongParamcountToNativeFct},
	{sql.ErrUserCreationFailure, CannotUser},
	{sql.ErrUserDeletionFailure, CannotUser},
	{sql.ErrUserAlterFailure, CannotUser},
	{sql.ErrRoleCreationFailure, CannotUser},
	{sql.ErrRoleDeletionFailure, CannotUser},
	{sql.ErrPrivilegeCheckFailed, SpecificAccessDenied},
	{sql.ErrTableAccessDeniedForUser, TableAccessDenied},
	{sql.ErrDatabaseAccessDeniedForUser, DBAccessDenied},
	{sql.ErrUnknownPreparedStatement, UnknownStmtHandler},
	{sql.ErrUnsupportedFeature, NotSupportedYet},
	{sql.ErrUnsupportedSyntax, NotSupportedYet},
	{sql.ErrGeneratedColumnValue, FieldIsGenerated},
	{sql.ErrInvalidJSONText, JSONSyntax},
	{sql.ErrWrongDBName, WrongDBName},
	{sql.ErrTemporaryTableNotSupported, NotSupportedYet},
}

func fromKinds(err error) *Error {
	var insert sql.WrappedInsertError
	if errors.As(err, &insert) {
		return From(insert.Cause)
	}
	var conversion sql.WrappedTypeConversionError
	if errors.As(err, &conversion) {
		return From(conversion.Err)
	}
	var inner *goerrors.Error // kinds do not see through errors of package fmt
	if !errors.As(err, &inner) {
		return nil
	}
	for _, k := range kinds {
		if k.kind.Is(inner) {
			return &Error{Number: k.number, State: State(k.number), Message: wording(k.number, err)}
		}
	}
	return nil
}

var (
	tableName    = regexp.MustCompile(`table not found: (\S+?)(?:, maybe you mean.*)?$`)
	databaseName = regexp.MustCompile(`database not found: (\S+)`)
	columnName   = regexp.MustCompile(`column "([^"]*)" could not be found in any table in scope`)
	tableColumn  = regexp.MustCompile(`table "([^"]*)" does not have column "([^"]*)"`)
	ambiguous    = regexp.MustCompile(`ambiguous column name "([^"]*)"`)
	existing     = regexp.MustCompile(`table with name (\S+) already exists`)
	existingDB   = regexp.MustCompile(`can't create database (\S+?); database exists`)
	notNull      = regexp.MustCompile(`column name '([^']*)' is non-nullable but attempted to set a value of null`)
	tooLong      = regexp.MustCompile(`is too large for column '([^']*)'`)
	checkFailed  = regexp.MustCompile(`Check constraint "([^"]*)" violated`)
	noProcedure  = regexp.MustCompile(`stored procedure "([^"]*)" does not exist`)
	noFunction   = regexp.MustCompile(`function: '([^']*)' not found`)
	generated    = regexp.MustCompile(`generated column "([^"]*)" in table "([^"]*)"`)
	notEncoded   = regexp.MustCompile("^column (.*): failed to encode: .*, snippet: `(.*)`$")
	noDefault    = regexp.MustCompile(`Field '([^']*)' doesn't have a default value`)
)

// wording gives go-mysql-server's texts MariaDB's wording where programs are known
// to look at it; everything else passes as it is.
func wording(number uint16, err error) string {
	text := err.Error()
	sub := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(text) }
	switch number {
	case NoSuchTable:
		if m := sub(tableName); m != nil {
			db, name, ok := strings.Cut(m[1], ".")
			if !ok {
				return "Table '" + m[1] + "' doesn't exist"
			}
			return New(NoSuchTable, db, name).Message
		}
	case TruncatedWrongValueForField:
		if m := sub(notEncoded); m != nil {
			return "Incorrect string value: '" + m[2] + "' for column `" + m[1] + "`"
		}
	case BadDB:
		if m := sub(databaseName); m != nil {
			return New(BadDB, m[1]).Message
		}
	case BadField:
		if m := sub(columnName); m != nil {
			return New(BadField, m[1], "field list").Message
		}
		if m := sub(tableColumn); m != nil {
			return New(BadField, m[1]+"."+m[2], "field list").Message
		}
	case NonUniq:
		if m := sub(ambiguous); m != nil {
			return New(NonUniq, m[1], "field list").Message
		}
	case TableExists:
		if m := sub(existing); m != nil {
			return New(TableExists, m[1]).Message
		}
	case DBCreateExists:
		if m := sub(existingDB); m != nil {
			return New(DBCreateExists, m[1]).Message
		}
	case BadNull:
		if m := sub(notNull); m != nil {
			return New(BadNull, m[1]).Message
		}
	case FieldIsGenerated:
		if m := sub(generated); m != nil {
			return New(FieldIsGenerated, m[1], m[2]).Message
		}
	case NoDefaultForField:
		if m := sub(noDefault); m != nil {
			return New(NoDefaultForField, m[1]).Message
		}
	case DataTooLong:
		if m := sub(tooLong); m != nil {
			return New(DataTooLong, m[1], 1).Message
		}
	case ConstraintFailed:
		if m := sub(checkFailed); m != nil {
			// A column's constraint comes as \x00table\x00column (package tables).
			return "CONSTRAINT `" + strings.Join(strings.Split(strings.TrimPrefix(m[1], `\x00`), `\x00`), ".") + "` failed"
		}
	case SPDoesNotExist:
		if m := sub(noProcedure); m != nil {
			return New(SPDoesNotExist, "PROCEDURE", m[1]).Message
		}
		if m := sub(noFunction); m != nil {
			return New(SPDoesNotExist, "FUNCTION", m[1]).Message
		}
	case NoDB:
		return New(NoDB).Message
	case SubqueryNo1Row, WrongAutoKey, PasswordNoMatch:
		return New(number).Message
	}
	return text
}

// fromText recognises errors that go-mysql-server makes without a kind.
func fromText(err error) *Error {
	text := err.Error()
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "command denied to user"), strings.Contains(lower, "access denied"):
		return Newf(SpecificAccessDenied, "%s", text)
	case strings.Contains(lower, "syntax error"):
		return Newf(Parse, "%s", text)
	case strings.HasPrefix(lower, "can't drop database"):
		return Newf(DBDropExists, "%s", text)
	}
	return nil
}
