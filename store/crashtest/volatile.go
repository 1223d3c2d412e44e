package crashtest

// forgetVolatile forgets what readers saw of tables whose rows a restart has taken, and notes that there were rows.
func (lf *life) forgetVolatile(recovered []*commit) error {
	db := dbState{}
	for _, c := range recovered {
		for i := range c.changes {
			if c.changes[i].kind == emptyTable {
				for id, t := range db {
					if t.name != c.changes[i].name {
						continue
					}
					delete(lf.lab.hotSeen, id)
					if len(t.rows)+len(t.bag) > 0 {
						lf.lab.stats.see("rows gone with a restart", 1)
					}
				}
			}
			if err := db.apply(&c.changes[i]); err != nil {
				return err
			}
		}
	}
	return nil
}
