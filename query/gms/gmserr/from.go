package gmserr

import (
	"errors"
	"regexp"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer/analyzererrors"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
	goerrors "gopkg.in/src-d/go-errors.v1"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/mysqlerr/storage"
	"github.com/duramendb/duramen/query/sysvar"
	"github.com/duramendb/duramen/query/types/charset"
)

// From maps any error of a statement to what the client gets. nil stays nil.
func From(err error) *mysqlerr.Error {
	if err == nil {
		return nil
	}
	var own *mysqlerr.Error
	if errors.As(err, &own) {
		return own
	}
	if errors.Is(err, sqlparser.ErrEmpty) {
		return mysqlerr.New(mysqlerr.EmptyQuery).WithCause(err)
	}
	if e := storage.Error(err); e != nil {
		return e.WithCause(err)
	}
	if expression.ErrIndexOutOfBounds.Is(err) { // a plan that it has made wrongly
		return mysqlerr.NotYet("this statement").WithCause(err)
	}
	if viewOnly(err) {
		return mysqlerr.NotYet("a change of rows through such a view").WithCause(err)
	}
	if analyzererrors.ErrUnionSchemasMatch.Is(err) {
		return mysqlerr.NotYet("a set operation of several queries whose columns are of different types; CAST them to one").WithCause(err)
	}
	if e := fromKinds(err); e != nil {
		return e.WithCause(err)
	}
	var foreign *mysql.SQLError
	if errors.As(err, &foreign) {
		state := foreign.State
		if state == "" || state == "HY000" {
			state = mysqlerr.State(uint16(foreign.Num))
		}
		return (&mysqlerr.Error{Number: uint16(foreign.Num), State: state, Message: foreign.Message}).WithCause(err)
	}
	if e := fromText(err); e != nil {
		return e.WithCause(err)
	}
	if e := fromWords(err.Error()); e != nil {
		return e.WithCause(err)
	}
	cast := sql.CastSQLError(err)
	if cast.Num == int(mysqlerr.UnknownError) && itsOwn(err) {
		return mysqlerr.NotYet("this statement (" + shortened(cast.Message) + ")").WithCause(err)
	}
	return (&mysqlerr.Error{Number: uint16(cast.Num), State: mysqlerr.State(uint16(cast.Num)), Message: cast.Message}).WithCause(err)
}

// viewOnly reports whether an error says that rows were to be changed through a view: SQL of our own does that where it understands the view.
func viewOnly(err error) bool {
	switch err.Error() {
	case "expected insert destination to be resolved or unresolved table", "table doesn't support UPDATE", "table doesn't support DELETE FROM":
		return true
	}
	return false
}

// kind is how one error kind of go-mysql-server is told to the client. A nil
// message keeps go-mysql-server's text.
type kind struct {
	kind   *goerrors.Kind
	number uint16
}

