package dialect

import "strings"

// serverVersionID is our version as versioned comments compare with it.
const serverVersionID = 101114

// OpenComments replaces the executable comments /*! */, /*!NNNNN */ and /*M! */ by
// what they hold, if a MariaDB of our version would run it, or by a space.
// Text without such comments is returned as it is.
func OpenComments(sql string, mode Mode) string {
	if !strings.Contains(sql, "/*!") && !strings.Contains(sql, "/*M!") {
		return sql
	}
	s := Scanner{SQL: sql, Mode: mode}
	var b strings.Builder
	b.Grow(len(sql))
	open := false // the first */ ends an executable comment, whatever was opened in it
	for s.pos < len(sql) {
		c := sql[s.pos]
		rest := sql[s.pos:]
		switch {
		case c == '\'' || c == '"' || c == '`':
			end := s.quotedEnd(s.pos)
			b.WriteString(sql[s.pos:end])
			s.pos = end
		case strings.HasPrefix(rest, "/*!"), strings.HasPrefix(rest, "/*M!"):
			body, run := versionedComment(rest)
			before := s.pos
			if run {
				open = true
				s.pos += body
			} else {
				s.pos = skipNested(sql, s.pos)
			}
			if !apart(sql, before, s.pos) {
				b.WriteByte(' ')
			}
		case open && strings.HasPrefix(rest, "*/"):
			open = false
			if s.pos += 2; !apart(sql, s.pos-2, s.pos) {
				b.WriteByte(' ')
			}
		case s.commentAt(s.pos) > 0:
			end := s.commentAt(s.pos)
			b.WriteString(sql[s.pos:end])
			s.pos = end
		default:
			b.WriteByte(c)
			s.pos++
		}
	}
	return b.String()
}

// apart reports whether what is before a place and what is from another one on are not to be read as one token. Then nothing is put between
// them: columns are named by the text.
func apart(sql string, before, from int) bool {
	const blanks = " \t\n\r"
	return before == 0 || from >= len(sql) || strings.IndexByte(blanks+"(),+", sql[before-1]) >= 0 || strings.IndexByte(blanks+"),+", sql[from]) >= 0
}

// versionedComment reads the opening of an executable comment: its length, and
// whether a server of our version runs it. As in MariaDB, versions of MySQL 5.7
// and later are not run unless the comment is for MariaDB (M!).
func versionedComment(s string) (length int, run bool) {
	i := 3
	forMariaDB := s[2] == 'M'
	if forMariaDB {
		i = 4
	}
	version, digits := 0, 0
	for digits < 6 && i < len(s) && s[i] >= '0' && s[i] <= '9' {
		version = version*10 + int(s[i]-'0')
		i++
		digits++
	}
	switch {
	case digits == 0:
		return i, true
	case digits < 5: // part of the statement, not a version
		return i - digits, true
	case version > serverVersionID:
		return i, false
	case !forMariaDB && version >= 50700 && version <= 99999:
		return i, false
	}
	return i, true
}

// skipNested returns the end of the comment that starts at i, with the comments inside it.
func skipNested(sql string, i int) int {
	depth := 0
	for i < len(sql) {
		switch {
		case strings.HasPrefix(sql[i:], "/*"):
			depth++
			i += 2
		case strings.HasPrefix(sql[i:], "*/"):
			depth--
			i += 2
			if depth == 0 {
				return i
			}
		default:
			i++
		}
	}
	return i
}
