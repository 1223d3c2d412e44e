package alter

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// checkLongKeys refuses to make a TEXT or BLOB of a column that is in a key as a whole: MariaDB makes
// another kind of key of it, or refuses, too (1170). It also refuses to make something else of a text of which a key
// has a prefix: there MariaDB takes the whole column.
func (a *alteration) checkLongKeys() error {
	if at := slices.IndexFunc(a.primary, a.becomesLong); at >= 0 {
		return mysqlerr.New(mysqlerr.BlobKeyWithoutLength, a.primary[at].Name)
	}
	if slices.ContainsFunc(a.primary, a.losesPrefix) {
		return notAsMeant("a prefix of a column in the primary key, which is to be no text")
	}
	for _, x := range a.indexes {
		if x.kind != "" {
			continue
		}
		switch {
		case slices.ContainsFunc(x.parts, a.becomesLong):
			return notAsMeant("a TEXT or BLOB in the key " + x.name + " without a length")
		case slices.ContainsFunc(x.parts, a.losesPrefix):
			return notAsMeant("a prefix in the key " + x.name + " of a column that is to be no text")
		}
	}
	return nil
}

// typeOfPart is the type, in lower case, of the old column that a MODIFY or CHANGE makes the part of a key of; "" if
// there is none.
func (a *alteration) typeOfPart(p sql.IndexColumn) string {
	at := slices.IndexFunc(a.columns, func(c *alteredColumn) bool {
		return c.from >= 0 && c.clause != nil && strings.EqualFold(c.name, p.Name)
	})
	if at < 0 {
		return ""
	}
	return strings.ToLower(a.columns[at].spec().Type.Type)
}

// isLongType reports whether a type, in lower case, is one of which keys have prefixes only.
func isLongType(typ string) bool {
	return strings.HasSuffix(typ, "text") || strings.HasSuffix(typ, "blob") || typ == "json"
}

func (a *alteration) becomesLong(p sql.IndexColumn) bool {
	return p.Length == 0 && isLongType(a.typeOfPart(p))
}

func (a *alteration) losesPrefix(p sql.IndexColumn) bool {
	typ := a.typeOfPart(p)
	return p.Length > 0 && typ != "" && !isLongType(typ) && !strings.Contains(typ, "char") && !strings.Contains(typ, "binary")
}

// checkPrimary refuses what cannot be a primary key: go-mysql-server looks at the parts of other keys only.
func (a *alteration) checkPrimary(parts []sql.IndexColumn) error {
	for _, p := range parts {
		at := slices.IndexFunc(a.columns, func(c *alteredColumn) bool { return strings.EqualFold(c.name, p.Name) })
		if at < 0 {
			continue
		}
		sqlType, computed := a.typeAndKind(a.columns[at])
		switch long := isLongType(sqlType); {
		case computed:
			return mysqlerr.New(mysqlerr.PrimaryKeyOnGenerated)
		case p.Length == 0 && long:
			return mysqlerr.New(mysqlerr.BlobKeyWithoutLength, p.Name)
		case p.Length > 0 && !long:
			chars, err := strconv.ParseInt(between(sqlType, "(", ")"), 10, 64)
			if !strings.Contains(sqlType, "char") && !strings.Contains(sqlType, "binary") || err == nil && p.Length > chars {
				return mysqlerr.New(mysqlerr.WrongSubKey)
			}
		}
	}
	return nil
}

// typeAndKind is the type of a column, in lower case and without what follows its length, and whether the column is
// computed.
func (a *alteration) typeAndKind(c *alteredColumn) (sqlType string, computed bool) {
	if spec := c.spec(); spec != nil {
		sqlType = strings.ToLower(spec.Type.Type)
		if spec.Type.Length != nil {
			sqlType += "(" + string(spec.Type.Length.Val) + ")"
		}
		return sqlType, spec.Type.GeneratedExpr != nil
	}
	was := &a.old.Columns[c.from]
	sqlType = strings.ToLower(was.SQLType)
	if end := strings.IndexAny(sqlType, ") "); end >= 0 {
		sqlType = strings.TrimSuffix(sqlType[:end+1], " ")
	}
	return sqlType, was.Generated != ""
}

// between is the text between two marks, "" without them.
func between(s, from, to string) string {
	_, s, _ = strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	return s
}
