package dialect

import "strings"

// QuoteName writes an identifier in backquotes.
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// QuoteString writes a string literal, for any sql_mode but NO_BACKSLASH_ESCAPES.
func QuoteString(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), "'", "''") + "'"
}
