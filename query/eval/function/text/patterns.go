package text

import "slices"

var patterns = slices.Concat(
	named("regexp_instr", 2, 2, regexpInstr, "REGEXP_INSTR"),
	named("regexp_substr", 2, 2, regexpSubstr, "REGEXP_SUBSTR"),
	named("regexp_replace", 3, 3, regexpReplace, "REGEXP_REPLACE"),
)
