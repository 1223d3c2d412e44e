package statement

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
)

// Object is a routine, trigger or event that a definition names.
type Object struct {
	Kind     string // procedure, function, trigger, event
	DB, Name string // DB is "" for the session's current database
}

// Objects are those that a statement defines, changes or drops.
func Objects(s tree.Statement) []Object {
	switch n := s.(type) {
	case *tree.CreateRoutine:
		return []Object{objectOf(routineKind(n.Kind), n.Name)}
	case *tree.AlterRoutine:
		return []Object{objectOf(routineKind(n.Kind), n.Name)}
	case *tree.CreateTrigger:
		return []Object{objectOf("trigger", n.Name)}
	case *tree.Event:
		uses := []Object{objectOf("event", n.Name)}
		if n.Rename != nil {
			uses = append(uses, objectOf("event", n.Rename))
		}
		return uses
	case *tree.Drop:
		switch n.What {
		case "PROCEDURE", "FUNCTION", "TRIGGER", "EVENT":
			return []Object{objectOf(n.What, n.Names[0])}
		}
	}
	return nil
}

func objectOf(kind string, name *tree.TableName) Object {
	return Object{Kind: strings.ToLower(kind), DB: name.DB.Text, Name: strings.ToLower(name.Name.Text)}
}

func routineKind(k tree.RoutineKind) string {
	if k == tree.Procedure {
		return "procedure"
	}
	return "function"
}
