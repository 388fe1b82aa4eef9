; RUN: not --exit 2 lw analyze %s -a bound 2>&1 | FileCheck-22 %s --check-prefix=NAME
; RUN: not --exit 2 lw analyze %s 2>&1 | FileCheck-22 %s --check-prefix=NONE
; RUN: not --exit 2 lw analyze %s -a null -f seven 2>&1 | FileCheck-22 %s --check-prefix=FUNCTION
; RUN: not --exit 2 lw analyze %s -a null -- -O2 2>&1 | FileCheck-22 %s --check-prefix=FLAGS
; RUN: not --exit 2 lw analyze %s -a null --passes no-such-pass 2>&1 | FileCheck-22 %s --check-prefix=PASS
; RUN: mkdir -p %t.c %t.bc
; RUN: not --exit 2 lw analyze %t.c -a null 2>&1 | FileCheck-22 %s --check-prefix=DIRECTORY
; RUN: not --exit 2 lw analyze %t.bc -a null 2>&1 | FileCheck-22 %s --check-prefix=DIRECTORY
; RUN: not --exit 2 lw analyze absent.c -a null 2>&1 | FileCheck-22 %s --check-prefix=ABSENT
; RUN: not --exit 2 lw sparse absent.bc 2>&1 | FileCheck-22 %s --check-prefix=ABSENT
; RUN: lw roundtrip %s -o %t.whole.bc
; RUN: head -c 300 %t.whole.bc > %t.cut.bc
; RUN: not --exit 2 lw analyze %t.cut.bc -a null -o %t.out 2>&1 | FileCheck-22 %s --check-prefix=CUT
; RUN: test ! -e %t.out
; RUN: not --exit 2 lw analyze %s -a null -o %t.absent/out 2>&1 | FileCheck-22 %s --check-prefix=OUT
; Requests that cannot be carried out: one clear message, exit code 2, and no output.

; NAME: invalid value 'bound' for '--analysis <ANALYSIS>'
; NAME: constants, ranges, bits, null, taint, bounds, classes
; NONE: --analysis <ANALYSIS>
; FUNCTION: there is no function `seven`; there are 7; the nearest: seven_of, five, one, six, three
; FLAGS: flags for clang go with C and C++
; PASS: unknown pass name 'no-such-pass'
; DIRECTORY: this is a directory
; ABSENT: {{[Nn]}}o such file
; CUT: cut.bc
; OUT: absent/out: No such file
define void @one() { ret void }
define void @two() { ret void }
define void @three() { ret void }
define void @four() { ret void }
define void @five() { ret void }
define void @six() { ret void }
define void @seven_of() { ret void }
