package clone

import (
	"context"
	"fmt"
	"strings"
)

// create makes definitions in the new server, and returns what it refuses. Triggers are tried and dropped: they would run for the rows that
// are loaded.
func (t *target) create(ctx context.Context, inv *inventory) ([]Problem, error) {
	if err := t.dropDatabases(ctx); err != nil {
		return nil, err
	}
	var problems []Problem
	var views []*definition
	for _, d := range inv.definitions {
		switch d.kind {
		case kindView:
			views = append(views, d)
			continue
		case kindTrigger, kindEvent:
			continue // of tables and views
		}
		if err := t.make(ctx, d); err != nil {
			problems = append(problems, Problem{Kind: d.kind, Name: d.title(), Err: err})
		}
	}
	problems = append(problems, t.createViews(ctx, views)...)
	for _, d := range inv.definitions {
		if d.kind != kindTrigger && d.kind != kindEvent {
			continue
		}
		err := t.make(ctx, d)
		if err == nil && d.kind == kindTrigger {
			err = execAll(ctx, t.admin, "DROP TRIGGER "+quoteName(d.database)+"."+quoteName(d.name))
		}
		if err != nil {
			problems = append(problems, Problem{Kind: d.kind, Name: d.title(), Err: err})
		}
	}
	for _, d := range inv.grants {
		if len(d.missing) > 0 {
			problems = append(problems, Problem{Kind: kindGrant, Name: d.name, Err: fmt.Errorf("privileges that only MySQL has: %s (they alone are left out)", strings.Join(d.missing, ", "))})
		}
		if d.create == "" {
			continue
		}
		if err := execAll(ctx, t.admin, d.create); err != nil {
			problems = append(problems, Problem{Kind: kindGrant, Name: d.name, Err: err})
		}
	}
	return problems, ctx.Err()
}

// unfillable are the tables whose rows would have to be written by the new server's fallback, and which that does not write. They are dropped again.
func (t *target) unfillable(ctx context.Context, tables []*table) []Problem {
	var problems []Problem
	for _, table := range tables {
		if table.loadable {
			continue
		}
		names := table.names()
		err := execAll(ctx, t.admin, "INSERT INTO "+table.quoted()+names+" SELECT "+strings.Trim(names, " ()")+" FROM "+table.quoted()+" LIMIT 0")
		if err == nil {
			continue
		}
		if dropErr := execAll(ctx, t.admin, "DROP TABLE "+table.quoted()); dropErr != nil {
			err = fmt.Errorf("%w (and dropping it: %w)", err, dropErr)
		}
		problems = append(problems, Problem{Kind: kindTable, Name: table.title(), Err: fmt.Errorf("its rows cannot be written: %w", err)})
	}
	return problems
}

// dropDatabases drops what a new server has.
func (t *target) dropDatabases(ctx context.Context) error {
	list, err := oneText(ctx, t.admin, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA")
	if err != nil {
		return err
	}
	for _, name := range list {
		if !system(name) {
			if err := execAll(ctx, t.admin, "DROP DATABASE "+quoteName(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// createViews makes views in rounds, since they may be above each other, until a round makes none.
func (t *target) createViews(ctx context.Context, views []*definition) []Problem {
	for {
		var left []*definition
		var problems []Problem
		for _, d := range views {
			if err := t.make(ctx, d); err != nil {
				left = append(left, d)
				problems = append(problems, Problem{Kind: d.kind, Name: d.title(), Err: err})
			}
		}
		if len(left) == 0 || len(left) == len(views) {
			return problems
		}
		views = left
	}
}

// createTriggers makes the triggers, but those that were refused before.
func (t *target) createTriggers(ctx context.Context, inv *inventory, problems []Problem) error {
	refused := make(map[string]bool)
	for _, p := range problems {
		refused[p.Kind+p.Name] = true
	}
	for _, d := range inv.definitions {
		if d.kind == kindTrigger && !refused[d.kind+d.title()] {
			if err := t.make(ctx, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// make runs the statement of a definition in its database, with the settings that it was made with.
func (t *target) make(ctx context.Context, d *definition) error {
	if d.refused != nil {
		return d.refused
	}
	create := d.create
	if d.kind == kindUser {
		exists, err := oneText(ctx, t.admin, "SELECT COUNT(*) FROM mysql.user WHERE CONCAT(User, '@', Host) = "+quoteText(d.name))
		if err != nil {
			return err
		}
		if len(exists) == 1 && exists[0] != "0" {
			create = alterUser(create)
		}
	}
	statements := []string{create}
	if d.kind == kindEvent && d.enabled {
		statements = append(statements, d.disable())
	}
	return t.settled(ctx, d, statements...)
}

// disable is the statement that keeps an event of a primary from being run by a replica, and leaves it whose it is.
func (d *definition) disable() string {
	user, host := d.definer, ""
	if at := strings.LastIndexByte(user, '@'); at >= 0 {
		user, host = user[:at], user[at+1:]
	}
	return "ALTER DEFINER = " + accountOf(user, host) + " EVENT " + quoteName(d.name) + " DISABLE ON SLAVE"
}

// settled runs statements in the database of a definition, with the settings that it was made with.
func (t *target) settled(ctx context.Context, d *definition, run ...string) error {
	statements := []string{}
	if d.database != "" {
		statements = append(statements, "USE "+quoteName(d.database))
	}
	mode := createMode
	switch d.kind {
	case kindProcedure, kindFunction, kindPackage, kindBody, kindTrigger, kindEvent:
		mode = d.sqlMode
	}
	statements = append(statements, "SET SESSION sql_mode = "+quoteText(mode))
	// The texts are UTF-8. Sets that are, too, are kept by their names; of others only the collation of literals is.
	client := "utf8mb4"
	if strings.HasPrefix(d.client, "utf8") {
		client = d.client
	}
	statements = append(statements, "SET NAMES "+client)
	if d.collation != "" {
		statements = append(statements, "SET SESSION collation_connection = "+d.collation)
	}
	if d.zone != "" {
		statements = append(statements, "SET SESSION time_zone = "+quoteText(d.zone))
	}
	err := execAll(ctx, t.admin, append(statements, run...)...)
	back := execAll(ctx, t.admin, "SET NAMES utf8mb4", "SET SESSION time_zone = '+00:00', sql_mode = '"+loadMode+"'")
	if err == nil && back != nil {
		err = fmt.Errorf("after its definition: %w", back)
	}
	return err
}