var kinds = []kind{
	{sql.ErrSyntaxError, mysqlerr.Parse},
	{sql.ErrTableNotFound, mysqlerr.NoSuchTable},
	{sql.ErrUnknownTable, mysqlerr.BadTable},
	{sql.ErrTableAlreadyExists, mysqlerr.TableExists},
	{sql.ErrDatabaseNotFound, mysqlerr.BadDB},
	{sql.ErrDatabaseExists, mysqlerr.DBCreateExists},
	{sql.ErrNoDatabaseSelected, mysqlerr.NoDB},
	{sql.ErrColumnNotFound, mysqlerr.BadField},
	{sql.ErrTableColumnNotFound, mysqlerr.BadField},
	{sql.ErrUnknownColumn, mysqlerr.BadField},
	{sql.ErrAmbiguousColumnName, mysqlerr.NonUniq},
	{sql.ErrDuplicateAliasOrTable, mysqlerr.NonUniqTable},
	{sql.ErrColumnExists, mysqlerr.DupFieldName},
	{sql.ErrDuplicateColumn, mysqlerr.DupFieldName},
	{sql.ErrDuplicateKey, mysqlerr.DupKeyName},
	{sql.ErrPrimaryKeyViolation, mysqlerr.DupEntry},
	{sql.ErrUniqueKeyViolation, mysqlerr.DupEntry},
	{sql.ErrDuplicateEntry, mysqlerr.DupEntry},
	{sql.ErrInsertIntoNonNullableProvidedNull, mysqlerr.BadNull},
	{sql.ErrInsertIntoNonNullableDefaultNullColumn, mysqlerr.NoDefaultForField},
	{sql.ErrInsertIntoMismatchValueCount, mysqlerr.WrongValueCountOnRow},
	{sql.ErrColumnCountMismatch, mysqlerr.WrongValueCountOnRow},
	{sql.ErrNoFullTextIndexFound, mysqlerr.FTMatchingKeyNotFound},
	{sql.ErrColumnSpecifiedTwice, mysqlerr.FieldSpecifiedTwice},
	{sql.ErrForeignKeyChildViolation, mysqlerr.NoReferencedRow2},
	{sql.ErrForeignKeyNotResolved, mysqlerr.NoReferencedRow2},
	{sql.ErrForeignKeyParentViolation, mysqlerr.RowIsReferenced2},
	{sql.ErrForeignKeyDropTable, mysqlerr.RowIsReferenced2},
	{sql.ErrTriggerTableInUse, mysqlerr.CantUpdateUsedTableInSFOrTrg},
	{sql.ErrForeignKeyDropIndex, mysqlerr.DropIndexFK},
	{sql.ErrForeignKeyMissingReferenceIndex, mysqlerr.CantCreateTable},
	{sql.ErrForeignKeyColumnTypeMismatch, mysqlerr.CantCreateTable},
	{sql.ErrCheckConstraintViolated, mysqlerr.ConstraintFailed},
	{sql.ErrUnexpectedSeparator, mysqlerr.WrongFieldTerminators},
	{types.ErrLengthBeyondLimit, mysqlerr.DataTooLong},
	{types.ErrDataTruncatedForColumnAtRow, mysqlerr.DataTruncated},
	{types.ErrDataTruncatedForColumn, mysqlerr.DataTruncated},
	{types.ErrConvertToDecimalLimit, mysqlerr.WarnDataOutOfRange},
	{types.ErrBadCharsetString, mysqlerr.TruncatedWrongValueForField},
	{sql.ErrCharSetFailedToEncode, mysqlerr.TruncatedWrongValueForField},
	{sql.ErrValueOutOfRange, mysqlerr.WarnDataOutOfRange},
	{sql.ErrInvalidValue, mysqlerr.TruncatedWrongValueForField},
	{sql.ErrInvalidOperandColumns, mysqlerr.OperandColumns},
	{sql.ErrExpectedSingleRow, mysqlerr.SubqueryNo1Row},
	{sql.ErrFunctionNotFound, mysqlerr.SPDoesNotExist},
	{sql.ErrStoredProcedureDoesNotExist, mysqlerr.SPDoesNotExist},
	{sql.ErrStoredProcedureAlreadyExists, mysqlerr.SPAlreadyExists},
	{sql.ErrInvalidRefInView, mysqlerr.ViewInvalid},
	{sql.ErrTriggerDoesNotExist, mysqlerr.TrgDoesNotExist},
	{sql.ErrUnknownSystemVariable, mysqlerr.UnknownSystemVariable},
	{sql.ErrSystemVariableReadOnly, mysqlerr.IncorrectGlobalLocalVar},
	{sql.ErrSystemVariableGlobalOnly, mysqlerr.GlobalVariable},
	{sql.ErrSystemVariableSessionOnly, mysqlerr.LocalVariable},
	{sql.ErrInvalidSystemVariableValue, mysqlerr.WrongValueForVar},
	{sql.ErrInvalidTimeZone, mysqlerr.UnknownTimeZone},
	{sql.ErrInvalidType, mysqlerr.WrongTypeForVar},
	{sql.ErrIndexIDAlreadyRegistered, mysqlerr.DupKeyName},
	{sql.ErrViewDoesNotExist, mysqlerr.UnknownView},
	{sql.ErrTruncateReferencedFromForeignKey, mysqlerr.TruncateIllegalFK},
	{planbuilder.ErrUnionSchemasDifferentLength, mysqlerr.WrongNumberOfColumnsInSelect},
	{planbuilder.ErrPrimaryKeyOnNullField, mysqlerr.PrimaryCantHaveNull},
	{sql.ErrMultiplePrimaryKeysDefined, mysqlerr.MultiplePriKey},
	{sql.ErrWrongAutoKey, mysqlerr.WrongAutoKey},
	{sql.ErrInvalidColumnSpecifier, mysqlerr.WrongFieldSpec},
	{sql.ErrInvalidAutoIncCols, mysqlerr.WrongAutoKey},
	{sql.ErrGrantUserDoesNotExist, mysqlerr.PasswordNoMatch},
	{sql.ErrKeyColumnDoesNotExist, mysqlerr.KeyColumnDoesNotExist},
	{sql.ErrCantDropFieldOrKey, mysqlerr.CantDropFieldOrKey},
	{sql.ErrCantDropIndex, mysqlerr.DropIndexFK},
	{sql.ErrIncompatibleDefaultType, mysqlerr.InvalidDefault},
	{sql.ErrInvalidColumnDefaultValue, mysqlerr.InvalidDefault},
	{sql.ErrReadOnlyTransaction, mysqlerr.CantExecuteInReadOnlyTransaction},
	{sql.ErrReadOnly, mysqlerr.OptionPreventsStatement},
	{sql.ErrLockDeadlock, mysqlerr.LockDeadlock},
	{sql.ErrCollationUnknown, mysqlerr.UnknownCollation},
	{sql.ErrCollationIllegalMix, mysqlerr.CantAggregate2Collations},
	{sql.ErrNonAggregatedColumnWithoutGroupBy, mysqlerr.MixOfGroupFuncAndFields},
	{sql.ErrInvalidArgumentNumber, mysqlerr.WrongParamcountToNativeFct},
	{sql.ErrUserCreationFailure, mysqlerr.CannotUser},
	{sql.ErrUserDeletionFailure, mysqlerr.CannotUser},
	{sql.ErrUserAlterFailure, mysqlerr.CannotUser},
	{sql.ErrRoleCreationFailure, mysqlerr.CannotUser},
	{sql.ErrRoleDeletionFailure, mysqlerr.CannotUser},
	{sql.ErrPrivilegeCheckFailed, mysqlerr.SpecificAccessDenied},
	{sql.ErrTableAccessDeniedForUser, mysqlerr.TableAccessDenied},
	{sql.ErrDatabaseAccessDeniedForUser, mysqlerr.DBAccessDenied},
	{sql.ErrUnknownPreparedStatement, mysqlerr.UnknownStmtHandler},
	{sql.ErrUnsupportedFeature, mysqlerr.NotSupportedYet},
	{sql.ErrUnsupportedSyntax, mysqlerr.NotSupportedYet},
	{sql.ErrGeneratedColumnValue, mysqlerr.FieldIsGenerated},
	{sql.ErrInvalidJSONText, mysqlerr.JSONSyntax},
	{sql.ErrWrongDBName, mysqlerr.WrongDBName},
	{sql.ErrTemporaryTableNotSupported, mysqlerr.NotSupportedYet},
}

