package parse

import (
	"strings"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// framedWindow is the error of a window that is made out of another one which has a frame, OVER (w) included: go-mysql-server's parser takes that for
// OVER w.
func framedWindow(st tree.Statement) (err error) {
	tree.Walk(st, func(n tree.Node) bool {
		if sel, ok := n.(*tree.Select); ok && sel.Windows != nil && err == nil {
			err = framedIn(sel)
		}
		return err == nil
	})
	return err
}

// framedIn is framedWindow for the windows of one SELECT.
func framedIn(sel *tree.Select) (err error) {
	framed := map[string]bool{}
	check := func(w *tree.Window) {
		if err == nil && w != nil && w.Base != nil && framed[strings.ToLower(w.Base.Text)] {
			err = mysqlerr.Newf(windowFrame, "Referenced window specification '%s' cannot contain window frame", w.Base.Text)
		}
	}
	for _, w := range sel.Windows {
		check(w.Window)
		if w.Window.Frame != nil {
			framed[strings.ToLower(w.Name.Text)] = true
		}
	}
	own := func(n tree.Node) {
		tree.Walk(n, func(n tree.Node) bool {
			switch n := n.(type) {
			case tree.Query:
				return false // whose windows are its own
			case *tree.Over:
				check(n.Window)
			}
			return true
		})
	}
	for _, i := range sel.Items {
		own(i.X)
	}
	for _, o := range sel.OrderBy {
		own(o)
	}
	return err
}

// windowFrame is MariaDB's ER_WINDOW_FRAME_IN_REFERENCED_WINDOW_SPEC.
const windowFrame = 4013
