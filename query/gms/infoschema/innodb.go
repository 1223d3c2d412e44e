package infoschema

import "strings"

// InnoDB has the rows of tables about parts of InnoDB that the server has not: the same as MariaDB shows while nothing
// uses them. No page is compressed, or in a buffer pool; there is no full-text index, and nothing that innodb_monitor_enable
// could count.
var InnoDB = map[string][][]any{
	"INNODB_BUFFER_PAGE":         nil,
	"INNODB_BUFFER_PAGE_LRU":     nil,
	"INNODB_BUFFER_POOL_STATS":   nil,
	"INNODB_CMP":                 perPageSize,
	"INNODB_CMP_RESET":           perPageSize,
	"INNODB_CMPMEM":              perPageSize,
	"INNODB_CMPMEM_RESET":        perPageSize,
	"INNODB_CMP_PER_INDEX":       nil,
	"INNODB_CMP_PER_INDEX_RESET": nil,
	"INNODB_FT_BEING_DELETED":    nil,
	"INNODB_FT_CONFIG":           nil,
	"INNODB_FT_DELETED":          nil,
	"INNODB_FT_INDEX_CACHE":      nil,
	"INNODB_FT_INDEX_TABLE":      nil,
	"INNODB_METRICS":             nil,
}

var perPageSize = [][]any{{1024, 0, 0, 0, 0, 0}, {2048, 0, 0, 0, 0, 0}, {4096, 0, 0, 0, 0, 0}, {8192, 0, 0, 0, 0, 0}, {16384, 0, 0, 0, 0, 0}}

const stopwordList = `a about an are as at be by com de en for from how i in is it la of on or that the this to was what
when where who will with und the www`

// stopwords fills INNODB_FT_DEFAULT_STOPWORD: "the" is there twice, as in MariaDB.
func stopwords(s *scan) error {
	for w := range strings.FieldsSeq(stopwordList) {
		s.add(w)
	}
	return nil
}
