package catalog

import "strings"

// fold is the form of a name of which there is one: databases, tables, columns and indexes differ by more than case. Databases and tables are found by
// their exact names nevertheless, as in a MariaDB with lower_case_table_names=0.
func fold(s string) string { return Fold(s) }

// Fold is fold for other packages: names that fold to the same are the same name.
func Fold(s string) string { return strings.ToLower(s) }

func foldEqual(a, b string) bool { return a == b || fold(a) == fold(b) }

type tableName struct{ db, name string }

type objectName struct{ kind, db, name string }

func foldTable(db, name string) tableName { return tableName{fold(db), fold(name)} }

func foldObject(kind, db, name string) objectName {
	return objectName{kind, fold(db), fold(name)}
}
