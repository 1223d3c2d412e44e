package charset

// General is the weight of the first character of a text in utf8mb3_general_ci and utf8mb4_general_ci, and how many bytes the character has.
func (o *Order) General(s []byte) (weight uint32, size int) { return o.generalWeight(s) }
