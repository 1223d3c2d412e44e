# literals
1
123456789012
18446744073709551615
18446744073709551616
1.50
.5
1e5
'abc'
'äö'
''
NULL
TRUE
FALSE
0x41
x'41'
b'1'
_latin1'abc'
_utf8mb4 0xC3A4
_utf8mb4 0xFF41
N'abc'
1e400
 1 
(1)
((1 ))
'  abc'
'a' 'b'
/* c */ 1 /* d */
(1.50)
+1
(+1)
+'a'
+ + 1
(x'41')
( 'abc' )
(NULL)
(TRUE)
1e1
(1e1)
(_utf8mb4'x')
_utf8mb4'x'
N' x'
_latin1' x'
{sql_mode=EMPTY_STRING_IS_NULL} x''
{sql_mode=EMPTY_STRING_IS_NULL} _latin1 x''
{sql_mode=EMPTY_STRING_IS_NULL} _latin1'' IS NULL
{sql_mode=EMPTY_STRING_IS_NULL} '' 'a'
{sql_mode=EMPTY_STRING_IS_NULL} 'a' ''
{sql_mode=EMPTY_STRING_IS_NULL} CONCAT(_latin1'','a')
{sql_mode=EMPTY_STRING_IS_NULL} _latin1'' = ''
