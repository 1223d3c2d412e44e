package txn

// SetSeqNo chooses the transaction's sequence number (gtid_seq_no); 0 leaves it to the committer. With
// strict, a number that is not after the last one of its domain is refused at commit (gtid_strict_mode).
func (t *Txn) SetSeqNo(seq uint64, strict bool) { t.seqNo, t.strict = seq, strict }
