# COLLATE, CONVERT USING
'a' COLLATE utf8mb4_bin
'a' COLLATE latin1_bin
'a' COLLATE foo
1 COLLATE utf8mb4_bin
NULL COLLATE utf8mb4_bin
x'41' COLLATE binary
x'41' COLLATE latin1_bin
'a' COLLATE uca1400_ai_ci
CONVERT('ä' USING latin1)
CONVERT('ю' USING latin1)
CONVERT(x'FF41' USING utf8mb4)
CONVERT(1 USING latin1)
CONVERT(NULL USING latin1)
CONVERT('a' USING foo)
CONVERT('a' USING binary)
CONVERT('ä' USING utf16)
CONVERT(x'41' USING utf16)
CONVERT(_utf8mb3 'ä' USING utf8mb3)
CONVERT('ä' USING ascii)
CONVERT('äю😀' USING latin1)
CONVERT(x'C3' USING utf8mb4)
CONVERT(_latin1 x'E4' USING utf8mb4)
CONVERT(x'41FF' USING latin1)
CONVERT(x'00410042' USING utf16)
CONVERT(x'410042' USING utf16)
CONVERT(12.5 USING utf16)
CONVERT('😀' USING utf8)
CONVERT(CONVERT('😀' USING utf8) USING latin1)
CONVERT(x'41FF' USING ascii)
CONVERT(_latin1 x'41FF' USING ascii)
CONVERT('aä' USING binary)
CONVERT(1.5 USING binary)
'a' COLLATE utf8mb4_bin COLLATE utf8mb4_general_ci
'a' COLLATE UTF8MB4_BIN
_latin1'a' COLLATE latin1_bin
NULL COLLATE latin1_bin
NULL COLLATE foo
1.5 COLLATE utf8mb4_bin
x'41' COLLATE utf8mb4_bin
CONVERT(x'81' USING cp1250)
CONVERT(x'FF' USING latin1)
0 of 937 differ
concat(null) collate latin1_bin
collation(upper(null) collate latin1_bin)
concat(null) collate uca1400_ai_ci
collation(cast('a' as char(10) collate default))
collation(cast('a' as char(10) character set latin1 collate default))
concat(_utf16'a' collate utf16_unicode_ci, 0xD800)
concat(_utf32'a' collate utf32_bin, _binary 0x20FFFF)
rpad(_utf16 0x0061 collate utf16_bin, 5, 0x0061DE989999)
if(1, _utf16'abc' collate utf16_bin, 0xd800)
hex(lower(cast(0xffff0000 as char character set utf32)))
hex(cast(0x20FFFF as char character set utf32))
hex(convert(unhex('D8000061') using utf16))
hex(convert(unhex('D83DDE00D8') using utf16le))
hex(convert(unhex('00DC0061D8') using utf16))
hex(concat(_utf16'a', unhex('D800')))
