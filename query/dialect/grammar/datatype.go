package grammar

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// typeForm is what may follow the name of a type.
type typeForm uint8

const (
	optionalLength typeForm = 1 << iota // (n)
	neededLength                        // (n), always
	precision                           // (m,d)
	numericOptions                      // SIGNED, UNSIGNED, ZEROFILL
	charsetOptions                      // CHARACTER SET, BINARY ...
	binaryOption                        // BINARY
	memberList                          // ('a','b')
	compressible                        // COMPRESSED
)

type typeRule struct {
	name string
	form typeForm
}

// typeRules are the types that begin with a keyword that decides everything.
var typeRules = map[lex.Word]typeRule{
	lex.WInt: {"INT", optionalLength | numericOptions}, lex.WInteger: {"INT", optionalLength | numericOptions},
	lex.WInt4: {"INT", optionalLength | numericOptions}, lex.WTinyint: {"TINYINT", optionalLength | numericOptions},
	lex.WInt1: {"TINYINT", optionalLength | numericOptions}, lex.WSmallint: {"SMALLINT", optionalLength | numericOptions},
	lex.WInt2: {"SMALLINT", optionalLength | numericOptions}, lex.WMediumint: {"MEDIUMINT", optionalLength | numericOptions},
	lex.WMiddleint: {"MEDIUMINT", optionalLength | numericOptions}, lex.WInt3: {"MEDIUMINT", optionalLength | numericOptions},
	lex.WBigint: {"BIGINT", optionalLength | numericOptions}, lex.WInt8: {"BIGINT", optionalLength | numericOptions},

	lex.WReal: {"REAL", precision | numericOptions}, lex.WDouble: {"DOUBLE", precision | numericOptions},
	lex.WFloat8: {"DOUBLE", precision | numericOptions}, lex.WFloat: {"FLOAT", optionalLength | precision | numericOptions},
	lex.WFloat4:  {"FLOAT", optionalLength | precision | numericOptions},
	lex.WDecimal: {"DECIMAL", optionalLength | precision | numericOptions}, lex.WDec: {"DECIMAL", optionalLength | precision | numericOptions},
	lex.WNumeric: {"DECIMAL", optionalLength | precision | numericOptions}, lex.WFixed: {"DECIMAL", optionalLength | precision | numericOptions},

	lex.WBit: {"BIT", optionalLength}, lex.WBool: {"BOOLEAN", 0}, lex.WBoolean: {"BOOLEAN", 0},
	lex.WYear: {"YEAR", optionalLength | numericOptions}, lex.WDate: {"DATE", 0}, lex.WTime: {"TIME", optionalLength},
	lex.WTimestamp: {"TIMESTAMP", optionalLength}, lex.WDatetime: {"DATETIME", optionalLength},

	lex.WBinary: {"BINARY", optionalLength}, lex.WVarbinary: {"VARBINARY", neededLength | compressible},
	lex.WVarchar: {"VARCHAR", neededLength | charsetOptions | compressible}, lex.WVarcharacter: {"VARCHAR", neededLength | charsetOptions | compressible},
	lex.WNvarchar: {"NVARCHAR", neededLength | binaryOption | compressible},
	lex.WTinyblob: {"TINYBLOB", compressible}, lex.WBlob: {"BLOB", optionalLength | compressible},
	lex.WMediumblob: {"MEDIUMBLOB", compressible}, lex.WLongblob: {"LONGBLOB", compressible},
	lex.WTinytext: {"TINYTEXT", charsetOptions | compressible}, lex.WText: {"TEXT", optionalLength | charsetOptions | compressible},
	lex.WMediumtext: {"MEDIUMTEXT", charsetOptions | compressible}, lex.WLongtext: {"LONGTEXT", charsetOptions | compressible}, lex.WJson: {"JSON", compressible},
	lex.WEnum: {"ENUM", memberList | charsetOptions}, lex.WSet: {"SET", memberList | charsetOptions},
}

