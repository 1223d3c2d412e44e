package mysqlerr

// The numbers are MariaDB's (their ER_ names with another spelling); the texts
// are what a MariaDB 10.11 client sees, with %v for every argument. Numbers are
// part of the protocol: drivers pick exception classes by number and SQLSTATE.
const (
	CantCreateTable                  uint16 = 1005
	DBCreateExists                   uint16 = 1007
	DBDropExists                     uint16 = 1008
	CheckRead                        uint16 = 1020
	DiskFull                         uint16 = 1021
	DupKey                           uint16 = 1022
	ErrorOnRead                      uint16 = 1024
	GetErrno                         uint16 = 1030
	KeyNotFound                      uint16 = 1032
	OpenAsReadonly                   uint16 = 1036
	OutOfMemory                      uint16 = 1037
	ConCount                         uint16 = 1040
	OutOfResources                   uint16 = 1041
	BadHost                          uint16 = 1042
	Handshake                        uint16 = 1043
	DBAccessDenied                   uint16 = 1044
	AccessDenied                     uint16 = 1045
	NoDB                             uint16 = 1046
	UnknownCom                       uint16 = 1047
	BadNull                          uint16 = 1048
	BadDB                            uint16 = 1049
	TableExists                      uint16 = 1050
	BadTable                         uint16 = 1051
	NonUniq                          uint16 = 1052
	ServerShutdown                   uint16 = 1053
	BadField                         uint16 = 1054
	WrongFieldWithGroup              uint16 = 1055
	WrongGroupField                  uint16 = 1056
	WrongSumSelect                   uint16 = 1057
	WrongValueCount                  uint16 = 1058
	TooLongIdent                     uint16 = 1059
	DupFieldName                     uint16 = 1060
	DupKeyName                       uint16 = 1061
	DupEntry                         uint16 = 1062
	WrongFieldSpec                   uint16 = 1063
	Parse                            uint16 = 1064
	EmptyQuery                       uint16 = 1065
	NonUniqTable                     uint16 = 1066
	InvalidDefault                   uint16 = 1067
	MultiplePriKey                   uint16 = 1068
	TooManyKeys                      uint16 = 1069
	TooManyKeyParts                  uint16 = 1070
	TooLongKey                       uint16 = 1071
	KeyColumnDoesNotExist            uint16 = 1072
	BlobUsedAsKey                    uint16 = 1073
	TooBigFieldLength                uint16 = 1074
	WrongAutoKey                     uint16 = 1075
	WrongSubKey                      uint16 = 1089
	CantRemoveAllFields              uint16 = 1090
	CantDropFieldOrKey               uint16 = 1091
	UpdateTableUsed                  uint16 = 1093
	NoSuchThread                     uint16 = 1094
	BinlogCantDeleteGTIDDomain       uint16 = 1076
	KillDenied                       uint16 = 1095
	NoUniqueLogFile                  uint16 = 1098
	NoTablesUsed                     uint16 = 1096
	TableNotLockedForWrite           uint16 = 1099
	TableNotLocked                   uint16 = 1100
	BlobCantHaveDefault              uint16 = 1101
	WrongDBName                      uint16 = 1102
	WrongTableName                   uint16 = 1103
	UnknownError                     uint16 = 1105
	UnknownProcedure                 uint16 = 1106
	WrongParamcountToProcedure       uint16 = 1107
	UnknownTable                     uint16 = 1109
	FieldSpecifiedTwice              uint16 = 1110
	InvalidGroupFuncUse              uint16 = 1111
	UnsupportedExtension             uint16 = 1112
	TableMustHaveColumns             uint16 = 1113
	UnknownCharacterSet              uint16 = 1115
	TooBigRowSize                    uint16 = 1118
	HostNotPrivileged                uint16 = 1130
	PasswordNotAllowed               uint16 = 1132
	PasswordNoMatch                  uint16 = 1133
	WrongValueCountOnRow             uint16 = 1136
	InvalidUseOfNull                 uint16 = 1138
	Regexp                           uint16 = 1139
	MixOfGroupFuncAndFields          uint16 = 1140
	NonexistingGrant                 uint16 = 1141
	TableAccessDenied                uint16 = 1142
	ColumnAccessDenied               uint16 = 1143
	IllegalGrantForTable             uint16 = 1144
	NoSuchTable                      uint16 = 1146
	NonexistingTableGrant            uint16 = 1147
	NotAllowedCommand                uint16 = 1148
	Syntax                           uint16 = 1149
	AbortingConnection               uint16 = 1152
	NetPacketTooLarge                uint16 = 1153
	NetReadError                     uint16 = 1158
	NetReadInterrupted               uint16 = 1159
	NetErrorOnWrite                  uint16 = 1160
	NetWriteInterrupted              uint16 = 1161
	WrongColumnName                  uint16 = 1166
	WrongKeyColumn                   uint16 = 1167
	BlobKeyWithoutLength             uint16 = 1170
	PrimaryCantHaveNull              uint16 = 1171
	TooManyTables                    uint16 = 1116
	TooManyRows                      uint16 = 1172
	RequiresPrimaryKey               uint16 = 1173
	UpdateWithoutKeyInSafeMode       uint16 = 1175
	KeyDoesNotExist                  uint16 = 1176
	CheckNoSuchTable                 uint16 = 1177
	CantDoThisDuringTransaction      uint16 = 1179
	ErrorDuringCommit                uint16 = 1180
	ErrorDuringRollback              uint16 = 1181
	NewAbortingConnection            uint16 = 1184
	FlushMasterBinlogClosed          uint16 = 1186
	MasterNetRead                    uint16 = 1189
	MasterNetWrite                   uint16 = 1190
	FTMatchingKeyNotFound            uint16 = 1191
	LockOrActiveTransaction          uint16 = 1192
	UnknownSystemVariable            uint16 = 1193
	CrashedOnUsage                   uint16 = 1194
	BadSlave                         uint16 = 1200
	MasterInfo                       uint16 = 1201
	TooManyUserConnections           uint16 = 1203
	SetConstantsOnly                 uint16 = 1204
	LockWaitTimeout                  uint16 = 1205
	LockTableFull                    uint16 = 1206
	ReadOnlyTransaction              uint16 = 1207
	WrongArguments                   uint16 = 1210
	LockDeadlock                     uint16 = 1213
	CannotAddForeign                 uint16 = 1215
	NoReferencedRow                  uint16 = 1216
	RowIsReferenced                  uint16 = 1217
	ErrorWhenExecutingCommand        uint16 = 1220
	WrongUsage                       uint16 = 1221
	WrongNumberOfColumnsInSelect     uint16 = 1222
	CantUpdateWithReadlock           uint16 = 1223
	UserLimitReached                 uint16 = 1226
	SpecificAccessDenied             uint16 = 1227
	LocalVariable                    uint16 = 1228
	GlobalVariable                   uint16 = 1229
	NoDefault                        uint16 = 1230
	WrongValueForVar                 uint16 = 1231
	WrongTypeForVar                  uint16 = 1232
	VarCantBeRead                    uint16 = 1233
	CantUseOptionHere                uint16 = 1234
	NotSupportedYet                  uint16 = 1235
	MasterFatalErrorReadingBinlog    uint16 = 1236
	IncorrectGlobalLocalVar          uint16 = 1238
	WrongFKDef                       uint16 = 1239
	KeyRefDoNotMatchTableRef         uint16 = 1240
	OperandColumns                   uint16 = 1241
	SubqueryNo1Row                   uint16 = 1242
	UnknownStmtHandler               uint16 = 1243
	DerivedMustHaveAlias             uint16 = 1248
	TablenameNotAllowedHere          uint16 = 1250
	NotSupportedAuthMode             uint16 = 1251
	CollationCharsetMismatch         uint16 = 1253
	TooBigForUncompress              uint16 = 1256
	ZlibBufferError                  uint16 = 1258
	ZlibDataError                    uint16 = 1259
	CutValueGroupConcat              uint16 = 1260
	WrongFieldTerminators            uint16 = 1083
	WarnTooFewRecords                uint16 = 1261
	WarnTooManyRecords               uint16 = 1262
	WarnNullToNotNull                uint16 = 1263
	WarnDataOutOfRange               uint16 = 1264
	CannotRevokeAll                  uint16 = 1269
	DataTruncated                    uint16 = 1265
	CantAggregate2Collations         uint16 = 1267
	UnknownCollation                 uint16 = 1273
	WrongNameForIndex                uint16 = 1280
	UnknownStorageEngine             uint16 = 1286
	NonUpdatableTable                uint16 = 1288
	FeatureDisabled                  uint16 = 1289
	OptionPreventsStatement          uint16 = 1290
	BinlogCreateRoutineNeedSuper     uint16 = 1419
	FileExists                       uint16 = 1086
	CantCreateFile                   uint16 = 1
	CantGetStat                      uint16 = 13
	TextFileNotReadable              uint16 = 1085
	DuplicatedValueInType            uint16 = 1291
	TruncatedWrongValue              uint16 = 1292
	InvalidOnUpdate                  uint16 = 1294
	UnsupportedPS                    uint16 = 1295
	UnknownTimeZone                  uint16 = 1298
	InvalidCharacterString           uint16 = 1300
	WarnAllowedPacketOverflowed      uint16 = 1301
	SPAlreadyExists                  uint16 = 1304
	SPDoesNotExist                   uint16 = 1305
	SPLabelMismatch                  uint16 = 1308
	SPBadSelect                      uint16 = 1312
	SPBadStatement                   uint16 = 1314
	QueryInterrupted                 uint16 = 1317
	SPWrongNoOfArgs                  uint16 = 1318
	SPUndeclaredVar                  uint16 = 1327
	SPFetchNoData                    uint16 = 1329
	SPDupVar                         uint16 = 1331
	SPNoRetset                       uint16 = 1415
	StmtNotAllowedInSFOrTrg          uint16 = 1336
	SPCaseNotFound                   uint16 = 1339
	ViewNoExplain                    uint16 = 1345
	WrongObject                      uint16 = 1347
	NonupdateableColumn              uint16 = 1348
	ViewSelectDerived                uint16 = 1349
	ViewWrongList                    uint16 = 1353
	ViewSelectVariable               uint16 = 1351
	ViewInvalid                      uint16 = 1356
	TrgAlreadyExists                 uint16 = 1359
	TrgDoesNotExist                  uint16 = 1360
	TrgCantChangeRow                 uint16 = 1362
	NoDefaultForField                uint16 = 1364
	DivisionByZero                   uint16 = 1365
	TruncatedWrongValueForField      uint16 = 1366
	IllegalValueForType              uint16 = 1367
	ViewCheckFailed                  uint16 = 1369
	ProcAccessDenied                 uint16 = 1370
	PasswdLength                     uint16 = 1372
	UnknownTargetBinlog              uint16 = 1373
	IOErrLogIndexRead                uint16 = 1374
	BinlogPurgeProhibited            uint16 = 1375
	NoBinaryLogging                  uint16 = 1381
	KeyPartZero                      uint16 = 1391
	CannotUser                       uint16 = 1396
	NonexistingProcGrant             uint16 = 1403
	DataTooLong                      uint16 = 1406
	SPBadSQLState                    uint16 = 1407
	CantCreateUserWithGrant          uint16 = 1410
	WrongValueForType                uint16 = 1411
	BinlogUnsafeRoutine              uint16 = 1418
	CommitNotAllowedInSFOrTrg        uint16 = 1422
	TooBigScale                      uint16 = 1425
	TooBigPrecision                  uint16 = 1426
	MBiggerThanD                     uint16 = 1427
	StackOverrunNeedMore             uint16 = 1436
	CantUpdateUsedTableInSFOrTrg     uint16 = 1442
	NoSuchUser                       uint16 = 1449
	RowIsReferenced2                 uint16 = 1451
	NoReferencedRow2                 uint16 = 1452
	SPRecursionLimit                 uint16 = 1456
	SPProcTableCorrupt               uint16 = 1457
	TableNeedsUpgrade                uint16 = 1459
	MaxPreparedStmtCount             uint16 = 1461
	NonGroupingFieldUsed             uint16 = 1463
	WrongStringLength                uint16 = 1470
	TooHighLevelOfNestingForSelect   uint16 = 1473
	PluginNotLoaded                  uint16 = 1524
	NoSuchKeyValue                   uint16 = 1525
	NoPartitionForGivenValue         uint16 = 1526
	EventAlreadyExists               uint16 = 1537
	EventDoesNotExist                uint16 = 1539
	DropIndexFK                      uint16 = 1553
	WrongParamcountToNativeFct       uint16 = 1582
	WrongParametersToNativeFct       uint16 = 1583
	DupEntryWithKeyName              uint16 = 1586
	NoFormatDescriptionEvent         uint16 = 1609
	LoadDataInvalidColumn            uint16 = 1611
	XARBTimeout                      uint16 = 1613
	SignalException                  uint16 = 1644
	ResignalWithoutActiveHandler     uint16 = 1645
	DataOutOfRange                   uint16 = 1690
	ValuesIsNotIntType               uint16 = 1697
	AccessDeniedNoPassword           uint16 = 1698
	TruncateIllegalFK                uint16 = 1701
	IndexColumnTooLong               uint16 = 1709
	CantExecuteInReadOnlyTransaction uint16 = 1792
	MustChangePassword               uint16 = 1820
	FKNoIndexParent                  uint16 = 1822
	FKCannotOpenParent               uint16 = 1824
	FKIncorrectOption                uint16 = 1825
	DupConstraintName                uint16 = 1826
	FKColumnCannotDrop               uint16 = 1828
	FKColumnNotNull                  uint16 = 1830
	DupIndex                         uint16 = 1831
	AlterOperationNotSupported       uint16 = 1845
	MustChangePasswordLogin          uint16 = 1862
	AlterOperationNotSupportedReason uint16 = 1846
	FieldNotDeterministic            uint16 = 1901
	FieldIsGenerated                 uint16 = 1906
	ConnectionKilled                 uint16 = 1927
	QueryResultIncomplete            uint16 = 1931
	ConnectionAlreadyExists          uint16 = 1934
	IncorrectGTIDState               uint16 = 1941
	CannotUpdateGTIDState            uint16 = 1942
	DuplicateGTIDDomain              uint16 = 1943
	GTIDPositionNotFoundInBinlog     uint16 = 1945
	CannotLoadSlaveGTIDState         uint16 = 1946
	GTIDStrictOutOfOrder             uint16 = 1950
	GTIDStartFromBinlogHole          uint16 = 1951
	InsideTransactionSwitchGTID      uint16 = 1953
	BinlogMustBeEmpty                uint16 = 1956
	InvalidRole                      uint16 = 1959
	InvalidCurrentUser               uint16 = 1960
	CannotGrantRole                  uint16 = 1961
	CannotRevokeRole                 uint16 = 1962
	StatementTimeout                 uint16 = 1969
	CannotDropUser                   uint16 = 1974
	CannotCreateRole                 uint16 = 1975
	ConstraintFailed                 uint16 = 4025
	UserIsBlocked                    uint16 = 4150
	JSONBadChr                       uint16 = 4035
	JSONSyntax                       uint16 = 4038
	JSONDepth                        uint16 = 4040
	IllegalParameterTypes            uint16 = 4078
	UnknownView                      uint16 = 4092
	UnknownSequence                  uint16 = 4091
	IllegalParameterDataType         uint16 = 4079
)

