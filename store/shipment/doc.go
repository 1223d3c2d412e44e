// Package shipment is a copy of a data directory as rows: SHOW DURAMEN CLONE sends them, and duramen clone makes a directory of them.
//
// # Rows
//
//	File    Offset              Data                                          Crc32
//	''      0                   the Manifest, as JSON: what follows           of Data
//	name    where Data begins   a part of a file, at most ChunkBytes bytes    of Data
//	...
//	''      how many parts      the end, as JSON: the sums of the files       of Data
//
// Files come in the manifest's order, and the parts of each in theirs. The sums are those of MariaDB's CRC32(): the polynomial of IEEE 802.3. A file
// without a byte has no part.
//
// # What a receiver relies on
//
// Nothing but the last row says that a shipment is complete: a source that fails or is killed ends the result with an error, or the connection. Names
// are checked before anything is written: they are FORMAT, files of the log, and files in directories that the receiver has named, so that the other
// side can write nowhere else, and no options or settings of a server.
//
// Files are synced, and so are the directories, before Finish returns.
//
// # Versions
//
//	1   as above
package shipment