// pluggedTypes are the types without keywords.
var pluggedTypes = map[string]bool{
	"INET4": true, "INET6": true, "UUID": true, "GEOMETRY": true, "POINT": true, "LINESTRING": true, "POLYGON": true, "MULTIPOINT": true,
	"MULTILINESTRING": true, "MULTIPOLYGON": true, "GEOMETRYCOLLECTION": true,
}

// noTypes are the reserved words that cannot even be the name of an unknown type.
var noTypes = map[lex.Word]bool{
	lex.WColumn: true, lex.WCondition: true, lex.WCursor: true, lex.WDelayed: true, lex.WExit: true, lex.WFor: true, lex.WForce: true,
	lex.WHighPriority: true, lex.WMasterDemoteToReplica: true, lex.WMasterDemoteToSlave: true, lex.WSqlCalcFoundRows: true,
	lex.WUnsigned: true, lex.WWrite: true, lex.WSerial: true,
}

// dataType takes a type. Those that have a character set have their COLLATE, too; of others it is the column's.
func dataType(p *parser) *tree.DataType {
	start := p.start()
	t := &tree.DataType{Schema: typeSchema(p)}
	w := p.peek(0).Word
	if t.Schema != "" { // behind a point no word is a keyword
		w = lex.Keyword(p.lx.Text(p.peek(0)))
	}
	rule, ok := typeRules[w]
	switch {
	case ok:
		p.next()
		if w == lex.WDouble {
			p.accept(lex.WPrecision)
		}
	case w == lex.WChar, w == lex.WCharacter, w == lex.WNchar, w == lex.WNational, w == lex.WLong:
		rule = wordyType(p, w)
	default:
		pluggedType(p, t)
	}
	if rule.name != "" {
		t.Name = rule.name
		typeRest(p, t, rule.form)
	}
	t.Span = p.from(start)
	return t
}

// typeSchema takes [schema.], where a type of another dialect is.
func typeSchema(p *parser) string {
	if p.peek(1).Kind != '.' || !p.isName(0) {
		return ""
	}
	name := p.lx.Unquote(p.peek(0))
	switch s := strings.ToLower(name); s {
	case "mariadb_schema", "oracle_schema", "maxdb_schema":
		p.next()
		p.next()
		return s
	}
	p.failWith(mysqlerr.New(mysqlerr.UnknownDataType, name+"."+p.lx.Unquote(p.peek(2))))
	return ""
}

// wordyType takes the types of several words.
func wordyType(p *parser, first lex.Word) typeRule {
	p.next()
	switch first {
	case lex.WChar, lex.WCharacter:
		if p.accept(lex.WVarying) {
			return typeRules[lex.WVarchar]
		}
		return typeRule{"CHAR", optionalLength | charsetOptions}
	case lex.WNational:
		if p.acceptAny(lex.WVarchar, lex.WVarcharacter) != lex.NoWord {
			return typeRules[lex.WNvarchar]
		}
		if p.acceptAny(lex.WChar, lex.WCharacter) == lex.NoWord {
			p.fail()
		}
		if p.accept(lex.WVarying) {
			return typeRules[lex.WNvarchar]
		}
	case lex.WNchar:
		if p.acceptAny(lex.WVarchar, lex.WVarcharacter, lex.WVarying) != lex.NoWord {
			return typeRules[lex.WNvarchar]
		}
	case lex.WLong:
		switch {
		case p.accept(lex.WVarbinary):
			return typeRules[lex.WMediumblob]
		case isCharset(p, 0): // of LONG itself
		case p.acceptAny(lex.WChar, lex.WCharacter) != lex.NoWord:
			p.expect(lex.WVarying)
		default:
			p.acceptAny(lex.WVarchar, lex.WVarcharacter)
		}
		return typeRules[lex.WMediumtext]
	}
	return typeRule{"NCHAR", optionalLength | binaryOption}
}

