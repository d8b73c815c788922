# One extension of all kernels, so that the C compiler inlines across files; each file also runs as Python.
cimport cython
from libc.math cimport rint
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

ctypedef int8_t i8
ctypedef int16_t i16
ctypedef int32_t i32
ctypedef int64_t i64
ctypedef uint8_t u8
ctypedef uint16_t u16
ctypedef uint32_t u32
ctypedef uint64_t u64
ctypedef double f64
ctypedef const int8_t const_i8
ctypedef const int16_t const_i16
ctypedef const int32_t const_i32
ctypedef const int64_t const_i64
ctypedef const uint8_t const_u8
ctypedef const uint16_t const_u16
ctypedef const uint32_t const_u32
ctypedef const uint64_t const_u64

include "constants.pxi"
include "rng.py"
include "strings.py"
include "characters.py"
include "plans.py"
include "typos.py"
include "surface.py"
include "synonyms.py"
include "corrupt.py"
include "natural.py"
include "contrast.py"
include "sentences.py"
include "treebank.py"
include "perceptron.py"
include "protection.py"
include "detokenize.py"
include "render.py"
