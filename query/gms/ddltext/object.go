package ddltext

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
)

// Object is what the CREATE statement of a view, trigger or routine says, taken apart.
type Object struct {
	Kind      string // VIEW, TRIGGER, PROCEDURE, FUNCTION; "" if the text was not understood
	Name      string
	Definer   string // user@host; "" if the statement names none
	Algorithm string // of a view: UNDEFINED, MERGE, TEMPTABLE
	Security  string // DEFINER or INVOKER
	// Columns are the names of a view's column list.
	Columns []string
	// CheckOption of a view: NONE, LOCAL or CASCADED.
	CheckOption string
	// Params is the text between the parentheses of a routine, Returns the type of a function.
	Params, Returns string
	Deterministic   bool
	DataAccess      string // CONTAINS SQL, NO SQL, READS SQL DATA, MODIFIES SQL DATA
	Comment         string
	// Timing, Event and Table are a trigger's.
	Timing, Event, Table string
	// Order is FOLLOWS or PRECEDES, if the trigger names another one, and Other is that.
	Order, Other string
	// Body is the view's query, or the statement of a trigger or routine.
	Body string
	// Tail is the text from the object's kind on: a trigger keeps it as it was written.
	Tail string
}

// ParseObject takes apart the text of CREATE VIEW, TRIGGER, PROCEDURE or FUNCTION.
func ParseObject(text string) Object {
	o := Object{Algorithm: "UNDEFINED", Security: "DEFINER", CheckOption: "NONE", DataAccess: "CONTAINS SQL"}
	w := words{text: text}
	if !w.accept("CREATE") {
		return o
	}
	for {
		start := w.start()
		switch {
		case w.accept("OR", "REPLACE"):
		case w.accept("ALGORITHM"):
			w.accept("=")
			o.Algorithm = strings.ToUpper(w.next())
		case w.accept("DEFINER"):
			w.accept("=")
			o.Definer = w.account()
		case w.accept("SQL", "SECURITY"):
			o.Security = strings.ToUpper(w.next())
		case w.accept("AGGREGATE"):
		case w.accept("VIEW"):
			o.Kind, o.Tail = "VIEW", text[start:]
			o.view(&w)
			return o
		case w.accept("TRIGGER"):
			o.Kind, o.Tail = "TRIGGER", text[start:]
			o.trigger(&w)
			return o
		case w.accept("PROCEDURE"), w.accept("FUNCTION"):
			o.Kind, o.Tail = "PROCEDURE", text[start:]
			if strings.EqualFold(text[start:start+1], "F") {
				o.Kind = "FUNCTION"
			}
			o.routine(&w)
			return o
		default:
			return o
		}
	}
}

func (o *Object) name(w *words) {
	w.accept("IF", "NOT", "EXISTS")
	o.Name = w.next()
	for w.accept(".") {
		o.Name = w.next()
	}
}

func (o *Object) view(w *words) {
	o.name(w)
	if w.accept("(") {
		for !w.accept(")") && !w.done() {
			if !w.accept(",") {
				o.Columns = append(o.Columns, w.next())
			}
		}
	}
	if !w.accept("AS") {
		return
	}
	o.Body = strings.TrimRight(w.rest(), "; \n\t\r")
	upper := strings.ToUpper(o.Body)
	for option, kind := range map[string]string{"WITH CHECK OPTION": "CASCADED", "WITH CASCADED CHECK OPTION": "CASCADED", "WITH LOCAL CHECK OPTION": "LOCAL"} {
		fields := strings.Fields(option)
		at := len(upper)
		for i := len(fields) - 1; i >= 0; i-- {
			end := len(strings.TrimRight(upper[:at], " \n\t\r"))
			if !strings.HasSuffix(upper[:end], fields[i]) {
				at = -1
				break
			}
			at = end - len(fields[i])
		}
		if at >= 0 {
			o.CheckOption = kind
			o.Body = strings.TrimRight(o.Body[:at], " \n\t\r")
			return
		}
	}
}

func (o *Object) trigger(w *words) {
	o.name(w)
	o.Timing, o.Event = strings.ToUpper(w.next()), strings.ToUpper(w.next())
	w.accept("ON")
	o.Table = w.next()
	for w.accept(".") {
		o.Table = w.next()
	}
	w.accept("FOR", "EACH", "ROW")
	if w.accept("FOLLOWS") || w.accept("PRECEDES") {
		o.Order = strings.ToUpper(w.accepted[0])
		o.Other = w.next()
	}
	o.Body = strings.TrimRight(w.rest(), "; \n\t\r")
}

