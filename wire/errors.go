package wire

import (
	"encoding/binary"
	"errors"

	"github.com/duramendb/duramen/query/mysqlerr"
	"github.com/duramendb/duramen/query/mysqlerr/storage"
)

// appendError appends the payload of an ERR packet. The SQLSTATE is left out
// as long as the client's capabilities are unknown.
func appendError(dst []byte, e *mysqlerr.Error, withState bool) []byte {
	dst = binary.LittleEndian.AppendUint16(append(dst, 0xff), e.Number)
	if withState {
		state := e.State
		if len(state) != 5 {
			state = "HY000"
		}
		dst = append(append(dst, '#'), state...)
	}
	const maxMessage = 512 * 4 // MYSQL_ERRMSG_SIZE, in the longest encoding
	return append(dst, e.Message[:min(len(e.Message), maxMessage)]...)
}

// protocolError maps what can go wrong below SQL.
func protocolError(err error) *mysqlerr.Error {
	var known *mysqlerr.Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errPacketTooLarge):
		return mysqlerr.New(mysqlerr.NetPacketTooLarge)
	case errors.Is(err, errOutOfOrder):
		return &mysqlerr.Error{Number: 1156, State: "08S01", Message: "Got packets out of order"}
	case errors.Is(err, errMalformed):
		return &mysqlerr.Error{Number: 1835, State: "HY000", Message: "Malformed communication packet"}
	}
	return storage.From(err)
}

// pluginNotLoaded is the answer to an account of a plugin that we do not have.
func pluginNotLoaded(plugin string) *mysqlerr.Error {
	return &mysqlerr.Error{Number: 1524, State: "HY000", Message: "Plugin '" + plugin + "' is not loaded"}
}

// accountLocked is MariaDB's answer to a login to a locked account.
func accountLocked() *mysqlerr.Error {
	return &mysqlerr.Error{Number: 4151, State: "HY000", Message: "Access denied, this account is locked"}
}
