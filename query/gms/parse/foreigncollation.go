package parse

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/query/mysqlerr"
)

// Collations of MySQL 8 have no number that MariaDB knows. They never get into a definition: replicas
// and restores of dumps would stop at them.

// ForeignCollation reports whether a collation is one that MariaDB does not have.
func ForeignCollation(name string) bool {
	return strings.Contains(strings.ToLower(name), "_0900_")
}

// CheckCollations refuses definitions that name such a collation (1273).
func CheckCollations(ast sqlparser.Statement) error {
	check := func(name string) error {
		if name = strings.Trim(name, "'\"`"); ForeignCollation(name) {
			return mysqlerr.New(mysqlerr.UnknownCollation, name)
		}
		return nil
	}
	table := func(d *sqlparser.DDL) error {
		if d.AlterCollationSpec != nil {
			if err := check(d.AlterCollationSpec.Collation); err != nil {
				return err
			}
		}
		if d.TableSpec == nil {
			return nil
		}
		for _, o := range d.TableSpec.TableOpts {
			if strings.EqualFold(o.Name, "collate") {
				if err := check(o.Value); err != nil {
					return err
				}
			}
		}
		for _, c := range d.TableSpec.Columns {
			if err := check(c.Type.Collate); err != nil {
				return err
			}
		}
		return nil
	}
	switch n := ast.(type) {
	case *sqlparser.DBDDL:
		for _, c := range n.CharsetCollate {
			if err := check(c.Value); err != nil {
				return err
			}
		}
	case *sqlparser.DDL:
		return table(n)
	case *sqlparser.AlterTable:
		for _, d := range n.Statements {
			if err := table(d); err != nil {
				return err
			}
		}
	}
	return nil
}