type entry struct {
	state string
	text  string
}

var table = map[uint16]entry{
	CantCreateTable:                  {"HY000", "Can't create table `%v`.`%v` (errno: %v)"},
	DBCreateExists:                   {"HY000", "Can't create database '%v'; database exists"},
	DBDropExists:                     {"HY000", "Can't drop database '%v'; database doesn't exist"},
	CheckRead:                        {"HY000", "Record has changed since last read in table '%v'; try restarting transaction"},
	DiskFull:                         {"HY000", "Disk full (%v); waiting for someone to free some space... (errno: %v)"},
	DupKey:                           {"23000", "Can't write; duplicate key in table '%v'"},
	ErrorOnRead:                      {"HY000", "Error reading file '%v' (errno: %v)"},
	GetErrno:                         {"HY000", "Got error %v from storage engine %v"},
	KeyNotFound:                      {"HY000", "Can't find record in '%v'"},
	OpenAsReadonly:                   {"HY000", "Table '%v' is read only"},
	OutOfMemory:                      {"HY001", "Out of memory; restart server and try again (needed %v bytes)"},
	ConCount:                         {"08004", "Too many connections"},
	OutOfResources:                   {"HY000", "Out of memory."},
	BadHost:                          {"08S01", "Can't get hostname for your address"},
	Handshake:                        {"08S01", "Bad handshake"},
	DBAccessDenied:                   {"42000", "Access denied for user '%v'@'%v' to database '%v'"},
	AccessDenied:                     {"28000", "Access denied for user '%v'@'%v' (using password: %v)"},
	NoDB:                             {"3D000", "No database selected"},
	UnknownCom:                       {"08S01", "Unknown command"},
	BadNull:                          {"23000", "Column '%v' cannot be null"},
	BadDB:                            {"42000", "Unknown database '%v'"},
	TableExists:                      {"42S01", "Table '%v' already exists"},
	BadTable:                         {"42S02", "Unknown table '%v'"},
	NonUniq:                          {"23000", "Column '%v' in %v is ambiguous"},
	ServerShutdown:                   {"08S01", "Server shutdown in progress"},
	BadField:                         {"42S22", "Unknown column '%v' in '%v'"},
	WrongFieldWithGroup:              {"42000", "'%v' isn't in GROUP BY"},
	WrongGroupField:                  {"42000", "Can't group on '%v'"},
	WrongSumSelect:                   {"42000", "Statement has sum functions and columns in same statement"},
	WrongValueCount:                  {"21S01", "Column count doesn't match value count"},
	TooLongIdent:                     {"42000", "Identifier name '%v' is too long"},
	DupFieldName:                     {"42S21", "Duplicate column name '%v'"},
	DupKeyName:                       {"42000", "Duplicate key name '%v'"},
	DupEntry:                         {"23000", "Duplicate entry '%v' for key %v"},
	WrongFieldSpec:                   {"42000", "Incorrect column specifier for column '%v'"},
	Parse:                            {"42000", "%v near '%v' at line %v"},
	EmptyQuery:                       {"42000", "Query was empty"},
	NonUniqTable:                     {"42000", "Not unique table/alias: '%v'"},
	InvalidDefault:                   {"42000", "Invalid default value for '%v'"},
	MultiplePriKey:                   {"42000", "Multiple primary key defined"},
	TooManyKeys:                      {"42000", "Too many keys specified; max %v keys allowed"},
	TooManyKeyParts:                  {"42000", "Too many key parts specified; max %v parts allowed"},
	TooLongKey:                       {"42000", "Specified key was too long; max key length is %v bytes"},
	KeyColumnDoesNotExist:            {"42000", "Key column '%v' doesn't exist in table"},
	BlobUsedAsKey:                    {"42000", "BLOB column `%v` can't be used in key specification in the %v table"},
	TooBigFieldLength:                {"42000", "Column length too big for column '%v' (max = %v); use BLOB or TEXT instead"},
	WrongAutoKey:                     {"42000", "Incorrect table definition; there can be only one auto column and it must be defined as a key"},
	WrongSubKey:                      {"HY000", "Incorrect prefix key; the used key part isn't a string, the used length is longer than the key part, or the storage engine doesn't support unique prefix keys"},
	CantRemoveAllFields:              {"42000", "You can't delete all columns with ALTER TABLE; use DROP TABLE instead"},
	CantDropFieldOrKey:               {"42000", "Can't DROP %v `%v`; check that it exists"},
	UpdateTableUsed:                  {"HY000", "Table '%v' is specified twice, both as a target for '%v' and as a separate source for data"},
	NoSuchThread:                     {"HY000", "Unknown thread id: %v"},
	BinlogCantDeleteGTIDDomain:       {"HY000", "Could not delete gtid domain. Reason: %v."},
	NoUniqueLogFile:                  {"HY000", "Can't generate a unique log-filename %v.(1-999)\n"},
	InsideTransactionSwitchGTID:      {"HY000", "Cannot modify @@session.gtid_domain_id or @@session.gtid_seq_no inside a transaction"},
	KillDenied:                       {"HY000", "You are not owner of thread %v"},
	NoTablesUsed:                     {"HY000", "No tables used"},
	TableNotLockedForWrite:           {"HY000", "Table '%v' was locked with a READ lock and can't be updated"},
	TableNotLocked:                   {"HY000", "Table '%v' was not locked with LOCK TABLES"},
	BlobCantHaveDefault:              {"42000", "You should never see it"},
	WrongDBName:                      {"42000", "Incorrect database name '%v'"},
	WrongTableName:                   {"42000", "Incorrect table name '%v'"},
	UnknownError:                     {"HY000", "Unknown error"},
	UnknownProcedure:                 {"42000", "Unknown procedure '%v'"},
	WrongParamcountToProcedure:       {"42000", "Incorrect parameter count to procedure '%v'"},
	UnknownTable:                     {"42S02", "Unknown table '%v' in %v"},
	FieldSpecifiedTwice:              {"42000", "Column '%v' specified twice"},
	InvalidGroupFuncUse:              {"HY000", "Invalid use of group function"},
	UnsupportedExtension:             {"42000", "Table '%v' uses an extension that doesn't exist in this MariaDB version"},
	TableMustHaveColumns:             {"42000", "A table must have at least 1 column"},
	UnknownCharacterSet:              {"42000", "Unknown character set: '%v'"},
	TooBigRowSize:                    {"42000", "Row size too large. The maximum row size for the used table type, not counting BLOBs, is %v. This includes storage overhead, check the manual. You have to change some columns to TEXT or BLOBs"},
	HostNotPrivileged:                {"HY000", "Host '%v' is not allowed to connect to this MariaDB server"},
	PasswordNotAllowed:               {"42000", "You must have privileges to update tables in the mysql database to be able to change passwords for others"},
	PasswordNoMatch:                  {"28000", "Can't find any matching row in the user table"},
	WrongValueCountOnRow:             {"21S01", "Column count doesn't match value count at row %v"},
	InvalidUseOfNull:                 {"22004", "Invalid use of NULL value"},
	Regexp:                           {"42000", "Regex error '%v'"},
	MixOfGroupFuncAndFields:          {"42000", "Mixing of GROUP columns (MIN(),MAX(),COUNT(),...) with no GROUP columns is illegal if there is no GROUP BY clause"},
	NonexistingGrant:                 {"42000", "There is no such grant defined for user '%v' on host '%v'"},
	TableAccessDenied:                {"42000", "%v command denied to user '%v'@'%v' for table `%v`.`%v`"},
	ColumnAccessDenied:               {"42000", "%v command denied to user '%v'@'%v' for column '%v' in table '%v'"},
	IllegalGrantForTable:             {"42000", "Illegal GRANT/REVOKE command; please consult the manual to see which privileges can be used"},
	NoSuchTable:                      {"42S02", "Table '%v.%v' doesn't exist"},
	NonexistingTableGrant:            {"42000", "There is no such grant defined for user '%v' on host '%v' on table '%v'"},
	NotAllowedCommand:                {"42000", "The used command is not allowed with this MariaDB version"},
	Syntax:                           {"42000", "You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use"},
	AbortingConnection:               {"08S01", "Aborted connection %v to db: '%v' user: '%v' (%v)"},
	NetPacketTooLarge:                {"08S01", "Got a packet bigger than 'max_allowed_packet' bytes"},
	NetReadError:                     {"08S01", "Got an error reading communication packets"},
	NetReadInterrupted:               {"08S01", "Got timeout reading communication packets"},
	NetErrorOnWrite:                  {"08S01", "Got an error writing communication packets"},
	NetWriteInterrupted:              {"08S01", "Got timeout writing communication packets"},
	WrongColumnName:                  {"42000", "Incorrect column name '%v'"},
	WrongKeyColumn:                   {"42000", "The storage engine %v can't index column `%v`"},
	BlobKeyWithoutLength:             {"42000", "BLOB/TEXT column '%v' used in key specification without a key length"},
	PrimaryCantHaveNull:              {"42000", "All parts of a PRIMARY KEY must be NOT NULL; if you need NULL in a key, use UNIQUE instead"},
	WrongValueForType:                {"HY000", "Incorrect %v value: '%v' for function %v"},
	IllegalParameterDataType:         {"HY000", "Illegal parameter data type %v for operation '%v'"},
	TooManyTables:                    {"HY000", "Too many tables; MariaDB can only use %v tables in a join"},
	StackOverrunNeedMore:             {"HY000", "Thread stack overrun: the statement is nested deeper than %v levels"},
	TooHighLevelOfNestingForSelect:   {"HY000", "Too high level of nesting for select"},
	TooManyRows:                      {"42000", "Result consisted of more than one row"},
	RequiresPrimaryKey:               {"42000", "This table type requires a primary key"},
	UpdateWithoutKeyInSafeMode:       {"HY000", "You are using safe update mode and you tried to update a table without a WHERE that uses a KEY column"},
	KeyDoesNotExist:                  {"42000", "Key '%v' doesn't exist in table '%v'"},
	CheckNoSuchTable:                 {"42000", "Can't open table"},
	CantDoThisDuringTransaction:      {"25000", "You are not allowed to execute this command in a transaction"},
	ErrorDuringCommit:                {"HY000", "Got error %v during COMMIT"},
	ErrorDuringRollback:              {"HY000", "Got error %v during ROLLBACK"},
	NewAbortingConnection:            {"08S01", "Aborted connection %v to db: '%v' user: '%v' host: '%v'%v (%v)"},
	FlushMasterBinlogClosed:          {"HY000", "Binlog closed, cannot RESET MASTER"},
	MasterNetRead:                    {"08S01", "Net error reading from master"},
	MasterNetWrite:                   {"08S01", "Net error writing to master"},
	FTMatchingKeyNotFound:            {"HY000", "Can't find FULLTEXT index matching the column list"},
	LockOrActiveTransaction:          {"HY000", "Can't execute the given command because you have active locked tables or an active transaction"},
	UnknownSystemVariable:            {"HY000", "Unknown system variable '%v'"},
	CrashedOnUsage:                   {"HY000", "Table '%v' is marked as crashed and should be repaired"},
	BadSlave:                         {"HY000", "The server is not configured as slave; fix in config file or with CHANGE MASTER TO"},
	MasterInfo:                       {"HY000", "Could not initialize master info structure for '%v'; more error messages can be found in the MariaDB error log"},
	TooManyUserConnections:           {"42000", "User %v already has more than 'max_user_connections' active connections"},
	SetConstantsOnly:                 {"HY000", "You may only use constant expressions in this statement"},
	LockWaitTimeout:                  {"HY000", "Lock wait timeout exceeded; try restarting transaction"},
	LockTableFull:                    {"HY000", "The total number of locks exceeds the lock table size"},
	ReadOnlyTransaction:              {"25000", "Update locks cannot be acquired during a READ UNCOMMITTED transaction"},
	WrongArguments:                   {"HY000", "Incorrect arguments to %v"},
	LockDeadlock:                     {"40001", "Deadlock found when trying to get lock; try restarting transaction"},
	CannotAddForeign:                 {"HY000", "Cannot add foreign key constraint for `%v`"},
	NoReferencedRow:                  {"23000", "Cannot add or update a child row: a foreign key constraint fails"},
	RowIsReferenced:                  {"23000", "Cannot delete or update a parent row: a foreign key constraint fails"},
	ErrorWhenExecutingCommand:        {"HY000", "Error when executing command %v: %v"},
	WrongUsage:                       {"HY000", "Incorrect usage of %v and %v"},
	WrongNumberOfColumnsInSelect:     {"21000", "The used SELECT statements have a different number of columns"},
	CantUpdateWithReadlock:           {"HY000", "Can't execute the query because you have a conflicting read lock"},
	SpecificAccessDenied:             {"42000", "Access denied; you need (at least one of) the %v privilege(s) for this operation"},
	LocalVariable:                    {"HY000", "Variable '%v' is a SESSION variable and can't be used with SET GLOBAL"},
	GlobalVariable:                   {"HY000", "Variable '%v' is a GLOBAL variable and should be set with SET GLOBAL"},
	NoDefault:                        {"42000", "Variable '%v' doesn't have a default value"},
	WrongValueForVar:                 {"42000", "Variable '%v' can't be set to the value of '%v'"},
	WrongTypeForVar:                  {"42000", "Incorrect argument type to variable '%v'"},
	VarCantBeRead:                    {"HY000", "Variable '%v' can only be set, not read"},
	CantUseOptionHere:                {"42000", "Incorrect usage/placement of '%v'"},
	NotSupportedYet:                  {"42000", "This version of MariaDB doesn't yet support '%v'"},
	MasterFatalErrorReadingBinlog:    {"HY000", "Got fatal error %v from master when reading data from binary log: '%v'"},
	IncorrectGlobalLocalVar:          {"HY000", "Variable '%v' is a %v variable"},
	WrongFKDef:                       {"42000", "Incorrect foreign key definition for '%v': %v"},
	KeyRefDoNotMatchTableRef:         {"HY000", "Key reference and table reference don't match"},
	OperandColumns:                   {"21000", "Operand should contain %v column(s)"},
	SubqueryNo1Row:                   {"21000", "Subquery returns more than 1 row"},
	UnknownStmtHandler:               {"HY000", "Unknown prepared statement handler (%v) given to %v"},
	DerivedMustHaveAlias:             {"42000", "Every derived table must have its own alias"},
	TablenameNotAllowedHere:          {"42000", "Table '%v' from one of the SELECTs cannot be used in %v"},
	NotSupportedAuthMode:             {"08004", "Client does not support authentication protocol requested by server; consider upgrading MariaDB client"},
	CollationCharsetMismatch:         {"42000", "COLLATION '%v' is not valid for CHARACTER SET '%v'"},
	TooBigForUncompress:              {"HY000", "Uncompressed data size too large; the maximum size is %v (probably, length of uncompressed data was corrupted)"},
	ZlibBufferError:                  {"HY000", "ZLIB: Not enough room in the output buffer (probably, length of uncompressed data was corrupted)"},
	ZlibDataError:                    {"HY000", "ZLIB: Input data corrupted"},
	CutValueGroupConcat:              {"HY000", "Row %v was cut by %v()"},
	WrongFieldTerminators:            {"42000", "Field separator argument is not what is expected; check the manual"},
	WarnTooFewRecords:                {"01000", "Row %v doesn't contain data for all columns"},
	WarnTooManyRecords:               {"01000", "Row %v was truncated; it contained more data than there were input columns"},
	WarnNullToNotNull:                {"22004", "Column set to default value; NULL supplied to NOT NULL column '%v' at row %v"},
	WarnDataOutOfRange:               {"22003", "Out of range value for column '%v' at row %v"},
	DataTruncated:                    {"01000", "Data truncated for column '%v' at row %v"},
	CantAggregate2Collations:         {"HY000", "Illegal mix of collations (%v,%v) and (%v,%v) for operation '%v'"},
	UnknownCollation:                 {"HY000", "Unknown collation: '%v'"},
	WrongNameForIndex:                {"42000", "Incorrect index name '%v'"},
	UnknownStorageEngine:             {"42000", "Unknown storage engine '%v'"},
	NonUpdatableTable:                {"HY000", "The target table %v of the %v is not updatable"},
	FeatureDisabled:                  {"HY000", "The '%v' feature is disabled; you need MariaDB built with '%v' to have it working"},
	OptionPreventsStatement:          {"HY000", "The MariaDB server is running with the %v option so it cannot execute this statement"},
	DuplicatedValueInType:            {"HY000", "Column '%v' has duplicated value '%v' in %v"},
	TruncatedWrongValue:              {"22007", "Truncated incorrect %v value: '%v'"},
	InvalidOnUpdate:                  {"HY000", "Invalid ON UPDATE clause for '%v' column"},
	UnsupportedPS:                    {"HY000", "This command is not supported in the prepared statement protocol yet"},
	UnknownTimeZone:                  {"HY000", "Unknown or incorrect time zone: '%v'"},
	InvalidCharacterString:           {"HY000", "Invalid %v character string: '%v'"},
	WarnAllowedPacketOverflowed:      {"HY000", "Result of %v() was larger than max_allowed_packet (%v) - truncated"},
	SPAlreadyExists:                  {"42000", "%v %v already exists"},
	BinlogCreateRoutineNeedSuper:     {"HY000", "You do not have the SUPER privilege and binary logging is enabled (you *might* want to use the less safe log_bin_trust_function_creators variable)"},
	FileExists:                       {"HY000", "File '%v' already exists"},
	SPDoesNotExist:                   {"42000", "%v %v does not exist"},
	SPLabelMismatch:                  {"42000", "%v with no matching label: %v"},
	SPBadSelect:                      {"0A000", "PROCEDURE %v can't return a result set in the given context"},
	SPBadStatement:                   {"0A000", "%v is not allowed in stored procedures"},
	QueryInterrupted:                 {"70100", "Query execution was interrupted"},
	SPWrongNoOfArgs:                  {"42000", "Incorrect number of arguments for %v %v; expected %v, got %v"},
	SPUndeclaredVar:                  {"42000", "Undeclared variable: %v"},
	SPFetchNoData:                    {"02000", "No data - zero rows fetched, selected, or processed"},
	SPDupVar:                         {"42000", "Duplicate variable: %v"},
	SPNoRetset:                       {"0A000", "Not allowed to return a result set from a %v"},
	StmtNotAllowedInSFOrTrg:          {"0A000", "%v is not allowed in stored function or trigger"},
	SPCaseNotFound:                   {"20000", "Case not found for CASE statement"},
	ViewNoExplain:                    {"HY000", "ANALYZE/EXPLAIN/SHOW can not be issued; lacking privileges for underlying table"},
	WrongObject:                      {"HY000", "'%v.%v' is not of type '%v'"},
	NonupdateableColumn:              {"HY000", "Column '%v' is not updatable"},
	ViewSelectDerived:                {"HY000", "View's SELECT contains a subquery in the FROM clause"},
	ViewWrongList:                    {"HY000", "View's SELECT and view's field list have different column counts"},
	ViewSelectVariable:               {"HY000", "View's SELECT contains a variable or parameter"},
	ViewInvalid:                      {"HY000", "View '%v.%v' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"},
	TrgAlreadyExists:                 {"HY000", "Trigger '%v' already exists"},
	TrgDoesNotExist:                  {"HY000", "Trigger does not exist"},
	TrgCantChangeRow:                 {"HY000", "Updating of %v row is not allowed in %vtrigger"},
	NoDefaultForField:                {"HY000", "Field '%v' doesn't have a default value"},
	DivisionByZero:                   {"22012", "Division by 0"},
	TruncatedWrongValueForField:      {"22007", "Incorrect %v value: '%v' for column `%v`.`%v`.`%v` at row %v"},
	IllegalValueForType:              {"22007", "Illegal %v '%v' value found during parsing"},
	ViewCheckFailed:                  {"HY000", "CHECK OPTION failed `%v`.`%v`"},
	ProcAccessDenied:                 {"42000", "%v command denied to user '%v'@'%v' for routine '%v'"},
	PasswdLength:                     {"HY000", "Password hash should be a %v-digit hexadecimal number"},
	UnknownTargetBinlog:              {"HY000", "Target log not found in binlog index"},
	IOErrLogIndexRead:                {"HY000", "I/O error reading log index file"},
	BinlogPurgeProhibited:            {"HY000", "Server configuration does not permit binlog purge"},
	NoBinaryLogging:                  {"HY000", "You are not using binary logging"},
	KeyPartZero:                      {"HY000", "Key part '%v' length cannot be 0"},
	CannotUser:                       {"HY000", "Operation %v failed for %v"},
	NonexistingProcGrant:             {"42000", "There is no such grant defined for user '%v' on host '%v' on routine '%v'"},
	DataTooLong:                      {"22001", "Data too long for column '%v' at row %v"},
	SPBadSQLState:                    {"42000", "Bad SQLSTATE: '%v'"},
	CantCreateUserWithGrant:          {"42000", "You are not allowed to create a user with GRANT"},
	BinlogUnsafeRoutine:              {"HY000", "This function has none of DETERMINISTIC, NO SQL, or READS SQL DATA in its declaration and binary logging is enabled (you *might* want to use the less safe log_bin_trust_function_creators variable)"},
	CommitNotAllowedInSFOrTrg:        {"HY000", "Explicit or implicit commit is not allowed in stored function or trigger"},
	TooBigScale:                      {"42000", "Too big scale specified for '%v'. Maximum is %v"},
	TooBigPrecision:                  {"42000", "Too big precision specified for '%v'. Maximum is %v"},
	MBiggerThanD:                     {"42000", "For float(M,D), double(M,D) or decimal(M,D), M must be >= D (column '%v')"},
	CantUpdateUsedTableInSFOrTrg:     {"HY000", "Can't update table '%v' in stored function/trigger because it is already used by statement which invoked this stored function/trigger"},
	NoSuchUser:                       {"HY000", "The user specified as a definer ('%v'@'%v') does not exist"},
	RowIsReferenced2:                 {"23000", "Cannot delete or update a parent row: a foreign key constraint fails (%v)"},
	NoReferencedRow2:                 {"23000", "Cannot add or update a child row: a foreign key constraint fails (%v)"},
	SPRecursionLimit:                 {"HY000", "Recursive limit %v (as set by the max_sp_recursion_depth variable) was exceeded for routine %v"},
	SPProcTableCorrupt:               {"HY000", "Failed to load routine %v (internal code %v). For more details, run SHOW WARNINGS"},
	TableNeedsUpgrade:                {"HY000", "Upgrade required. Please do \"REPAIR %v `%v`\" or dump/reload to fix it!"},
	MaxPreparedStmtCount:             {"42000", "Can't create more than max_prepared_stmt_count statements (current value: %v)"},
	NonGroupingFieldUsed:             {"42000", "Non-grouping field '%v' is used in %v clause"},
	WrongStringLength:                {"HY000", "String '%v' is too long for %v (should be no longer than %v)"},
	NoSuchKeyValue:                   {"HY000", "Incorrect %v value: '%v'"},
	NoPartitionForGivenValue:         {"HY000", "Table has no partition for value %v"},
	EventAlreadyExists:               {"HY000", "Event '%v' already exists"},
	EventDoesNotExist:                {"HY000", "Unknown event '%v'"},
	DropIndexFK:                      {"HY000", "Cannot drop index '%v': needed in a foreign key constraint"},
	WrongParamcountToNativeFct:       {"42000", "Incorrect parameter count in the call to native function '%v'"},
	WrongParametersToNativeFct:       {"42000", "Incorrect parameters in the call to native function '%v'"},
	DupEntryWithKeyName:              {"23000", "Duplicate entry '%v' for key '%v'"},
	NoFormatDescriptionEvent:         {"HY000", "The BINLOG statement of type %v was not preceded by a format description BINLOG statement"},
	LoadDataInvalidColumn:            {"HY000", "Invalid column reference (%v) in LOAD DATA"},
	XARBTimeout:                      {"XA106", "XA_RBTIMEOUT: Transaction branch was rolled back: took too long"},
	SignalException:                  {"HY000", "Unhandled user-defined exception condition"},
	ResignalWithoutActiveHandler:     {"0K000", "RESIGNAL when handler not active"},
	DataOutOfRange:                   {"22003", "%v value is out of range in '%v'"},
	ValuesIsNotIntType:               {"HY000", "VALUES value for partition '%v' must have type INT"},
	AccessDeniedNoPassword:           {"28000", "Access denied for user '%v'@'%v'"},
	TruncateIllegalFK:                {"42000", "Cannot truncate a table referenced in a foreign key constraint (%v)"},
	IndexColumnTooLong:               {"HY000", "Index column size too large. The maximum column size is %v bytes"},
	CantExecuteInReadOnlyTransaction: {"25006", "Cannot execute statement in a READ ONLY transaction"},
	FKNoIndexParent:                  {"HY000", "Failed to add the foreign key constraint. Missing index for constraint '%v' in the referenced table '%v'"},
	FKCannotOpenParent:               {"HY000", "Failed to open the referenced table '%v'"},
	FKIncorrectOption:                {"HY000", "Failed to add the foreign key constraint on table '%v'. Incorrect options in FOREIGN KEY constraint '%v'"},
	DupConstraintName:                {"HY000", "Duplicate %v constraint name '%v'"},
	FKColumnCannotDrop:               {"HY000", "Cannot drop column '%v': needed in a foreign key constraint '%v'"},
	FKColumnNotNull:                  {"HY000", "Column '%v' cannot be NOT NULL: needed in a foreign key constraint '%v' SET NULL"},
	DupIndex:                         {"HY000", "Duplicate index `%v`. This is deprecated and will be disallowed in a future release"},
	AlterOperationNotSupported:       {"0A000", "%v is not supported for this operation. Try %v"},
	AlterOperationNotSupportedReason: {"0A000", "%v is not supported. Reason: %v. Try %v"},
	FieldNotDeterministic:            {"HY000", "Function or expression '%v' cannot be used in the %v clause of `%v`"},
	FieldIsGenerated:                 {"HY000", "The value specified for generated column '%v' in table '%v' has been ignored"},
	ConnectionKilled:                 {"70100", "Connection was killed"},
	QueryResultIncomplete:            {"HY000", "Query execution was interrupted. The query exceeded max_recursive_iterations = %v. The query result may be incomplete"},
	ConnectionAlreadyExists:          {"HY000", "Connection '%v' conflicts with existing connection '%v'"},
	IncorrectGTIDState:               {"HY000", "Could not parse GTID list"},
	CannotUpdateGTIDState:            {"HY000", "Could not update replication slave gtid state"},
	DuplicateGTIDDomain:              {"HY000", "GTID %v-%v-%v and %v-%v-%v conflict (duplicate domain id %v)"},
	GTIDPositionNotFoundInBinlog:     {"HY000", "Connecting slave requested to start from GTID %v-%v-%v, which is not in the master's binlog"},
	CannotLoadSlaveGTIDState:         {"HY000", "Failed to load replication slave GTID position from table %v.%v"},
	GTIDStrictOutOfOrder:             {"HY000", "An attempt was made to binlog GTID %v-%v-%v which would create an out-of-order sequence number with existing GTID %v-%v-%v, and gtid strict mode is enabled"},
	GTIDStartFromBinlogHole:          {"HY000", "The binlog on the master is missing the GTID %v-%v-%v requested by the slave (even though a subsequent sequence number does exist), and GTID strict mode is enabled"},
	BinlogMustBeEmpty:                {"HY000", "This operation is not allowed if any GTID has been logged to the binary log. Run RESET MASTER first to erase the log"},
	InvalidRole:                      {"OP000", "Invalid role specification `%v`"},
	InvalidCurrentUser:               {"0L000", "The current user is invalid"},
	CannotGrantRole:                  {"HY000", "Cannot grant role '%v' to: %v"},
	CannotRevokeRole:                 {"HY000", "Cannot revoke role '%v' from: %v"},
	PluginNotLoaded:                  {"HY000", "Plugin '%v' is not loaded"},
	UserLimitReached:                 {"42000", "User '%v' has exceeded the '%v' resource (current value: %v)"},
	MustChangePassword:               {"HY000", "You must SET PASSWORD before executing this statement"},
	MustChangePasswordLogin:          {"HY000", "Your password has expired. To log in you must change it using a client that supports expired passwords"},
	UserIsBlocked:                    {"HY000", "User is blocked because of too many credential errors; unblock with 'ALTER USER / FLUSH PRIVILEGES'"},
	CannotRevokeAll:                  {"HY000", "Can't revoke all privileges for one or more of the requested users"},
	StatementTimeout:                 {"70100", "Query execution was interrupted (max_statement_time exceeded)"},
	CannotDropUser:                   {"HY000", "Can't drop user '%v'@'%v'; it doesn't exist"},
	CannotCreateRole:                 {"HY000", "Can't create role '%v'; it already exists"},
	ConstraintFailed:                 {"23000", "CONSTRAINT `%v` failed for `%v`.`%v`"},
	JSONBadChr:                       {"HY000", "Broken JSON string in argument %v to function '%v' at position %v"},
	JSONSyntax:                       {"HY000", "Syntax error in JSON text in argument %v to function '%v' at position %v"},
	JSONDepth:                        {"HY000", "Limit of %v on JSON nested structures depth is reached in argument %v to function '%v' at position %v"},
	IllegalParameterTypes:            {"HY000", "Illegal parameter data types %v and %v for operation '%v'"},
	UnknownView:                      {"42S02", "Unknown VIEW: '%v'"},
	UnknownSequence:                  {"42S02", "Unknown SEQUENCE: '%v'"},
}
