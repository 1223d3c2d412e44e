package grammar

// Bounds of what a tree takes, in bytes.
const (
	// tokenBytes is what nodes take for one token at most, with the lists that they stand in: a column and its place in a list, which a
	// comma separates from the next one, make the most of two tokens.
	tokenBytes = 128
	// sizeFree is what nobody is asked for, and sizeStep how much is asked for at once.
	sizeFree = 64 << 10
	sizeStep = 256 << 10
)

// size bounds the memory of a tree while it is made: by its tokens, and by the bytes of the text, of which literals may keep a copy.
type size struct {
	made int64 // of what was read so far, without the rows that were given away
	held int64 // that nobody needs to be asked for any more
}

// hold asks for more memory.
func (p *parser) hold() {
	if p.o.Hold == nil {
		p.held = 1<<63 - 1
		return
	}
	if p.held == 0 && p.made <= sizeFree {
		p.held = sizeFree
		return
	}
	if err := p.o.Hold(sizeStep); err != nil {
		p.failWith(err)
	}
	p.held += sizeStep
}