func fromKinds(err error) *mysqlerr.Error {
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
			if other := another(k.number, inner); other != nil {
				return other
			}
			return &mysqlerr.Error{Number: k.number, State: mysqlerr.State(k.number), Message: wording(k.number, err)}
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

	unknownCollation = regexp.MustCompile(`Unknown collation: (\S+)$`)
)

// wording gives go-mysql-server's texts MariaDB's wording where programs are known
// to look at it; everything else passes as it is.
func wording(number uint16, err error) string {
	text := err.Error()
	sub := func(re *regexp.Regexp) []string { return re.FindStringSubmatch(text) }
	switch number {
	case mysqlerr.TrgDoesNotExist: // it names nothing
		return mysqlerr.New(number).Message
	case mysqlerr.NoSuchTable:
		if m := sub(tableName); m != nil {
			db, name, ok := strings.Cut(m[1], ".")
			if !ok {
				return "Table '" + m[1] + "' doesn't exist"
			}
			return mysqlerr.New(mysqlerr.NoSuchTable, db, name).Message
		}
	case mysqlerr.TruncatedWrongValueForField:
		if m := sub(notEncoded); m != nil {
			return "Incorrect string value: '" + m[2] + "' for column `" + m[1] + "`"
		}
	case mysqlerr.BadDB:
		if m := sub(databaseName); m != nil {
			return mysqlerr.New(mysqlerr.BadDB, m[1]).Message
		}
	case mysqlerr.BadField:
		if m := sub(columnName); m != nil {
			return mysqlerr.New(mysqlerr.BadField, m[1], "field list").Message
		}
		if m := sub(tableColumn); m != nil {
			return mysqlerr.New(mysqlerr.BadField, m[1]+"."+m[2], "field list").Message
		}
	case mysqlerr.NonUniq:
		if m := sub(ambiguous); m != nil {
			return mysqlerr.New(mysqlerr.NonUniq, m[1], "field list").Message
		}
	case mysqlerr.TableExists:
		if m := sub(existing); m != nil {
			return mysqlerr.New(mysqlerr.TableExists, m[1]).Message
		}
	case mysqlerr.DBCreateExists:
		if m := sub(existingDB); m != nil {
			return mysqlerr.New(mysqlerr.DBCreateExists, m[1]).Message
		}
	case mysqlerr.BadNull:
		if m := sub(notNull); m != nil {
			return mysqlerr.New(mysqlerr.BadNull, m[1]).Message
		}
	case mysqlerr.FieldIsGenerated:
		if m := sub(generated); m != nil {
			return mysqlerr.New(mysqlerr.FieldIsGenerated, m[1], m[2]).Message
		}
	case mysqlerr.NoDefaultForField:
		if m := sub(noDefault); m != nil {
			return mysqlerr.New(mysqlerr.NoDefaultForField, m[1]).Message
		}
	case mysqlerr.DataTooLong:
		if m := sub(tooLong); m != nil {
			return mysqlerr.New(mysqlerr.DataTooLong, m[1], 1).Message
		}
	case mysqlerr.ConstraintFailed:
		if m := sub(checkFailed); m != nil {
			// A column's constraint comes as \x00table\x00column (package tables).
			return "CONSTRAINT `" + strings.Join(strings.Split(strings.TrimPrefix(m[1], `\x00`), `\x00`), ".") + "` failed"
		}
	case mysqlerr.SPDoesNotExist:
		if m := sub(noProcedure); m != nil {
			return mysqlerr.New(mysqlerr.SPDoesNotExist, "PROCEDURE", m[1]).Message
		}
		if m := sub(noFunction); m != nil {
			return mysqlerr.New(mysqlerr.SPDoesNotExist, "FUNCTION", m[1]).Message
		}
	case mysqlerr.NoReferencedRow2:
		if rest, ok := strings.CutPrefix(text, "cannot add"); ok { // the table that it references is missing
			return "Cannot add" + rest
		}
	case mysqlerr.NoDB:
		return mysqlerr.New(mysqlerr.NoDB).Message
	case mysqlerr.SubqueryNo1Row, mysqlerr.WrongAutoKey, mysqlerr.PasswordNoMatch:
		return mysqlerr.New(number).Message
	}
	return text
}

