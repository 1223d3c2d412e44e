// Package cowtree is a sorted map in memory for engines that keep versions: a B+tree whose nodes are copied when they
// change. A version that somebody reads is a Tree that nobody changes any more; the next one shares with it what is equal. Readers need no
// lock, and nobody frees a version: the garbage collector does, when nobody has it.
//
// Keys and values lie in Items, which may also say that a key is deleted: what an engine adds on top of files
// (engine/btree) has to hide keys below. An engine without files takes keys out (engine/memory).
package cowtree
