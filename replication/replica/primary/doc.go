// Package primary is what the parts of a replica say to each other about the server that is followed: how it is reached (Settings), how far
// its log was read (Place), and what it sends (Part).
//
//	follow      connects, asks for the log, and makes parts of it         the IO thread
//	  | parts, through a queue of bounded size
//	apply       commits them into this server's own log, in their order   the SQL thread
//
// There is no relay log: a part that was received and is not applied is in memory only, and asked for again after a restart.
package primary
