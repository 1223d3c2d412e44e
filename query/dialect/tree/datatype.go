package tree

// DataType is the type of a column, a variable, a parameter or a result.
type DataType struct {
	Span
	// Name is the type in capitals; synonyms have one name: INT, DECIMAL, VARCHAR, NVARCHAR, MEDIUMTEXT for LONG ...
	Name string
	// Schema is where the type of another dialect is, oracle_schema ...; empty: not said.
	Schema string
	// Length and Decimals are as they were written; empty: none.
	Length, Decimals   string
	Unsigned, Zerofill bool
	Members            []*Value // of ENUM and SET
	Compressed         *Compressed
	// Charset is empty if none is named; Binary asks for its binary collation.
	Charset         string
	Binary          bool
	Collate         string
	ReferenceSystem string // of a spatial type; empty: none
}

func (n *DataType) print(p *printer) {
	if n.Schema != "" {
		p.word(n.Schema)
		p.byte('.')
	}
	p.word(n.Name)
	switch {
	case n.Decimals != "":
		p.raw("(" + n.Length + "," + n.Decimals + ")")
	case n.Length != "":
		p.raw("(" + n.Length + ")")
	case n.Members != nil:
		parens(p, n.Members)
	}
	if n.Compressed != nil {
		n.Compressed.print(p)
	}
	p.when(n.Unsigned, "UNSIGNED")
	p.when(n.Zerofill, "ZEROFILL")
	if n.Charset != "" {
		p.word("CHARACTER SET")
		p.name(n.Charset)
	}
	p.when(n.Binary, "BINARY")
	printCollate(p, n.Collate)
	if n.ReferenceSystem != "" {
		p.words("REF_SYSTEM_ID =", n.ReferenceSystem)
	}
}

// printCollate prints COLLATE; DEFAULT is the only name that is a keyword there.
func printCollate(p *printer, name string) {
	if name != "" {
		p.word("COLLATE")
		nameOrDefault(p, name)
	}
}

// nameOrDefault prints a name, or DEFAULT for that text. (A character set or a collation of that name does not exist.)
func nameOrDefault(p *printer, name string) {
	if name == "DEFAULT" {
		p.word(name)
		return
	}
	p.name(name)
}
