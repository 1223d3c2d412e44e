package convert

// Identity reports whether images that have all columns are those of this server's table as they are.
func (p *Plan) Identity() bool { return p.identity }
