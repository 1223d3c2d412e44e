package statement

import (
	"math"

	"github.com/duramendb/duramen/query/dialect/facts"
	"github.com/duramendb/duramen/query/dialect/tree"
)

// kinds are how statements deal with transactions; the others are Read.
var kinds = map[facts.Kind]Kind{
	facts.Insert: Write, facts.Replace: Write, facts.Update: Write, facts.Delete: Write, facts.Load: Write,
	facts.Call: Call, facts.Transaction: Control, facts.Lock: Control,
	facts.Set: Session, facts.ChangeDB: Session, facts.Prepare: Session, facts.Server: Session,
	facts.Definition: Definition, facts.Program: Definition, facts.Account: Definition,
}

// Of says what a statement is to a session, without its Text. s is its tree, of which nothing is kept, f are its facts.
func Of(s tree.Statement, f *facts.Facts) Statement {
	c := collector{f: f, st: Statement{WaitSeconds: -1, Kind: kinds[f.Kind]}}
	st := &c.st
	reads := Snapshot // how tables are read without a lock clause
	switch f.Kind {
	case facts.Insert, facts.Replace, facts.Update, facts.Delete, facts.Load:
		st.Other, st.Locking = Shared, true
		reads = Latest
	case facts.Definition:
		reads = Latest
	case facts.Set:
		if len(f.Tables) > 0 {
			st.Kind = Read
		}
	}
	st.Result = st.Kind == Read && f.Kind != facts.Set
	var like *tree.TableName
	switch n := s.(type) {
	case tree.Query:
		st.Result = !into(n)
	case *tree.Insert:
		st.Result = n.Returning != nil
	case *tree.Delete:
		st.Result = n.Returning != nil
	case *tree.CreateTable:
		st.Temporary, like = n.Temporary, n.Like
	case *tree.Drop:
		st.Temporary = n.Temporary
	case *tree.Execute, *tree.ExecuteImmediate:
		st.Kind, st.Result = Call, false // its statement is classified when it runs
	}
	for i := range f.Tables {
		t := &f.Tables[i]
		use := Use{DB: t.Name.DB.Text, Name: t.Name.Name.Text, Strength: reads}
		switch t.Use {
		case facts.Locked, facts.Maintained:
			continue
		case facts.Named:
			if t.Name != like {
				continue
			}
			use.Strength = Shared
		case facts.ReadShared, facts.ReadExclusive:
			c.lock(t, &use)
		case facts.Written, facts.Created, facts.Altered, facts.Dropped:
			use.Strength = Exclusive
		}
		c.add(use)
	}
	return c.st
}

// collector puts together what is known of a statement.
type collector struct {
	f  *facts.Facts
	st Statement
	// at is where the uses of tables are, by their names; nil while they are few.
	at map[[2]string]int
}

// manyUses is the number of tables from which they are looked up by their names.
const manyUses = 16

// add notes a table; of several uses the strongest counts.
func (c *collector) add(use Use) {
	st := &c.st
	i := c.find(use)
	switch {
	case i < 0:
		st.Tables = append(st.Tables, use)
		if c.at != nil {
			c.at[keyOf(use)] = len(st.Tables) - 1
		}
	case use.Strength > st.Tables[i].Strength:
		st.Tables[i].Strength, st.Tables[i].Wait = use.Strength, use.Wait
	}
}

func keyOf(u Use) [2]string { return [2]string{u.DB, u.Name} }

// find is where a table is among the uses, or -1.
func (c *collector) find(use Use) int {
	if c.at == nil && len(c.st.Tables) == manyUses {
		c.at = map[[2]string]int{}
		for i, u := range c.st.Tables {
			c.at[keyOf(u)] = i
		}
	}
	if c.at != nil {
		if i, ok := c.at[keyOf(use)]; ok {
			return i
		}
		return -1
	}
	for i, u := range c.st.Tables {
		if u.Name == use.Name && u.DB == use.DB {
			return i
		}
	}
	return -1
}

// lock notes how a table with a lock clause is read.
func (c *collector) lock(t *facts.Table, use *Use) {
	use.Strength, use.Wait = lockOf(t)
	c.st.Locking = true
	if c.f.Kind == facts.Select || c.f.Kind == facts.Explain {
		c.st.Other = max(c.st.Other, use.Strength)
	}
	if w := t.Lock.Wait; w != nil && use.Wait == WaitForLock && c.f.Lock == t.Lock {
		c.st.WaitSeconds = int(min(w.Seconds, math.MaxInt))
	}
}

// lockOf is how a table with a lock clause is read.
func lockOf(t *facts.Table) (Strength, Wait) {
	strength := Shared
	if t.Use == facts.ReadExclusive {
		strength = Exclusive
	}
	switch w := t.Lock.Wait; {
	case w == nil:
	case w.NoWait:
		return strength, NoWait
	case w.SkipLocked:
		return strength, SkipLocked
	}
	return strength, WaitForLock
}

// into reports whether the rows of a query go elsewhere than to the client.
func into(q tree.Query) bool {
	switch q := q.(type) {
	case *tree.Select:
		return q.Into != nil
	case *tree.SetOperation:
		return q.Into != nil
	case *tree.Nested:
		return q.Into != nil
	case *tree.Values:
		return q.Into != nil
	}
	return false
}
