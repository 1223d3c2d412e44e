package status

import "github.com/duramendb/duramen/query/dialect/tree"

// Of is the counter of a statement that is none of the session's own, None if it has none here.
func Of(s tree.Statement) Kind {
	switch n := s.(type) {
	case tree.Query:
		return Select
	case *tree.Insert:
		k := Insert
		if n.Replace {
			k = Replace
		}
		if n.Query != nil {
			k++ // the one of its SELECT form
		}
		return k
	case *tree.Update:
		if _, one := n.Tables[0].(*tree.Table); one && len(n.Tables) == 1 {
			return Update
		}
		return UpdateMulti
	case *tree.Delete:
		if n.Targets != nil {
			return DeleteMulti
		}
		return Delete
	case *tree.Load:
		return Load
	case *tree.Set:
		return Set
	case *tree.CallRoutine:
		return Call
	case *tree.Use:
		return ChangeDB
	}
	return ofDefinition(s)
}

func ofDefinition(s tree.Statement) Kind {
	switch n := s.(type) {
	case *tree.CreateDatabase:
		return CreateDB
	case *tree.AlterDatabase:
		return AlterDB
	case *tree.CreateTable:
		return CreateTable
	case *tree.AlterTable:
		return AlterTable
	case *tree.CreateIndex:
		return CreateIndex
	case *tree.DropIndex:
		return DropIndex
	case *tree.RenameTables:
		return RenameTable
	case *tree.Truncate:
		return Truncate
	case *tree.View:
		return CreateView
	case *tree.Drop:
		switch n.What {
		case "TABLE":
			return DropTable
		case "VIEW":
			return DropView
		case "DATABASE":
			return DropDB
		}
	}
	return None
}
