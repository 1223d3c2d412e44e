// Package row encodes table rows and index keys.
//
// # Images
//
// A row image is what a binlog rows event (version 1) holds for one row: a
// bitmap of the NULLs among the columns present, the first column in the lowest
// bit of the first byte, then the packed values of those that are not NULL, in MariaDB's
// encoding. A full image has all columns of the table; it is what the engines
// store. A partial image (binlog_row_image=MINIMAL or NOBLOB) lacks some and is
// understood only together with the event's bitmap of columns.
//
// # Keys
//
// A key is a sequence of components whose bytes compare as the values do in
// SQL. Each delimits itself, so that keys can be concatenated and skipped:
//
//	NULL            00
//	integers        one byte 80+n (or 7f-n for negative numbers), then n = 0..8 bytes
//	                big-endian, without leading 00 (or ff). So are YEAR, BIT, ENUM, SET.
//	FLOAT, DOUBLE   01, then 8 bytes: the double's bits, negative ones inverted, positive ones with the sign flipped
//	NEWDECIMAL, temporal types
//	                01, then the packed value, big-endian by nature
//	strings that pad with spaces
//	                01, then the weights; each unit that is the weight of a space is followed
//	                by 01, 02 or 03: what comes after it is less than, equal to, or greater than
//	                an endless run of spaces. Space 02 is the end.
//	other strings   01, then the weights with 00 as 00 ff; 00 01 is the end. Those of a part that is padded
//	                are of the text with spaces behind it, up to so many characters
//
//	long strings    02, then the SHA-256 of their component, in parts that say so: equality is kept, order is not
//
// A descending component has all its bytes inverted. An integer's component
// does not depend on its column's size: bounds outside the column's range need no care, and a
// column that grows keeps its keys.
//
// Functions that append allocate only when dst has to grow, or for texts of parts that are padded.
package row
