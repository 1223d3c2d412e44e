// Package json is the functions of SQL over JSON.
//
// MariaDB's JSON is text, and its functions work on the text as it was written: blanks, the form of numbers, escapes, the order of keys
// and keys that are there twice stay where a function does not say otherwise. So there is no tree of values here, but
//
//	scanner    reads a document token by token, and knows what is wrong at which byte
//	path       is a path that was read; matcher follows paths while a scanner reads
//	writer     makes JSON of values of SQL
//
// and functions which copy pieces of their arguments. Documents are nested at most 31 levels deep, so that what is recursive here is
// bounded, and whatever is read is read a number of times that does not depend on its length.
//
// Documents and paths may be in UTF-8, in a set of single bytes that has ASCII in it, or binary: then bytes are what is compared, as
// MariaDB does it. Those of sjis, gbk and their like are read as UTF-8 (otherset.go). Others are refused: the server reads utf16 by other rules from
// function to function.
package json

import "github.com/duramendb/duramen/query/eval"

// Functions are those called by name.
var Functions = inOtherSets([]eval.Def{
	{Name: "JSON_VALID", Min: 1, Max: 1, Bind: valid},
	{Name: "JSON_TYPE", Min: 1, Max: 1, Bind: typeOf},
	{Name: "JSON_DEPTH", Min: 1, Max: 1, Bind: depthOf},
	{Name: "JSON_LENGTH", Min: 1, Max: 2, Bind: length},
	{Name: "JSON_KEYS", Min: 1, Max: 2, Bind: keys},
	{Name: "JSON_QUOTE", Min: 1, Max: 1, Bind: quote},
	{Name: "JSON_UNQUOTE", Min: 1, Max: 1, Bind: unquote},
	{Name: "JSON_ARRAY", Min: 0, Max: -1, Bind: array},
	{Name: "JSON_OBJECT", Min: 0, Max: -1, Bind: object},
	{Name: "JSON_EXTRACT", Min: 2, Max: -1, Bind: extract},
	{Name: "JSON_VALUE", Min: 2, Max: 2, Bind: value},
	{Name: "JSON_QUERY", Min: 2, Max: 2, Bind: query},
	{Name: "JSON_EXISTS", Min: 2, Max: 2, Bind: exists},
	{Name: "JSON_CONTAINS", Min: 2, Max: 3, Bind: contains},
	{Name: "JSON_CONTAINS_PATH", Min: 3, Max: -1, Bind: containsPath},
	{Name: "JSON_OVERLAPS", Min: 2, Max: 2, Bind: overlaps},
	{Name: "JSON_SEARCH", Min: 3, Max: -1, Bind: search},
	{Name: "JSON_SET", Min: 3, Max: -1, Bind: modifier("json_set", set)},
	{Name: "JSON_INSERT", Min: 3, Max: -1, Bind: modifier("json_insert", insert)},
	{Name: "JSON_REPLACE", Min: 3, Max: -1, Bind: modifier("json_replace", replace)},
	{Name: "JSON_ARRAY_APPEND", Min: 3, Max: -1, Bind: modifier("json_array_append", arrayAppend)},
	{Name: "JSON_ARRAY_INSERT", Min: 3, Max: -1, Bind: modifier("json_array_insert", arrayInsert)},
	{Name: "JSON_REMOVE", Min: 2, Max: -1, Bind: remove},
	{Name: "JSON_MERGE", Min: 2, Max: -1, Bind: mergePreserve},
	{Name: "JSON_MERGE_PRESERVE", Min: 2, Max: -1, Bind: mergePreserve},
	{Name: "JSON_MERGE_PATCH", Min: 2, Max: -1, Bind: mergePatch},
	{Name: "JSON_COMPACT", Min: 1, Max: 1, Bind: compact},
	{Name: "JSON_LOOSE", Min: 1, Max: 1, Bind: loose},
	{Name: "JSON_DETAILED", Min: 1, Max: 2, Bind: detailed},
	{Name: "JSON_PRETTY", Min: 1, Max: 2, Bind: detailed},
	{Name: "JSON_NORMALIZE", Min: 1, Max: 1, Bind: normalize},
	{Name: "JSON_EQUALS", Min: 2, Max: 2, Bind: equals},
})
