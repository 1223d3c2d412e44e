package lex

// Mode is the part of sql_mode that changes how a text is read.
type Mode uint8

// The modes.
const (
	AnsiQuotes         Mode = 1 << iota // "x" is a name
	PipesAsConcat                       // || is CONCAT, not OR
	NoBackslashEscapes                  // a backslash in a string is itself
	IgnoreSpace                         // names of built-in functions may be away from their parenthesis
	HighNotPrecedence                   // NOT binds as ! does
	Brackets                            // [x] is a name (MSSQL)
	Oracle                              // || binds as + does
)

// Kind is the kind of a token.
type Kind uint8

// The kinds. Operators of one byte have that byte as their kind.
const (
	EOF          Kind = 0
	Bad          Kind = 1 // what no token begins with, or a quote or comment that is not closed
	Name         Kind = 2 // name without quotes, or keyword (Token.Word)
	QuotedName   Kind = 3
	Integer      Kind = 4  // digits
	Decimal      Kind = 5  // digits with a point
	Float        Kind = 6  // with an exponent
	HexNumber    Kind = 7  // 0x1F
	HexString    Kind = 8  // x'1F'
	BitNumber    Kind = 9  // 0b01
	BitString    Kind = 10 // b'01'
	String       Kind = 11
	NString      Kind = 12 // n'...'
	AtAt         Kind = 13 // @@, before a system variable
	HostName     Kind = 14 // after @: letters, digits, _ $ and points
	LessEqual    Kind = 15 // <=
	GreaterEqual Kind = 16 // >=
	NotEqual     Kind = 17 // <> and !=
	NullSafe     Kind = 18 // <=>
	ShiftLeft    Kind = 19 // <<
	ShiftRight   Kind = 20 // >>
	OrOr         Kind = 21 // ||
	AndAnd       Kind = 22 // &&
	Assign       Kind = 23 // :=
	DotDot       Kind = 24 // ..
	Introducer   Kind = 25 // _latin1, if there is a character set of that name
)

// Token is one token with its place in the text.
type Token struct {
	Kind Kind
	Word Word // of a Name that is a keyword
	// Glued says that no space or comment stands before it. After a point or an @ names and hosts are glued or nothing.
	Glued      bool
	Line       int32 // as error messages count: newlines in strings, in names and in later text do not
	Start, End int32
}
