package apply

import (
	"context"
	"fmt"

	"github.com/duramendb/duramen/replication/replica/primary"
)

// generation computes generated columns of the rows of an event. What it needs is found with the first of them.
type generation struct {
	found    bool
	complete func(image []byte) ([]byte, error) // nil: there is nothing to compute
}

// lacking computes the generated columns that the event does not have.
func (c *change) lacking(ctx context.Context, image []byte) ([]byte, error) {
	present := c.rows.BitmapAfter
	if c.rows.IsWrite() {
		present = c.rows.BitmapBefore
	}
	return c.generate(ctx, &c.lacks, image, func(column int) bool { return c.m.plan.Generated(column, present, c.rows.IsUpdate()) })
}

// generate computes some of the generated columns of a row.
func (c *change) generate(ctx context.Context, g *generation, image []byte, computed func(column int) bool) ([]byte, error) {
	if !g.found {
		if err := c.findGeneration(ctx, g, computed); err != nil {
			return nil, err
		}
	}
	if g.complete == nil {
		return image, nil
	}
	return g.complete(image)
}

func (c *change) findGeneration(ctx context.Context, g *generation, computed func(column int) bool) (err error) {
	g.found = true
	def := c.m.table.Def
	for i := range def.Columns {
		if def.Columns[i].Generated == "" || !computed(i) {
			continue
		}
		if err := c.a.openSession(); err != nil {
			return err
		}
		g.complete, err = c.a.session.Generation(ctx, c.e, c.m.table, computed)
		if g.complete == nil && err == nil {
			err = &primary.Error{Number: 1235, Text: fmt.Sprintf("This version of MariaDB doesn't yet support 'computing column %s of table %s.%s, which the primary has not sent, or which a trigger "+
				"here has changed'. Have the primary send full images (binlog_row_image=FULL) and slave_run_triggers_for_rbr=NO, or drop the column here; then START SLAVE", def.Columns[i].Name, def.DB, def.Name)}
		}
		return err
	}
	return nil
}