// fromText recognises errors that go-mysql-server makes without a kind.
func fromText(err error) *mysqlerr.Error {
	text := err.Error()
	lower := strings.ToLower(text)
	switch {
	case strings.Contains(lower, "command denied to user"), strings.Contains(lower, "access denied"):
		return mysqlerr.Newf(mysqlerr.SpecificAccessDenied, "%s", text)
	case strings.Contains(lower, "syntax error"):
		return mysqlerr.Newf(mysqlerr.Parse, "%s", text)
	case strings.HasPrefix(lower, "can't drop database"):
		return mysqlerr.Newf(mysqlerr.DBDropExists, "%s", text)
	}
	return nil
}

var violatedKey = regexp.MustCompile("on fk: `([^`]+)`, table: `([^`]+)`")

// ViolatedKey finds the foreign key, and the table that it belongs to, in the text of the error that a row violates it.
func ViolatedKey(message string) (key, table string, ok bool) {
	m := violatedKey.FindStringSubmatch(message)
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

var badValue = regexp.MustCompile(`^Variable '(.*?)' can't be set to the value of '`)

// another is what is said instead of a kind's own error: of a collation that go-mysql-server does not know and this server does, and of a value of a wrong type for
// a variable. nil: the kind's own.
func another(number uint16, err error) *mysqlerr.Error {
	switch number {
	case mysqlerr.UnknownCollation:
		if m := unknownCollation.FindStringSubmatch(err.Error()); m != nil {
			if c, ok := charset.ByName(m[1]); ok {
				return mysqlerr.NotYet("this statement with collation " + c.Name())
			}
		}
	case mysqlerr.WrongValueForVar:
		if m := badValue.FindStringSubmatch(err.Error()); m != nil {
			if d, ok := sysvar.Lookup(m[1]); ok && (d.Kind == sysvar.Uint || d.Kind == sysvar.Int || d.Kind == sysvar.Double) {
				return mysqlerr.New(mysqlerr.WrongTypeForVar, d.Name)
			}
		}
	}
	return nil
}
