package tables

import "github.com/duramendb/duramen/query/partition"

// place looks whether there is a partition for a row that is to be stored: error 1526 if not.
func (e *editor) place(image []byte) error {
	if e.v.own == nil {
		return nil
	}
	if e.places == nil {
		rule, err := partition.Of(e.v.own)
		if err != nil {
			return err
		}
		e.places = rule.Finder()
	}
	_, err := e.places.Find(image)
	return err
}
