package session

import (
	"unicode/utf8"

	"github.com/duramendb/duramen/mysql"
	"github.com/duramendb/duramen/query/clienttext"
	"github.com/duramendb/duramen/query/types/charset"
)

// Texts are conversions between the character sets of a session and UTF-8, in which the server has texts.
type Texts struct{ s *Session }

// TextsOf are those of a session.
func TextsOf(s *Session) Texts { return Texts{s} }

// client is the character set in which the client sends statements; nil for one that needs no conversion.
func (t Texts) client() *charset.Set {
	set, ok := charset.SetByName(t.s.Vars.Str("character_set_client"))
	if !ok || !clienttext.Foreign(set) {
		return nil
	}
	return set
}

// FromClient is a text that the client has sent, as the server reads it: UTF-8. Its error says that a name is no text of the client's character set.
func (t Texts) FromClient(text string) (string, error) {
	return clienttext.Encode(text, t.client(), t.s.LexMode)
}

// NameFromClient is the name of something that the client has sent by itself.
func (t Texts) NameFromClient(name string) string {
	set := t.client()
	if set == nil || set.IsASCII([]byte(name)) {
		return name
	}
	utf8mb4, _ := charset.SetByName("utf8mb4")
	out, _ := charset.Convert(nil, utf8mb4, set, []byte(name))
	return string(out)
}

// ToClient is what the client has sent for a text.
func (t Texts) ToClient(text string) string {
	set := t.client()
	if set == nil {
		return text
	}
	out, _ := clienttext.Decode(text, set)
	return string(out)
}

// logged is a text in the character set that the log names for it, and the number of that one's collation: the client's, if it has all characters.
func (t Texts) logged(text string) (out string, collation uint16) {
	if set := t.client(); set != nil {
		if out, lossy := clienttext.Decode(text, set); !lossy {
			text = string(out)
		} else {
			return text, mysql.Collation_utf8mb4_general_ci
		}
	}
	return text, t.s.Server.SQL.CharsetID(t.s.Vars.Str("character_set_client"))
}

// Results is character_set_results, if UTF-8 has to be converted to it; nil if not.
func (t Texts) Results() *charset.Set {
	set, ok := charset.SetByName(t.s.Vars.Str("character_set_results"))
	if !ok || set.Name() == "binary" || set.Name() == "utf8mb4" {
		return nil
	}
	return set
}

// SameIn reports whether a UTF-8 text has the same bytes in a character set, looking at ASCII only. The backslash of sjis is another one.
func SameIn(set *charset.Set, text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] == '\\' {
			return false
		}
	}
	return set.ASCIIBytes()
}

// ToResults is a UTF-8 text in the character set of results.
func (t Texts) ToResults(text []byte) []byte {
	set := t.Results()
	if set == nil || SameIn(set, string(text)) {
		return text
	}
	utf8mb4, _ := charset.SetByName("utf8mb4")
	out, _ := charset.Convert(nil, set, utf8mb4, text)
	return out
}

// ForResults is a message whose characters that character_set_results lacks are numbers.
func (t Texts) ForResults(message string) string {
	if set := t.Results(); set != nil {
		return clienttext.Numbered(message, set)
	}
	return message
}

// ResultCollation is the number of the default collation of character_set_results.
func (t Texts) ResultCollation() uint16 {
	if set, ok := charset.SetByName(t.s.Vars.Str("character_set_results")); ok {
		return set.Default().ID()
	}
	return mysql.Collation_utf8mb4_general_ci
}
