package parse

import (
	"unicode/utf8"

	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// How many characters comments have at most.
const (
	tableCommentMost  = 2048
	columnCommentMost = 1024
)

// comments refuses comments that are too long.
func (d *Defaults) comments(table string, elements []tree.Element, options []*tree.Option) error {
	for _, e := range elements {
		switch e := e.(type) {
		case *tree.Column:
			if e.Comment != nil {
				if err := d.comment(*e.Comment, columnCommentMost, mysqlerr.TooLongFieldComment, e.Name.Text); err != nil {
					return err
				}
			}
		case *tree.Key:
			name := e.Name.Text
			if name == "" && len(e.Parts) > 0 {
				name = e.Parts[0].Column.Text
			}
			if err := d.commentOption(e.Options, columnCommentMost, mysqlerr.TooLongIndexComment, name); err != nil {
				return err
			}
		}
	}
	return d.commentOption(options, tableCommentMost, mysqlerr.TooLongTableComment, table)
}

func (d *Defaults) commentOption(options []*tree.Option, most int, number uint16, name string) error {
	for _, o := range options {
		if o.Name == "COMMENT" && !o.Own && o.Value != nil {
			if err := d.comment(o.Value.Text, most, number, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// comment refuses one comment. Without strict mode MariaDB cuts it, which the text in the log would leave to replicas.
func (d *Defaults) comment(text string, most int, number uint16, name string) error {
	switch {
	case utf8.RuneCountInString(text) <= most:
		return nil
	case !d.Strict:
		return mysqlerr.NotYet("a comment that is too long, without strict mode")
	}
	return mysqlerr.New(number, name, most)
}

// optionsOf are the options of a table that an action of ALTER TABLE sets.
func optionsOf(a tree.Action) []*tree.Option {
	if a, ok := a.(*tree.SetOptions); ok {
		return a.Options
	}
	return nil
}

// definedBy are the elements that an action of ALTER TABLE defines.
func definedBy(a tree.Action) []tree.Element {
	switch a := a.(type) {
	case *tree.AddColumns:
		return a.Elements
	case *tree.AddElement:
		return []tree.Element{a.Element}
	case *tree.ChangeColumn:
		return []tree.Element{a.Column}
	case *tree.AlterColumn:
		return []tree.Element{&tree.Column{Name: a.Name, Default: a.Default}}
	}
	return nil
}
