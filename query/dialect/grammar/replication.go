package grammar

import (
	"github.com/duramendb/duramen/query/dialect/lex"
	"github.com/duramendb/duramen/query/dialect/tree"
	"github.com/duramendb/duramen/query/mysqlerr"
)

// changeMaster takes CHANGE MASTER.
func changeMaster(p *parser) tree.Statement {
	start := p.start()
	p.next()
	p.expect(lex.WMaster)
	n := &tree.ChangeMaster{Name: optionalText(p)}
	p.expect(lex.WTo)
	gtid := false
	n.Options = commas(p, func() *tree.Option { return masterOption(p, &gtid) })
	n.Channel = channel(p, n.Name)
	n.Span = p.from(start)
	return n
}

// masterOption takes an option of CHANGE MASTER; gtid says whether MASTER_USE_GTID was there.
func masterOption(p *parser, gtid *bool) *tree.Option {
	start := p.start()
	w := p.peek(0).Word
	switch w {
	case lex.WMasterHost, lex.WMasterUser, lex.WMasterPassword, lex.WMasterSslCa, lex.WMasterSslCapath, lex.WMasterSslCert, lex.WMasterSslCipher,
		lex.WMasterSslKey, lex.WMasterSslCrl, lex.WMasterSslCrlpath:
		return option(p, 1, equalSign(p, textValue))
	case lex.WMasterPort, lex.WMasterConnectRetry, lex.WMasterDelay, lex.WMasterSsl, lex.WMasterSslVerifyServerCert, lex.WMasterDemoteToReplica,
		lex.WMasterDemoteToSlave:
		return option(p, 1, equalSign(p, numberValue))
	case lex.WMasterHeartbeatPeriod:
		return option(p, 1, equalSign(p, numberLiteral))
	case lex.WIgnoreServerIds, lex.WDoDomainIds, lex.WIgnoreDomainIds:
		o := &tree.Option{Name: p.next().Word.String(), IsList: true}
		p.expectKind('=')
		o.List = numberList(p)
		o.Span = p.from(start)
		return o
	case lex.WMasterUseGtid:
		o := option(p, 1, equalSign(p, oneOf(lex.WCurrentPos, lex.WSlavePos, lex.WReplicaPos, lex.WNo)))
		if *gtid {
			p.failWith(mysqlerr.New(mysqlerr.DupArgument, "MASTER_use_gtid"))
		}
		*gtid = true
		return o
	}
	return logPosition(p)
}

// equalSign takes = and what f takes.
func equalSign(p *parser, f func(*parser) *tree.Value) func() *tree.Value {
	return func() *tree.Value {
		p.expectKind('=')
		return f(p)
	}
}

// logPosition takes an option that says a place in a log.
func logPosition(p *parser) *tree.Option {
	switch p.peek(0).Word {
	case lex.WMasterLogFile, lex.WRelayLogFile:
		return option(p, 1, equalSign(p, textValue))
	case lex.WMasterLogPos, lex.WRelayLogPos:
		return option(p, 1, equalSign(p, numberValue))
	}
	p.fail()
	return nil
}

// replica takes START and STOP of replicas.
func replica(p *parser) tree.Statement {
	start := p.start()
	n := &tree.Replica{Stop: p.next().Word == lex.WStop}
	switch {
	case p.accept(lex.WAll):
		expectReplicas(p)
		n.All = true
		replicaThreads(p, n)
	case isReplica(p, 0):
		p.next()
		n.Name = optionalText(p)
		replicaThreads(p, n)
		n.Channel = channel(p, n.Name)
		if !n.Stop && p.accept(lex.WUntil) {
			replicaUntil(p, n)
		}
	default:
		p.fail()
	}
	n.Span = p.from(start)
	return n
}

// replicaThreads takes the threads that are meant; between the commas there may be nothing.
func replicaThreads(p *parser, n *tree.Replica) {
	for {
		switch w := p.acceptAny(lex.WSqlThread, lex.WIoThread, lex.WRelayThread); w {
		case lex.NoWord:
		case lex.WSqlThread:
			n.Threads = append(n.Threads, w.String())
		default:
			n.Threads = append(n.Threads, "IO_THREAD")
		}
		if !p.acceptKind(',') {
			return
		}
	}
}

// replicaUntil takes what follows UNTIL.
func replicaUntil(p *parser, n *tree.Replica) {
	if p.isWord(lex.WMasterGtidPos) {
		n.Until = []*tree.Option{option(p, 1, equalSign(p, textValue))}
		return
	}
	n.Until = commas(p, func() *tree.Option { return logPosition(p) })
	seen := map[string]bool{}
	for _, o := range n.Until {
		seen[o.Name] = seen[o.Name] || o.Value.Text != "0"
	}
	master, relay := seen["MASTER_LOG_FILE"] && seen["MASTER_LOG_POS"], seen["RELAY_LOG_FILE"] && seen["RELAY_LOG_POS"]
	if !master && !relay || (seen["MASTER_LOG_FILE"] || seen["MASTER_LOG_POS"]) && (seen["RELAY_LOG_FILE"] || seen["RELAY_LOG_POS"]) {
		p.failWith(mysqlerr.New(mysqlerr.BadReplicaUntil))
	}
}

// binlogEvent takes BINLOG.
func binlogEvent(p *parser) tree.Statement {
	start := p.start()
	p.next()
	n := &tree.BinlogEvent{}
	if p.is('@') {
		for i := range 2 {
			if i > 0 {
				p.expectKind(',')
			}
			p.expectKind('@')
			n.Variables = append(n.Variables, identOrText(p).Text)
		}
	} else {
		n.Events = p.stringLiteral()
	}
	n.Span = p.from(start)
	return n
}
