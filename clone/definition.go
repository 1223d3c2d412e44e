package clone

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// definition is a thing of the source that a statement makes.
type definition struct {
	kind     string
	database string // "" for databases and accounts
	name     string
	// create is the statement, without the database's name: it is run in it.
	create string
	// sqlMode, client, collation and zone are the session's settings that the statement was made with, where the server keeps them.
	sqlMode, client, collation, zone string
	// refused says why the new server cannot have it, if that is known before it is asked.
	refused error
	// enabled is an event that was, and definer whose it is.
	enabled bool
	definer string
	// missing are the privileges of a grant that the new server does not have. create is without them, and "" if it has no other ones.
	missing []string
}

// title names a definition in reports.
func (d *definition) title() string {
	if d.database == "" {
		return d.name
	}
	return d.database + "." + d.name
}

// inventory is all definitions of a source.
type inventory struct {
	definitions []*definition
	tables      []*table
	grants      []*definition
}

// counter is what differs between two readings of a table's definition when only rows were added.
var counter = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

// equal tells whether two readings found the same definitions.
func (inv *inventory) equal(other *inventory) bool {
	plain := func(all []*definition) []definition {
		var list []definition
		for _, d := range all {
			c := *d
			if d.kind == kindTable {
				c.create = counter.ReplaceAllString(c.create, "")
			}
			list = append(list, c)
		}
		return list
	}
	return reflect.DeepEqual(plain(inv.definitions), plain(other.definitions)) && reflect.DeepEqual(plain(inv.grants), plain(other.grants))
}

// readInventory reads all definitions, in the order in which they can be made, but for views.
func (s *source) readInventory(ctx context.Context, accounts bool) (*inventory, error) {
	inv := &inventory{}
	if accounts {
		if err := s.readAccounts(ctx, inv); err != nil {
			return nil, err
		}
	}
	databases, err := query(ctx, s.admin, "SELECT SCHEMA_NAME AS n FROM information_schema.SCHEMATA ORDER BY SCHEMA_NAME")
	if err != nil {
		return nil, err
	}
	databases = slices.DeleteFunc(databases, func(r record) bool { return system(r["n"]) })
	for _, r := range databases {
		shown, err := queryOne(ctx, s.admin, "SHOW CREATE DATABASE "+quoteName(r["n"]))
		if err != nil {
			return nil, err
		}
		inv.definitions = append(inv.definitions, &definition{kind: kindDatabase, name: r["n"], create: shown["Create Database"]})
	}
	for _, read := range []func(context.Context, *inventory, string) error{s.readTables, s.readRoutines, s.readViews, s.readTriggers, s.readEvents} {
		for _, r := range databases {
			if err := read(ctx, inv, r["n"]); err != nil {
				return nil, err
			}
		}
	}
	if s.flavor == mySQL {
		for _, d := range inv.definitions {
			d.ofMySQL()
		}
	}
	return inv, nil
}

// show appends what a SHOW CREATE statement says; text is the column with the statement.
func (s *source) show(ctx context.Context, inv *inventory, d *definition, statement, text string) error {
	r, err := queryOne(ctx, s.admin, statement+" "+quoteName(d.database)+"."+quoteName(d.name))
	if err != nil {
		return err
	}
	if d.create = r[text]; d.create == "" {
		return fmt.Errorf("%s shows no definition of %s: the user lacks a privilege", statement, d.title())
	}
	d.sqlMode, d.client, d.collation, d.zone = r["sql_mode"], r["character_set_client"], r["collation_connection"], r["time_zone"]
	inv.definitions = append(inv.definitions, d)
	return nil
}

func (s *source) readTables(ctx context.Context, inv *inventory, database string) error {
	list, err := query(ctx, s.admin, "SELECT TABLE_NAME AS n, TABLE_TYPE AS type, ENGINE AS engine, TABLE_ROWS AS row_count, DATA_LENGTH AS bytes "+
		"FROM information_schema.TABLES WHERE TABLE_SCHEMA = "+quoteText(database)+" AND TABLE_TYPE NOT IN ('VIEW', 'SYSTEM VIEW') ORDER BY TABLE_NAME")
	if err != nil {
		return err
	}
	columns, err := s.readColumns(ctx, database)
	if err != nil {
		return err
	}
	keys, err := s.readKeys(ctx, database)
	if err != nil {
		return err
	}
	for _, r := range list {
		d := &definition{kind: kindTable, database: database, name: r["n"]}
		if r["type"] == "SEQUENCE" {
			d.kind = kindSequence
			if err := s.show(ctx, inv, d, "SHOW CREATE SEQUENCE", "Create Table"); err != nil {
				return err
			}
			continue
		}
		if err := s.show(ctx, inv, d, "SHOW CREATE TABLE", "Create Table"); err != nil {
			return err
		}
		t := &table{database: database, name: r["n"], columns: columns[r["n"]], key: keys[r["n"]], engine: r["engine"],
			transactional: s.transactional[strings.ToLower(r["engine"])]}
		if !slices.ContainsFunc(t.columns, func(c column) bool { return c.name == t.key && c.integer }) {
			t.key = ""
		}
		t.estimate(r["row_count"], r["bytes"])
		t.setLoadable(d.create)
		inv.tables = append(inv.tables, t)
	}
	return nil
}

func (s *source) readRoutines(ctx context.Context, inv *inventory, database string) error {
	list, err := query(ctx, s.admin, "SELECT ROUTINE_NAME AS n, ROUTINE_TYPE AS type FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = "+
		quoteText(database)+" ORDER BY ROUTINE_TYPE, ROUTINE_NAME")
	if err != nil {
		return err
	}
	for _, r := range list {
		d := &definition{kind: strings.ToLower(r["type"]), database: database, name: r["n"]}
		text := map[string]string{kindProcedure: "Create Procedure", kindFunction: "Create Function", kindPackage: "Create Package", kindBody: "Create Package Body"}[d.kind]
		if err := s.show(ctx, inv, d, "SHOW CREATE "+r["type"], text); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) readViews(ctx context.Context, inv *inventory, database string) error {
	list, err := query(ctx, s.admin, "SELECT TABLE_NAME AS n FROM information_schema.VIEWS WHERE TABLE_SCHEMA = "+quoteText(database)+" ORDER BY TABLE_NAME")
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := s.show(ctx, inv, &definition{kind: kindView, database: database, name: r["n"]}, "SHOW CREATE VIEW", "Create View"); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) readTriggers(ctx context.Context, inv *inventory, database string) error {
	list, err := query(ctx, s.admin, "SELECT TRIGGER_NAME AS n FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = "+quoteText(database)+
		" ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER")
	if err != nil {
		return err
	}
	for _, r := range list {
		if err := s.show(ctx, inv, &definition{kind: kindTrigger, database: database, name: r["n"]}, "SHOW CREATE TRIGGER", "SQL Original Statement"); err != nil {
			return err
		}
	}
	return nil
}

func (s *source) readEvents(ctx context.Context, inv *inventory, database string) error {
	list, err := query(ctx, s.admin, "SELECT EVENT_NAME AS n, STATUS AS status, DEFINER AS definer FROM information_schema.EVENTS WHERE EVENT_SCHEMA = "+
		quoteText(database)+" ORDER BY EVENT_NAME")
	if err != nil {
		return err
	}
	for _, r := range list {
		d := &definition{kind: kindEvent, database: database, name: r["n"], enabled: r["status"] == "ENABLED", definer: r["definer"]}
		if err := s.show(ctx, inv, d, "SHOW CREATE EVENT", "Create Event"); err != nil {
			return err
		}
	}
	return nil
}
