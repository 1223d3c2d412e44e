# LIKE, SOUNDS LIKE
'a' LIKE 'A'
'a' LIKE NULL
'a' LIKE 'a' ESCAPE ''
'a' LIKE 'a' ESCAPE 'xx'
'a' LIKE 'a' ESCAPE NULL
1 LIKE 1
1 LIKE 1.0
'a%' LIKE 'a|%' ESCAPE '|'
x'41' LIKE 'a'
'a' SOUNDS LIKE 'b'
'Smith' SOUNDS LIKE 'Smyth'
'a' LIKE 'a' ESCAPE 'ä'
'a%' LIKE 'aä%' ESCAPE 'ä'
'a\\' LIKE 'a\\'
'a%' LIKE 'a\%'
'ab' LIKE 'a\b'
'a' LIKE 'a' ESCAPE 1
'ä' LIKE _latin1 x'E4'
'a' LIKE x'61'
'A' LIKE x'61'
'abc' LIKE 'a_c'
'abc' LIKE '%'
'' LIKE '%'
'' LIKE ''
'a\%' LIKE 'a\\%' ESCAPE ''
'a' LIKE 'b' COLLATE utf8mb4_bin
'a' COLLATE utf8mb4_general_ci LIKE 'b' COLLATE utf8mb4_bin
1 LIKE NULL
NULL LIKE NULL
'a' LIKE REPEAT('a',1)
SOUNDEX('a') SOUNDS LIKE 'b'
NULL SOUNDS LIKE 'b'
1 SOUNDS LIKE 2
'a' COLLATE utf8mb4_bin SOUNDS LIKE 'b' COLLATE utf8mb4_general_ci
