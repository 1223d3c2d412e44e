package routine

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// signal is SIGNAL or RESIGNAL.
func (r *run) signal(n *tree.Signal, sc *scope) error {
	e := &mysqlerr.Error{}
	if n.Again {
		if len(r.handled) == 0 {
			return mysqlerr.New(mysqlerr.ResignalWithoutActiveHandler)
		}
		again := *r.handled[len(r.handled)-1]
		e = &again
	}
	if n.Condition != nil {
		c, err := conditionOf(n.Condition, sc)
		switch {
		case err != nil:
			return err
		case c.state == "":
			return mysqlerr.New(mysqlerr.SignalBadConditionType)
		}
		e.State = c.state
		if !n.Again {
			e.Number, e.Message = unhandledWords(c.state)
		} else {
			e.Number, _ = unhandledWords(c.state)
		}
	}
	for _, item := range n.Set {
		v, t, err := r.value(item.Value, sc)
		if err != nil {
			return err
		}
		if v.Null {
			return mysqlerr.NotYet("SIGNAL of NULL")
		}
		text, err := r.textOf(v, t)
		if err != nil {
			return err
		}
		if text, err = r.fitted(strings.ToUpper(item.Name), text); err != nil {
			return err
		}
		switch strings.ToUpper(item.Name) {
		case "MESSAGE_TEXT":
			e.Message = text
		case "MYSQL_ERRNO":
			number, err := strconv.ParseUint(text, 10, 16)
			if err != nil || number == 0 {
				return mysqlerr.New(mysqlerr.WrongValueForVar, item.Name, text)
			}
			e.Number = uint16(number)
		}
	}
	if strings.HasPrefix(e.State, warningClass) {
		r.Warnings.Clear()
		r.Warn("Warning", e.Number, e.Message)
		r.signalled = e
		return nil
	}
	return e
}

// The most characters of a message, and of names.
const messageMost, nameMost = 128, 64

// fitted is the text of an item: error 1648, or without strict mode warning 1647, for one that is too long.
func (r *run) fitted(item, text string) (string, error) {
	most := nameMost
	if item == "MESSAGE_TEXT" {
		most = messageMost
	}
	if utf8.RuneCountInString(text) <= most {
		return text, nil
	}
	mode, _, err := r.host.Assigning(r.ctx)
	if err != nil {
		return "", err
	}
	if mode.Strict() {
		return "", mysqlerr.New(mysqlerr.CondItemTooLong, item)
	}
	cut := string([]rune(text)[:most])
	r.Warn("Warning", mysqlerr.WarnCondItemTruncated, mysqlerr.New(mysqlerr.WarnCondItemTruncated, item).Message)
	return cut, nil
}

// unhandledWords are the number and the text of a condition that says nothing else.
func unhandledWords(state string) (number uint16, text string) {
	switch state[:2] {
	case warningClass:
		number = mysqlerr.SignalWarn
	case notFoundClass:
		number = mysqlerr.SignalNotFound
	default:
		number = mysqlerr.SignalException
	}
	return number, mysqlerr.New(number).Message
}
