package own

import (
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// checkNames refuses names of tables and databases of which nothing stands between the quotes: a value means something else by them.
func checkNames(s tree.Statement) error {
	switch n := s.(type) {
	case *tree.Show:
		return checkShown(n)
	case *tree.Describe:
		return checkTable(n.Table)
	case *tree.LockTables:
		return firstError(n.Tables, func(t *tree.LockedTable) error { return checkTable(t.Name) })
	case *tree.Flush:
		return firstError(n.Tables, checkTable)
	case *tree.Maintain:
		return firstError(n.Tables, func(t *tree.MaintainedTable) error { return checkTable(t.Table) })
	case *tree.Grant:
		if err := checkDB(n.On.DB); err != nil || n.On.AllTables {
			return err
		}
		return checkTable(&tree.TableName{DB: n.On.DB, Name: n.On.Name})
	}
	return nil
}

func checkShown(n *tree.Show) error {
	if err := checkDB(n.DB); err != nil || n.Object == nil {
		return err
	}
	if n.What == "CREATE DATABASE" {
		return checkDB(n.Object.Name)
	}
	return checkTable(n.Object)
}

func firstError[T any](all []T, check func(T) error) error {
	for _, one := range all {
		if err := check(one); err != nil {
			return err
		}
	}
	return nil
}

func checkTable(n *tree.TableName) error {
	if n.Name.Text == "" {
		return mysqlerr.New(mysqlerr.WrongTableName, "")
	}
	return checkDB(n.DB)
}

// checkDB refuses a name that is there and empty.
func checkDB(n tree.Ident) error {
	if n.Text == "" && n.End > 0 {
		return mysqlerr.New(mysqlerr.WrongDBName, "")
	}
	return nil
}
