package alter

import (
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/query/gms/tables"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// checkAddresses refuses clauses by which expressions over UUID, INET4 and INET6 columns would be computed for the rows that are there: only SQL of
// our own computes with these.
func (a *alteration) checkAddresses() error {
	whole := &catalog.TableDef{Columns: append([]catalog.ColumnDef{}, a.old.Columns...)}
	for _, c := range a.columns {
		if c.spec() == nil {
			continue
		}
		typ, ok := c.spec().Type.ResolvedType.(interface{ String() string })
		if ok {
			whole.Columns = append(whole.Columns, catalog.ColumnDef{Name: c.name, SQLType: typ.String()})
		}
	}
	for _, d := range a.addedConstraints {
		if check, ok := d.TableSpec.Constraints[0].Details.(*sqlparser.CheckConstraintDefinition); ok {
			if err := tables.RefuseNaming(whole, sqlparser.String(check.Expr), "ALTER TABLE that adds a CHECK"); err != nil {
				return err
			}
		}
	}
	for _, c := range a.columns {
		spec := c.spec()
		if spec == nil {
			continue
		}
		if typ := &spec.Type; typ.GeneratedExpr != nil {
			if tables.IsAddressType(typ.Type) {
				return mysqlerr.NotYet("ALTER TABLE that adds a generated column of type " + typ.Type)
			}
			if err := tables.RefuseNaming(whole, sqlparser.String(typ.GeneratedExpr), "ALTER TABLE that adds a generated column"); err != nil {
				return err
			}
		}
		if _, literal := spec.Type.Default.(*sqlparser.SQLVal); spec.Type.Default != nil && !literal && c.from < 0 {
			if err := tables.RefuseNaming(whole, sqlparser.String(spec.Type.Default), "ALTER TABLE that adds a default"); err != nil {
				return err
			}
		}
	}
	return nil
}
