# regular expressions: what PCRE2 and package regexp share
'a' REGEXP 'A'
'a' REGEXP NULL
'a' REGEXP ''
'ä' REGEXP 'Ä'
x'E4' REGEXP x'E4'
REGEXP_INSTR('xäb','b')
REGEXP_REPLACE('abc','b','x')
REGEXP_REPLACE('abc','(b)','[\\1\\0\\2]$0')
REGEXP_REPLACE('abc','','x')
REGEXP_REPLACE('abc','x*','-')
REGEXP_SUBSTR('abc','b.')
REGEXP_SUBSTR('abc','x')
NULL REGEXP 'a'
'' REGEXP ''
'ä' REGEXP 'a'
x'E4' REGEXP x'C4'
'abc' REGEXP '^a.c$'
'a\nc' REGEXP 'a.c'
'a\rc' REGEXP 'a.c'
'a\nc' REGEXP '(?s)a.c'
'aXc' REGEXP '(?-i)axc'
'aXc' REGEXP 'a(?-i)xc'
'aXc' REGEXP 'a(?-i:x)c'
'abc' COLLATE utf8mb4_bin REGEXP 'ABC'
'foo bar' REGEXP '\\bbar'
'foo123' REGEXP '[[:alpha:]]+[[:digit:]]{3}'
'foo123' REGEXP '^\\w+$'
'١' REGEXP '\\d'
'é' REGEXP '\\w'
'é' REGEXP '[[:alpha:]]'
' ' REGEXP '\\s'
' ' REGEXP '[[:space:]]'
'_' REGEXP '[[:punct:]]'
'$' REGEXP '[[:punct:]]'
'€' REGEXP '[[:punct:]]'
'¿' REGEXP '[[:punct:]]'
'ẞ' REGEXP 'ß'
'K' REGEXP 'k'
'ſ' REGEXP 'S'
'ς' REGEXP 'Σ'
'Ω' REGEXP 'ω'
'ϑ' REGEXP 'ϴ'
'µ' REGEXP 'μ'
'ǅ' REGEXP 'Ǆ'
'İ' REGEXP 'i'
'ı' REGEXP 'I'
'Ꭰ' REGEXP 'ꭰ'
'a]' REGEXP '[]a]{2}'
'b' REGEXP '[^]a]'
'-' REGEXP '[a-]'
'-' REGEXP '[-a]'
'\\' REGEXP '[\\\\]'
'b' REGEXP '[a-c]'
'B' REGEXP '[a-c]'
'B' REGEXP '[^a-c]'
'ä' REGEXP '[À-Ö]'
'aaa' REGEXP 'a{2}'
'aaa' REGEXP '^a{2}$'
'aaa' REGEXP '^a{2,}$'
'ab' REGEXP 'a|x'
'ab' REGEXP '(a|b)+'
'1' REGEXP 1
12 REGEXP '^1'
'a.b' REGEXP 'a\\.b'
'a+b' REGEXP 'a\\+b'
'tab\t' REGEXP '\\t'
'A' REGEXP '\\x41'
_latin1 x'E4' REGEXP _latin1 x'C4'
_latin1 x'E4' REGEXP 'Ä'
CONVERT('äöü' USING latin1) REGEXP 'Ö'
REGEXP_INSTR('äöü','ü')
REGEXP_INSTR(CONVERT('äöü' USING latin1),'ü')
REGEXP_INSTR('abc','x')
REGEXP_INSTR('abc','')
REGEXP_INSTR(x'E4E5','.$')
REGEXP_SUBSTR('äöü','ö.')
REGEXP_SUBSTR(CONVERT('äöü' USING latin1),'ö.')
REGEXP_SUBSTR(x'E4E5E6',x'E5')
REGEXP_SUBSTR('abc',NULL)
REGEXP_SUBSTR(123,'2')
REGEXP_REPLACE('abcabc','b','[\\0]')
REGEXP_REPLACE('abcabc','(a)(b)?','<\\2\\1>')
REGEXP_REPLACE('xaxb','x*','-')
REGEXP_REPLACE('xxaxb','x','-')
REGEXP_REPLACE('aaa','^a','-')
REGEXP_REPLACE('aaa','a$','-')
REGEXP_REPLACE('foo bar','\\bb','-')
REGEXP_REPLACE('abc','b','\\\\')
REGEXP_REPLACE('abc','b','\\x')
REGEXP_REPLACE('abc','b','x\\')
REGEXP_REPLACE('abc','b',NULL)
REGEXP_REPLACE('ABC','b','ä')
REGEXP_REPLACE(CONVERT('äöü' USING latin1),'ö','ss')
REGEXP_REPLACE(x'E4E5E6',x'E5','x')
REGEXP_REPLACE('a b  c',' +','_')
REGEXP_REPLACE(_latin1'abc' COLLATE latin1_bin,'b','c')
'a' COLLATE utf8mb4_bin REGEXP 'b' COLLATE utf8mb4_general_ci
REGEXP_SUBSTR('a' COLLATE utf8mb4_bin,'b' COLLATE utf8mb4_general_ci)
REGEXP_REPLACE('a' COLLATE utf8mb4_bin,'b' COLLATE utf8mb4_general_ci,'c')
REGEXP_INSTR('a' COLLATE utf8mb4_bin,'b' COLLATE utf8mb4_general_ci)
'ab' REGEXP REPEAT('a',1)
'a' REGEXP 'a' COLLATE utf8mb4_uca1400_as_cs
'A' COLLATE utf8mb4_uca1400_as_cs REGEXP 'a'
REGEXP_SUBSTR('aXbX','a.*?X')
REGEXP_SUBSTR('foofoobar','(foo|foofoo)bar')
REGEXP_SUBSTR('abcd','a|ab|abc')
'a' REGEXP 'A' ' '
CONVERT('ab' USING big5) COLLATE big5_chinese_ci REGEXP CONVERT('B' USING big5)
CONVERT('ab' USING hebrew) COLLATE hebrew_general_ci REGEXP CONVERT('B' USING hebrew)
CONVERT('ab' USING utf8mb3) COLLATE utf8mb3_swedish_ci REGEXP CONVERT('B' USING utf8mb3)
CONVERT('ab' USING utf8mb3) COLLATE utf8mb3_uca1400_romanian_nopad_ai_cs REGEXP CONVERT('B' USING utf8mb3)
CONVERT('ab' USING utf8mb3) COLLATE utf8mb3_uca1400_czech_as_ci REGEXP CONVERT('B' USING utf8mb3)
CONVERT('ab' USING utf8mb3) COLLATE utf8mb3_uca1400_persian_nopad_as_cs REGEXP CONVERT('B' USING utf8mb3)
CONVERT('ab' USING ucs2) COLLATE ucs2_latvian_ci REGEXP CONVERT('B' USING ucs2)
CONVERT('ab' USING ucs2) COLLATE ucs2_uca1400_latvian_nopad_as_cs REGEXP CONVERT('B' USING ucs2)
CONVERT('ab' USING ucs2) COLLATE ucs2_uca1400_turkish_nopad_ai_ci REGEXP CONVERT('B' USING ucs2)
CONVERT('ab' USING ucs2) COLLATE ucs2_uca1400_persian_ai_cs REGEXP CONVERT('B' USING ucs2)
CONVERT('ab' USING ucs2) COLLATE ucs2_uca1400_croatian_nopad_as_ci REGEXP CONVERT('B' USING ucs2)
CONVERT('ab' USING utf8mb4) COLLATE utf8mb4_vietnamese_ci REGEXP CONVERT('B' USING utf8mb4)
CONVERT('ab' USING utf8mb4) COLLATE utf8mb4_uca1400_polish_nopad_ai_cs REGEXP CONVERT('B' USING utf8mb4)
CONVERT('ab' USING utf8mb4) COLLATE utf8mb4_uca1400_lithuanian_as_ci REGEXP CONVERT('B' USING utf8mb4)
CONVERT('ab' USING utf8mb4) COLLATE utf8mb4_uca1400_hungarian_nopad_as_cs REGEXP CONVERT('B' USING utf8mb4)
CONVERT('ab' USING utf16) COLLATE utf16_danish_ci REGEXP CONVERT('B' USING utf16)
CONVERT('ab' USING utf16) COLLATE utf16_uca1400_slovenian_ai_cs REGEXP CONVERT('B' USING utf16)
CONVERT('ab' USING utf16) COLLATE utf16_uca1400_czech_nopad_as_ci REGEXP CONVERT('B' USING utf16)
CONVERT('ab' USING utf16) COLLATE utf16_uca1400_esperanto_as_cs REGEXP CONVERT('B' USING utf16)
CONVERT('ab' USING cp1257) COLLATE cp1257_lithuanian_ci REGEXP CONVERT('B' USING cp1257)
CONVERT('ab' USING utf32) COLLATE utf32_uca1400_icelandic_nopad_as_cs REGEXP CONVERT('B' USING utf32)
CONVERT('ab' USING utf32) COLLATE utf32_uca1400_swedish_nopad_ai_ci REGEXP CONVERT('B' USING utf32)
CONVERT('ab' USING utf32) COLLATE utf32_uca1400_roman_ai_cs REGEXP CONVERT('B' USING utf32)
CONVERT('ab' USING utf32) COLLATE utf32_uca1400_vietnamese_nopad_as_ci REGEXP CONVERT('B' USING utf32)
'a' rlike '[[:<:]]a[[:>:]]'
'ba' rlike '[[:<:]]a'
'ab' rlike 'a[[:>:]]'
'вася x' rlike '[[:<:]]вася[[:>:]]'
'a-b' regexp '^[[:<:]]a[[:>:]]-[[:<:]]b[[:>:]]$'
regexp_replace('ab cd','[[:<:]]','<')
'a' rlike '[[:<:]'
'a' rlike '[[:<:]x]'
'васяz' RLIKE '[[:<:]]вася[[:>:]]'
'вася' RLIKE '[[:<:]]вася[[:>:]]'
'a b' RLIKE '[[:>:]]'
'ab' REGEXP 'a[[:>:]]'
REGEXP_REPLACE('ab cd','[[:<:]]','x')
REGEXP_REPLACE('ab cd','[[:>:]]','x')
'a' RLIKE 'b[[:<:]]|a'
'ab' RLIKE '[[:<:]a]'
'ab' RLIKE '[a[:<:]]'
'a' RLIKE '[^[:<:]]'
'a' RLIKE '[[:<:]]+a'
'a' RLIKE '[[:<:]]{2}a'
'ab12' RLIKE '([[:<:]])ab1'
'-a-' RLIKE '-[[:<:]]a[[:>:]]-'
'[[:<:]]' RLIKE '\\Q[[:<:]]\\E'
'a]b' RLIKE '[]x][[:<:]]b'
'a.b' RLIKE '\\.[[:<:]]b'
