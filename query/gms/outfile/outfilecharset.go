package outfile

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/encodings"

	"github.com/duramendb/duramen/query/dialect"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// INTO OUTFILE writes each text in the character set of its column, unless the statement names one (binary
// is none): what is kept here is UTF-8.

// outfileEncoders are those of a result's columns; nil for text that is written as it is kept. text is the statement.
func outfileEncoders(schema sql.Schema, text string, mode dialect.Mode) ([]encodings.Encoder, error) {
	named := outfileCharset(text, mode)
	if named != "" && named != "binary" {
		return nil, nil // refused unless it is UTF-8: useStoredCharset
	}
	out := make([]encodings.Encoder, len(schema))
	for i, col := range schema {
		t, ok := col.Type.(sql.TypeWithCollation)
		if !ok {
			continue
		}
		switch cs := t.Collation().CharacterSet(); cs {
		case sql.CharacterSet_binary, sql.CharacterSet_utf8mb4, sql.CharacterSet_utf8mb3, sql.CharacterSet_ascii:
		default:
			if out[i] = cs.Encoder(); out[i] == nil || cs.MaxLength() > 1 {
				return nil, mysqlerr.NotYet("INTO OUTFILE of text in " + cs.Name())
			}
		}
	}
	return out, nil
}

// outfileCharset is the name after INTO OUTFILE '...' CHARACTER SET, in small letters; empty without one.
func outfileCharset(text string, mode dialect.Mode) string {
	toks := dialect.Tokens(text, mode, 0)
	for i, t := range toks {
		if !t.Is("OUTFILE") || i+3 >= len(toks) || toks[i+1].Kind != dialect.String {
			continue
		}
		switch at := i + 2; {
		case toks[at].Is("CHARSET"):
			return strings.ToLower(toks[at+1].Text)
		case toks[at].Is("CHARACTER") && toks[at+1].Is("SET") && at+2 < len(toks):
			return strings.ToLower(toks[at+2].Text)
		}
	}
	return ""
}
