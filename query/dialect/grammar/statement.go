package grammar

import "github.com/duramendb/duramen/query/dialect/tree"

// statement takes a statement of any kind. Each family tells by the first words what is its own.
func (p *parser) statement() tree.Statement {
	p.deeper()
	defer p.shallower()
	// Each returns nil, having taken nothing, for what does not begin as its statements do.
	for _, family := range [...]func(*parser) tree.Statement{
		(*parser).rowStatement,        // SELECT, INSERT ... and what a session does
		(*parser).definitionStatement, // CREATE, ALTER, DROP ...
		(*parser).serverStatement,     // accounts, SHOW, FLUSH ...
	} {
		if s := family(p); s != nil {
			return s
		}
	}
	p.fail()
	return nil
}
