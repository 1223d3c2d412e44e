package commit

import (
	"fmt"

	"github.com/duramendb/duramen/catalog"
	"github.com/duramendb/duramen/engine"
	"github.com/duramendb/duramen/gtid"
	"github.com/duramendb/duramen/txn"
)

// Applier makes transactions that are in the log visible. The pipeline calls Add and Apply in the apply stage, in log
// order; an error of either ends the process.
type Applier interface {
	// Writable returns the error of the disk when Apply would soon have to wait for it; see engine.Pressed.
	Writable() error
	// Add adds a request to what the next Apply makes visible. After a request with a change of the catalog, or with an
	// import, Apply follows before the next Add.
	Add(req *txn.CommitRequest) error
	// Apply makes visible what was added, all at once with the mark, which says where in the log that ends. With nothing
	// added it moves the mark.
	Apply(mark engine.Mark) error
	// Applied is the mark of the last Apply.
	Applied() engine.Mark
	// Resetter is how it follows to another log (RESET MASTER); nil if it cannot.
	Resetter() Resetter
}

// Resetter moves what an Applier has applied to another log.
type Resetter interface {
	engine.MarkResetter
	Checkpoint() (engine.Mark, error)
}

// EngineApplier applies to an engine, one batch at a time, and to the catalog.
func EngineApplier(e engine.Engine, c *catalog.Registry) Applier {
	return &engineApplier{engine: e, can: e.Capabilities(), catalog: c}
}

type engineApplier struct {
	engine  engine.Engine
	can     engine.Capabilities
	catalog *catalog.Registry

	batch engine.Batch
	last  *txn.CommitRequest // added; nil after Apply
}

// pointAt is the point at a mark.
func pointAt(m engine.Mark) gtid.Point {
	point, err := gtid.ParsePoint(m.GTIDState)
	if err != nil { // recovery has read it before
		return gtid.NewPoint()
	}
	return point
}

type engineResetter struct {
	engine.MarkResetter
	engine engine.Engine
}

func (a *engineApplier) Resetter() Resetter {
	if a.can.MarkResetter == nil {
		return nil
	}
	return engineResetter{a.can.MarkResetter, a.engine}
}

func (r engineResetter) Checkpoint() (engine.Mark, error) {
	mark, err := r.engine.Checkpoint()
	if err != nil {
		return mark, fmt.Errorf("checkpoint of %s: %w", r.engine.Name(), err)
	}
	return mark, nil
}

func (a *engineApplier) Writable() error      { return a.can.Writable() }
func (a *engineApplier) Applied() engine.Mark { return a.engine.Applied() }

func (a *engineApplier) Add(req *txn.CommitRequest) error {
	if a.batch == nil {
		a.batch = a.engine.NewBatch()
	}
	a.last = req
	if req.Write == nil {
		return nil
	}
	if err := req.Write(a.batch); err != nil {
		a.batch.Discard()
		a.batch, a.last = nil, nil
		return fmt.Errorf("changes of %s: %w", req.GTID, err)
	}
	return nil
}

func (a *engineApplier) Apply(mark engine.Mark) error {
	batch, last := a.batch, a.last
	a.batch, a.last = nil, nil
	if batch == nil {
		batch = a.engine.NewBatch()
	}
	if err := a.applyBatch(batch, last, mark); err != nil {
		return fmt.Errorf("engine %s: %w", a.engine.Name(), err)
	}
	if last == nil || last.Catalog == nil {
		return nil
	}
	next, err := a.catalog.Prepare(*last.Catalog)
	if err != nil {
		return fmt.Errorf("catalog change of %s: %w", last.GTID, err)
	}
	a.catalog.Publish(next)
	return nil
}

// applyBatch applies a batch that ends with the changes of a request.
func (a *engineApplier) applyBatch(batch engine.Batch, last *txn.CommitRequest, mark engine.Mark) error {
	if last != nil && last.Import != nil {
		return a.can.Importer.ApplyImport(last.Import, batch, mark)
	}
	return a.engine.Apply(batch, mark)
}
