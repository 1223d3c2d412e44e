package grammar

import "github.com/duramendb/duramen/query/dialect/lex"

// notCalled are words that may be names, but not those of functions.
var notCalled = words(
	lex.WAny, lex.WBackup, lex.WBegin, lex.WBinlog, lex.WBit, lex.WBool, lex.WBoolean, lex.WByte, lex.WCache, lex.WCheckpoint, lex.WChecksum,
	lex.WClob, lex.WClose, lex.WCode, lex.WComment, lex.WCommit, lex.WCompressed, lex.WDatetime, lex.WDeallocate, lex.WDo, lex.WEnd,
	lex.WEnum, lex.WExamined, lex.WExclude, lex.WExecute, lex.WFixed, lex.WFlush, lex.WFollowing, lex.WFollows, lex.WFunction, lex.WGet,
	lex.WGlobal, lex.WHandler, lex.WHelp, lex.WHost, lex.WId, lex.WIgnored, lex.WInstall, lex.WJson, lex.WLanguage, lex.WLocal, lex.WMedium,
	lex.WNames, lex.WNational, lex.WNchar, lex.WNo, lex.WNumber, lex.WNvarchar, lex.WOpen, lex.WOption, lex.WOptions, lex.WOthers, lex.WOwner,
	lex.WParser, lex.WPeriod, lex.WPort, lex.WPrecedes, lex.WPreceding, lex.WPrepare, lex.WRaw, lex.WRemove, lex.WRepair, lex.WReplica,
	lex.WReplicas, lex.WReset, lex.WRestore, lex.WRole, lex.WRollback, lex.WSavepoint, lex.WSecurity, lex.WSerial, lex.WServer, lex.WSession,
	lex.WShutdown, lex.WSigned, lex.WSlave, lex.WSlaves, lex.WSocket, lex.WSome, lex.WSoname, lex.WSounds, lex.WStart, lex.WStop, lex.WStored,
	lex.WText, lex.WTies, lex.WUnbounded, lex.WUnicode, lex.WUninstall, lex.WUpgrade, lex.WVarchar2, lex.WWindow, lex.WWrapper, lex.WXa,
)

func words(all ...lex.Word) map[lex.Word]bool {
	set := make(map[lex.Word]bool, len(all))
	for _, w := range all {
		set[w] = true
	}
	return set
}
