package syntax

import "github.com/dolthub/vitess/go/vt/sqlparser"

// objectUse is a routine, trigger or event that a definition names.
type objectUse struct{ Kind, DB, Name string }

func ObjectsOf(ast sqlparser.Statement) []objectUse {
	d, ok := ast.(*sqlparser.DDL)
	if !ok {
		return nil
	}
	var uses []objectUse
	if p := d.ProcedureSpec; p != nil {
		uses = append(uses, objectUse{"procedure", p.ProcName.Qualifier.String(), p.ProcName.Name.Lowered()})
	}
	if t := d.TriggerSpec; t != nil {
		uses = append(uses, objectUse{"trigger", t.TrigName.Qualifier.String(), t.TrigName.Name.Lowered()})
	}
	if e := d.EventSpec; e != nil {
		uses = append(uses, objectUse{"event", e.EventName.Qualifier.String(), e.EventName.Name.Lowered()})
		if !e.RenameName.IsEmpty() {
			uses = append(uses, objectUse{"event", e.RenameName.Qualifier.String(), e.RenameName.Name.Lowered()})
		}
	}
	return uses
}

// DefinerOf is the DEFINER clause of a statement; ok is false if it makes nothing that has a definer.
func DefinerOf(ast sqlparser.Statement) (definer string, ok bool) {
	d, isDDL := ast.(*sqlparser.DDL)
	if !isDDL || d.Action != sqlparser.CreateStr {
		return "", false
	}
	switch {
	case d.ViewSpec != nil:
		return d.ViewSpec.Definer, true
	case d.ProcedureSpec != nil:
		return d.ProcedureSpec.Definer, true
	case d.TriggerSpec != nil:
		return d.TriggerSpec.Definer, true
	case d.EventSpec != nil:
		return d.EventSpec.Definer, true
	}
	return "", false
}
