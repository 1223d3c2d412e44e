package applying

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRelatedRows: what a primary's rows mean for the foreign keys and triggers that the replica has. test/following compares it with a MariaDB.
func TestRelatedRows(t *testing.T) {
	for _, c := range []struct {
		name string
		// here is what the replica has that the primary has not; there is what the primary does then.
		here, there []string
		asks        bool   // of the primary's rows
		failure     string // "" if it goes on
		query       string
		want        []string
	}{
		{"a parent is missing", []string{"DELETE FROM d.parents WHERE id = 1"}, []string{"INSERT INTO d.children VALUES (7, 1)"}, true, "number=1452",
			"SELECT * FROM d.children WHERE id = 7", nil},
		{"the primary did not ask", []string{"DELETE FROM d.parents WHERE id = 1"}, []string{"INSERT INTO d.children VALUES (7, 1)"}, false, "",
			"SELECT * FROM d.children WHERE id = 7", []string{"7|1|"}},
		{"triggers", []string{"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW SET @a = 1", "SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			[]string{"INSERT INTO d.parents VALUES (5)"}, false, "", "SELECT id, @@version > '' FROM d.parents WHERE id = 5", []string{"5|1|"}},
		{"a trigger changes the row, and another table", []string{"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW BEGIN INSERT INTO d.keyed (k) VALUES (NEW.id); SET NEW.id = NEW.id * 10; END",
			"CREATE TRIGGER d.u AFTER INSERT ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (NEW.id)", "SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			[]string{"INSERT INTO d.parents VALUES (5), (6)"}, false, "", "SELECT id FROM d.parents WHERE id > 2 UNION ALL SELECT k FROM d.keyed ORDER BY 1", []string{"5|", "6|", "50|", "50|", "60|", "60|"}},
		{"a trigger counts what others have written", []string{"CREATE TRIGGER d.d AFTER DELETE ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (OLD.id)",
			"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW BEGIN INSERT INTO d.keyed (k) VALUES (NEW.id); SET NEW.id = NEW.id * 10 + (SELECT COUNT(*) FROM d.keyed); END",
			"SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			[]string{"BEGIN", "DELETE FROM d.parents WHERE id < 3", "INSERT INTO d.parents VALUES (5)", "INSERT INTO d.parents VALUES (6)", "COMMIT"}, false, "", "SELECT id FROM d.parents ORDER BY 1", []string{"53|", "64|"}},
		{"a trigger fails", []string{"CREATE TRIGGER d.t AFTER INSERT ON d.parents FOR EACH ROW BEGIN IF NEW.id = 6 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this'; END IF; END",
			"SET GLOBAL slave_run_triggers_for_rbr='LOGGING'"},
			[]string{"INSERT INTO d.parents VALUES (5), (6)"}, false, "not this, Error_code: 1644", "SELECT * FROM d.parents WHERE id > 2", nil},
		{"a row is missing for which triggers are to be run", []string{"DELETE FROM d.parents WHERE id = 1", "CREATE TRIGGER d.t BEFORE DELETE ON d.parents FOR EACH ROW SET @a = 1",
			"SET GLOBAL slave_run_triggers_for_rbr='YES'"}, []string{"DELETE FROM d.parents WHERE id = 1"}, false, "number=1032", "SELECT * FROM d.parents", []string{"2|"}},
		{"a row is there already for which triggers are to be run", []string{"INSERT INTO d.parents VALUES (5)", "CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (1)",
			"SET GLOBAL slave_run_triggers_for_rbr='YES'"}, []string{"INSERT INTO d.parents VALUES (5)"}, false, "Duplicate entry '5' for key 'PRIMARY', Error_code: 1062", "SELECT * FROM d.keyed", nil},
		{"the primary's table has a trigger", []string{"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW SET NEW.id = 7", "SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			[]string{"CREATE TRIGGER d.theirs AFTER DELETE ON d.parents FOR EACH ROW SET @a = 1", "INSERT INTO d.parents VALUES (5)"}, false, "", "SELECT * FROM d.parents WHERE id > 2", []string{"5|"}},
		{"the primary's table has a trigger, and ENFORCE", []string{"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW SET NEW.id = 7", "SET GLOBAL slave_run_triggers_for_rbr='ENFORCE'"},
			[]string{"CREATE TRIGGER d.theirs AFTER DELETE ON d.parents FOR EACH ROW SET @a = 1", "INSERT INTO d.parents VALUES (5)"}, false, "", "SELECT * FROM d.parents WHERE id > 2", []string{"7|"}},
		{"a trigger changes what generated columns are made of", []string{"ALTER TABLE d.parents ADD g INT AS (id + 1) STORED, ADD v INT AS (id + 2) VIRTUAL, ADD KEY (v)",
			"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW SET NEW.id = NEW.id * 10", "CREATE TRIGGER d.u AFTER INSERT ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (NEW.v)",
			"SET GLOBAL slave_run_triggers_for_rbr='YES'"}, []string{"INSERT INTO d.parents VALUES (5)"}, false, "",
			"SELECT id, g, v, (SELECT k FROM d.keyed) FROM d.parents FORCE INDEX (v) WHERE v = 52", []string{"50|6|52|7|"}},
		{"generated columns that the primary does not have", []string{"ALTER TABLE d.parents ADD g INT AS (id + 1) STORED, ADD v INT AS (id + 2) VIRTUAL, ADD KEY (v)"},
			[]string{"INSERT INTO d.parents VALUES (5), (6)", "UPDATE d.parents SET id = 7 WHERE id = 5"}, false, "", "SELECT id, g, v FROM d.parents FORCE INDEX (v) WHERE v > 7", []string{"6|7|8|", "7|8|9|"}},
		{"triggers and IDEMPOTENT", append([]string{"INSERT INTO d.parents VALUES (5)", "SET GLOBAL slave_exec_mode='IDEMPOTENT'", "SET GLOBAL slave_run_triggers_for_rbr='YES'"}, everyTrigger...),
			[]string{"INSERT INTO d.parents VALUES (5), (6)"}, false, "", "SELECT k FROM d.keyed ORDER BY 1", []string{"105|", "106|", "205|", "206|", "505|", "605|"}},
		{"triggers of rows that are missing, and IDEMPOTENT", append([]string{"DELETE FROM d.parents WHERE id = 1", "SET GLOBAL slave_exec_mode='IDEMPOTENT'", "SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			everyTrigger...), []string{"UPDATE d.parents SET id = 7 WHERE id = 1", "DELETE FROM d.parents WHERE id = 7", "DELETE FROM d.parents WHERE id = 2"}, false, "", "SELECT k FROM d.keyed ORDER BY 1",
			[]string{"502|", "602|"}},
		{"a changed row that is there already, and IDEMPOTENT", append([]string{"INSERT INTO d.parents VALUES (7)", "SET GLOBAL slave_exec_mode='IDEMPOTENT'", "SET GLOBAL slave_run_triggers_for_rbr='YES'"},
			everyTrigger...), []string{"UPDATE d.parents SET id = 7 WHERE id = 1"}, false, "", "SELECT k FROM d.keyed UNION ALL SELECT id FROM d.parents ORDER BY 1", []string{"1|", "2|", "7|", "307|"}},
		{"an error of a trigger, and IDEMPOTENT", []string{"CREATE TABLE d.once (id INT PRIMARY KEY)", "CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW INSERT INTO d.once VALUES (1)",
			"SET GLOBAL slave_exec_mode='IDEMPOTENT'", "SET GLOBAL slave_run_triggers_for_rbr='YES'"}, []string{"INSERT INTO d.parents VALUES (5), (6)"}, false, "Duplicate entry '1' for key 'PRIMARY'",
			"SELECT id FROM d.parents WHERE id > 2", nil},
		{"triggers that are not wanted", []string{"CREATE TRIGGER d.t BEFORE INSERT ON d.parents FOR EACH ROW SET @a = 1"},
			[]string{"INSERT INTO d.parents VALUES (5)"}, false, "", "SELECT * FROM d.parents WHERE id = 5", []string{"5|"}},
		{"a part of cascades is refused", []string{"SET GLOBAL slave_exec_mode='IDEMPOTENT'", "INSERT INTO d.children VALUES (1, 1), (2, 1), (3, 1)",
			"CREATE TABLE d.grandchildren (id INT PRIMARY KEY, child INT, FOREIGN KEY (child) REFERENCES d.children (id))", "INSERT INTO d.grandchildren VALUES (1, 2)"},
			[]string{"DELETE FROM d.parents WHERE id = 1"}, true, "", "SELECT * FROM d.children ORDER BY id", []string{"1|1|", "2|1|", "3|1|"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 6))
			a := newAuthor(newServer(t, 1), rng)
			a.step("INSERT INTO d.parents VALUES (1), (2)")
			before := len(a.h.groups)
			for _, q := range c.there {
				a.step(q)
			}
			for _, g := range a.h.groups[before:] {
				g.asks = c.asks
			}
			whole := a.h
			part := history{before: whole.before, groups: whole.groups[:before]}
			l := newCrashLab(t, &part, rng)
			s := l.replica(l.begin().fs)
			t.Cleanup(s.close)
			s.exec("START SLAVE")
			l.await(before)
			require.NoError(t, l.failure())
			s.exec("STOP SLAVE", "SET sql_log_bin=0", "SET foreign_key_checks=0")
			s.exec(c.here...)
			l.h = &whole
			s.exec("START SLAVE")
			l.await(len(whole.groups))
			if c.failure == "" {
				require.NoError(t, l.failure())
			} else {
				require.ErrorContains(t, l.failure(), c.failure)
			}
			require.NoError(t, s.store.Log().WaitVisible(t.Context(), s.store.Log().End()), "what is acknowledged is visible a moment later")
			require.Equal(t, c.want, s.query(c.query))
		})
	}
}

// everyTrigger notes in d.keyed which triggers of d.parents are run for which rows.
var everyTrigger = []string{
	"CREATE TRIGGER d.bi BEFORE INSERT ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (100 + NEW.id)",
	"CREATE TRIGGER d.ai AFTER INSERT ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (200 + NEW.id)",
	"CREATE TRIGGER d.bu BEFORE UPDATE ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (300 + NEW.id)",
	"CREATE TRIGGER d.au AFTER UPDATE ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (400 + NEW.id)",
	"CREATE TRIGGER d.bd BEFORE DELETE ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (500 + OLD.id)",
	"CREATE TRIGGER d.ad AFTER DELETE ON d.parents FOR EACH ROW INSERT INTO d.keyed (k) VALUES (600 + OLD.id)",
}
