package lex

// Functions whose names are keywords right before an opening parenthesis only: with a space between (unless IgnoreSpace), or elsewhere, they
// are names like any other.
const (
	FAdddate Word = wordCount + iota
	FBitAnd
	FBitOr
	FBitXor
	FCast
	FCount
	FCumeDist
	FCurdate
	FCurtime
	FDateAdd
	FDateFormat
	FDateSub
	FDecode
	FDenseRank
	FExtract
	FFirstValue
	FGroupConcat
	FJsonArrayagg
	FJsonObjectagg
	FLag
	FLead
	FMax
	FMedian
	FMid
	FMin
	FNow
	FNthValue
	FNtile
	FPercentileCont
	FPercentileDisc
	FPercentRank
	FPosition
	FRank
	FSessionUser
	FStd
	FStddev
	FStddevPop
	FStddevSamp
	FSubdate
	FSubstr
	FSubstring
	FSum
	FSystemUser
	FTrim
	FVariance
	FVarPop
	FVarSamp
	functionEnd
)

var functions = [functionEnd - wordCount]string{
	"ADDDATE", "BIT_AND", "BIT_OR", "BIT_XOR", "CAST", "COUNT", "CUME_DIST", "CURDATE", "CURTIME", "DATE_ADD", "DATE_FORMAT", "DATE_SUB", "DECODE",
	"DENSE_RANK", "EXTRACT", "FIRST_VALUE", "GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "LAG", "LEAD", "MAX", "MEDIAN", "MID", "MIN", "NOW",
	"NTH_VALUE", "NTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "PERCENT_RANK", "POSITION", "RANK", "SESSION_USER", "STD", "STDDEV", "STDDEV_POP",
	"STDDEV_SAMP", "SUBDATE", "SUBSTR", "SUBSTRING", "SUM", "SYSTEM_USER", "TRIM", "VARIANCE", "VAR_POP", "VAR_SAMP",
}

// BuiltIn reports whether a name, in letters of any case, is that of such a function.
func BuiltIn(name string) bool { return functionTable.find(name) != NoWord }

// functionWord is the keyword that a name from start to pos is, if it stands before a parenthesis; NoWord if none.
func (l *Lexer) functionWord(start int) Word {
	i := l.pos
	if l.mode&IgnoreSpace != 0 {
		i = l.span(i, space)
	}
	if l.at(i) != '(' {
		return NoWord
	}
	return functionTable.find(l.text[start:l.pos])
}