// pluggedType takes a type without a keyword.
func pluggedType(p *parser, t *tree.DataType) {
	if k := p.peek(0).Kind; k != lex.Name && k != lex.QuotedName || noTypes[p.peek(0).Word] {
		p.fail()
	}
	word := p.peek(0).Word
	name := p.identOf(p.next()).Text
	switch word {
	case lex.WNumber, lex.WClob, lex.WRaw, lex.WVarchar2, lex.WRow, lex.WFunction:
		p.fail() // these are types under another sql_mode only, but the server takes the word first
	}
	t.Name = strings.ToUpper(name)
	typeLength(p, t, optionalLength|precision)
	if p.accept(lex.WRefSystemId) {
		p.expectKind('=')
		t.ReferenceSystem = digits(p)
	}
	if !pluggedTypes[t.Name] {
		p.failWith(mysqlerr.New(mysqlerr.UnknownDataType, name))
	}
}

// typeRest takes what follows the name of a type.
func typeRest(p *parser, t *tree.DataType, form typeForm) {
	typeLength(p, t, form)
	if form&compressible != 0 && p.isWord(lex.WCompressed) {
		t.Compressed = compressed(p)
	}
	if form&memberList != 0 {
		t.Members = inParens(p, func() []*tree.Value { return commas(p, func() *tree.Value { return member(p) }) })
	}
	if form&numericOptions != 0 {
		switch p.acceptAny(lex.WSigned, lex.WUnsigned, lex.WZerofill) {
		case lex.WUnsigned:
			t.Unsigned, t.Zerofill = true, p.accept(lex.WZerofill)
		case lex.WZerofill:
			t.Unsigned, t.Zerofill = p.accept(lex.WUnsigned), true
		}
	}
	if form&charsetOptions != 0 {
		typeCharset(p, t)
	}
	if form&binaryOption != 0 {
		t.Binary = p.accept(lex.WBinary)
	}
	if form&compressible != 0 && t.Compressed == nil && p.isWord(lex.WCompressed) {
		t.Compressed = compressed(p)
	}
}

// typeLength takes (n) and (m,d).
func typeLength(p *parser, t *tree.DataType, form typeForm) {
	if form&(optionalLength|neededLength|precision) == 0 || !p.is('(') && form&neededLength == 0 {
		return
	}
	p.expectKind('(')
	length := p.peek(0)
	if form&(optionalLength|neededLength) != 0 && p.is(lex.Decimal) {
		t.Length = p.lx.Text(p.next())
		p.expectKind(')')
		return
	} else {
		t.Length = p.lx.Text(p.expectKind(lex.Integer))
	}
	if form&precision != 0 && (p.is(',') || form&optionalLength == 0) {
		if !isSmall(t.Length) {
			p.failAt(length)
		}
		p.expectKind(',')
		t.Decimals = digits(p)
	}
	p.expectKind(')')
}

// member takes a member of ENUM or SET.
func member(p *parser) *tree.Value {
	switch p.peek(0).Kind {
	case lex.HexString:
		return value(p, tree.HexValue)
	case lex.BitString:
		return value(p, tree.BitValue)
	case lex.HexNumber, lex.BitNumber:
		return value(p, tree.NumberValue)
	}
	return textValue(p)
}

// typeCharset takes the character set of a type.
func typeCharset(p *parser, t *tree.DataType) {
	switch {
	case p.accept(lex.WByte):
		t.Charset = "binary"
	case p.accept(lex.WBinary):
		t.Binary = true
		charsetOrAlias(p, t)
	case charsetOrAlias(p, t):
		t.Binary = p.accept(lex.WBinary)
	}
	typeCollate(p, t)
}

// typeCollate takes [COLLATE name].
func typeCollate(p *parser, t *tree.DataType) {
	if p.accept(lex.WCollate) {
		t.Collate = nameOrDefault(p, func() string { return collationName(p) })
	}
}

// charsetOrAlias takes CHARACTER SET, or a word for one.
func charsetOrAlias(p *parser, t *tree.DataType) bool {
	switch {
	case p.accept(lex.WAscii):
		t.Charset = "latin1"
	case p.accept(lex.WUnicode):
		t.Charset = "ucs2"
	case acceptCharset(p):
		t.Charset = charsetName(p)
	default:
		return false
	}
	return true
}

// typeWithCollate takes a type and [COLLATE name].
func typeWithCollate(p *parser) *tree.DataType {
	t := dataType(p)
	typeCollate(p, t)
	t.End = p.end
	return t
}