func (o *Object) routine(w *words) {
	o.name(w)
	o.Params = w.parenthesized()
	if w.accept("RETURNS") {
		o.Returns = w.typeText()
	}
	for {
		switch {
		case w.accept("COMMENT"):
			o.Comment = w.next()
		case w.accept("LANGUAGE", "SQL"):
		case w.accept("NOT", "DETERMINISTIC"):
		case w.accept("DETERMINISTIC"):
			o.Deterministic = true
		case w.accept("CONTAINS", "SQL"), w.accept("NO", "SQL"), w.accept("READS", "SQL", "DATA"), w.accept("MODIFIES", "SQL", "DATA"):
			o.DataAccess = strings.ToUpper(strings.Join(w.accepted, " "))
		case w.accept("SQL", "SECURITY"):
			o.Security = strings.ToUpper(w.next())
		default:
			o.Body = strings.TrimRight(w.rest(), "; \n\t\r")
			return
		}
	}
}

// Account writes user@host as a DEFINER clause has it.
func Account(definer string) string { return Style{}.account(definer) }

func (st Style) account(definer string) string {
	user, host := definer, "%"
	if at := strings.LastIndexByte(definer, '@'); at >= 0 {
		user, host = definer[:at], definer[at+1:]
	}
	return st.Name(user) + "@" + st.Name(host)
}

// CreateView is SHOW CREATE VIEW's text; db is where it is asked for from. The query stands as it
// was written: MariaDB shows its own reading of it.
func (st Style) CreateView(o Object, name, definer string) string {
	b := "CREATE ALGORITHM=" + o.Algorithm + " DEFINER=" + st.account(definer) + " SQL SECURITY " + o.Security + " VIEW " + st.Name(name)
	if len(o.Columns) > 0 {
		quoted := make([]string, len(o.Columns))
		for i, c := range o.Columns {
			quoted[i] = st.Name(c)
		}
		b += " (" + strings.Join(quoted, ",") + ")"
	}
	b += " AS " + o.Body
	if o.CheckOption != "NONE" {
		b += " WITH " + o.CheckOption + " CHECK OPTION"
	}
	return b
}

// CreateTrigger is SHOW CREATE TRIGGER's text: the statement as it was written, with its definer.
func (st Style) CreateTrigger(o Object, definer string) string {
	return "CREATE DEFINER=" + st.account(definer) + " " + strings.TrimRight(o.Tail, "; \n\t\r")
}

// CreateRoutine is SHOW CREATE PROCEDURE's text.
func (st Style) CreateRoutine(o Object, definer string) string {
	b := "CREATE DEFINER=" + st.account(definer) + " " + o.Kind + " " + st.Name(o.Name) + "(" + o.Params + ")"
	if o.Returns != "" {
		b += " RETURNS " + o.Returns
	}
	b += "\n"
	if o.DataAccess != "CONTAINS SQL" {
		b += "    " + o.DataAccess + "\n"
	}
	if o.Deterministic {
		b += "    DETERMINISTIC\n"
	}
	if o.Security == "INVOKER" {
		b += "    SQL SECURITY INVOKER\n"
	}
	if o.Comment != "" {
		b += "    COMMENT " + Text(o.Comment) + "\n"
	}
	return b + o.Body
}

// Parameter is one parameter of a routine.
type Parameter struct{ Mode, Name, Type string }

// Parameters takes the parameter list of a routine apart.
func (o Object) Parameters() []Parameter {
	var out []Parameter
	for _, part := range splitList(o.Params) {
		w := words{text: part}
		p := Parameter{Mode: "IN"}
		switch {
		case w.accept("IN"):
		case w.accept("OUT"):
			p.Mode = "OUT"
		case w.accept("INOUT"):
			p.Mode = "INOUT"
		}
		if p.Name = w.next(); p.Name == "" {
			continue
		}
		p.Type = strings.TrimSpace(w.rest())
		out = append(out, p)
	}
	return out
}

// CreateEvent is SHOW CREATE EVENT's text.
func CreateEvent(e *sql.EventDefinition) string {
	const layout = "2006-01-02 15:04:05"
	b := "CREATE DEFINER=" + Account(strings.ReplaceAll(e.Definer, "`", "")) + " EVENT " + Name(e.Name) + " ON SCHEDULE "
	if e.HasExecuteAt {
		b += "AT '" + e.ExecuteAt.Format(layout) + "'"
	} else {
		b += "EVERY " + e.ExecuteEvery + " STARTS '" + e.Starts.Format(layout) + "'"
		if e.HasEnds {
			b += " ENDS '" + e.Ends.Format(layout) + "'"
		}
	}
	b += " ON COMPLETION "
	if !e.OnCompletionPreserve {
		b += "NOT "
	}
	b += "PRESERVE " + e.Status
	if e.Comment != "" {
		b += " COMMENT " + Text(e.Comment)
	}
	return b + " DO " + e.EventBody
}
