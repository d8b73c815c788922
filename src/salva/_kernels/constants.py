"""Numbers that kernels share: what flags, columns and draws are called, and the names of fixed-width types.

`setup.py` writes them into the extension as constants of C. A name without a comment says what it is where
it is used. Uncompiled, the kernels compute with Python's own integers.
"""

from __future__ import annotations

CHECKED = True  # in a build that checks every index, and in Python

# Characters of ASCII that kernels name often.
BLANK, QUOTE, APOSTROPHE, COMMA, DASH, DOT, SLASH, BACKTICK = (ord(c) for c in " \"',-./`")
ZERO, PERCENT, DOLLAR, NEWLINE, TAG_END = (ord(c) for c in "0%$\n>")
CASE_BIT = 0x20  # the difference between a small letter of ASCII and a capital one
NOT_ASCII = 0x80  # the first byte of a character beyond ASCII is this or more
CURLY_SIZE = 3  # bytes of a curly apostrophe, and what they are
CURLY_1, CURLY_2, CURLY_3 = "\N{RIGHT SINGLE QUOTATION MARK}".encode()

# Flags of characters. `re` and `str` agree on which characters are spaces or parts of words; `regex`, which
# NLTK 3.10 uses, differs a little: it does not count U+001C to U+001F as spaces, and counts combining
# marks, joiners and connectors as parts of words.
SPACE, NLTK_SPACE, WORD, NLTK_WORD, DECIMAL, DIGIT, UPPER, LOWER, TITLE, CASED, CASE_IGNORABLE, ALPHA = (
    1 << bit for bit in range(12)
)
ASSIGNED = 1 << 12  # in the frozen Unicode version
JOINING = 1 << 13  # readers see it as part of the preceding character
UNSPACED = 1 << 14  # belongs to a script written without spaces between words
LEADING = 1 << 15  # readers see it as part of the following character

# Patterns of case. AS_CAPITAL is not a pattern of words: capitalise the first letter, leave the rest as it
# is.
AS_LOWER, AS_TITLE, AS_UPPER, AS_MIXED, AS_CAPITAL = range(5)
GROWTH = 3  # a change of case makes at most so many bytes of one
LONG_S, DOTTED_I, DOTLESS_I, KELVIN = 0x17F, 0x130, 0x131, 0x212A
SIGMA, FINAL_SIGMA, SMALL_SIGMA = 0x3A3, 0x3C2, 0x3C3
ALL_LETTERS = 1  # a word consists of letters, as in `str.isalpha`
HAS_LETTER = 2  # a word has a letter of a script with spaces between words

# Randomness: all ones, the bits of a threshold, splitmix64 and FNV-1a.
ALL_BITS = (1 << 64) - 1
TOP = 1 << 53
GOLDEN, MIX_1, MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
FNV_START, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3

# The purpose of every draw for a token: one number per purpose, never used twice, so that draws are
# independent. They are part of what a seed means: if one changes, results change. Add new ones at the end,
# with the next number.
GROUP, GROUP_CHOICE, WORDNET, WORDNET_CHOICE, HYBRID_TYPO, HYBRID_PLACE, HYBRID_KEY, HYBRID_KEEP = range(1, 9)
SYNONYM, SYNONYM_CHOICE, SYNONYM_KEEP = range(9, 12)
# Each word has its own key (TYPOS_WORD), from which its positions and letters are drawn.
TYPOS, TYPOS_WORD, TYPOS_PLACE, TYPOS_KEY, TYPOS_KEEP = range(12, 17)
CORRUPT_RANK, CORRUPT_KIND, CORRUPT_PLACE, CORRUPT_LETTER = range(17, 21)
CORRECT_CHOICE, COMPLETE_CHOICE, THESAURUS_CHOICE = range(21, 24)
NATURAL_CHOICE, NATURAL_KEEP, NATURAL_TOGETHER = range(24, 27)
# Each word has its own key (MISSPELL_WORD); the error is drawn again at every attempt.
MISSPELL, MISSPELL_KEEP, MISSPELL_WORD, MISSPELL_CHANCE, MISSPELL_ERROR = range(27, 32)
CASE, CASE_KEEP, PUNCTUATE, PUNCTUATE_KEEP, PUNCTUATE_WAY, SPACING, SPACING_KEEP, SPACING_WAY = range(32, 40)
# Which texts and which of their edits; then what words and digits become.
CONTRAST_KEEP, CONTRAST_RANK, SWAP_CHOICE, DIGIT_CHOICE = range(40, 44)

# Strings: bytes copied at once, those of a number, and what eight bytes at a time are compared with.
LANE, EIGHT = 16, 8
HASHED = 0xFF << 56  # greater than every head that is a string
ONES, TOPS, BLANKS = 0x0101010101010101, 0x8080808080808080, 0x2020202020202020
FROM_A, AFTER_Z = (
    (0x80 - ord("a")) * ONES,
    (0x7F - ord("z")) * ONES,
)  # reach the top bit from a on, and after z

# Punkt's flags of types: the orthographic contexts are its own bits, 2 to 64.
ABBREVIATED = 1
MIDDLE_UPPER, SOME_UPPER, FIRST_LOWER, SOME_LOWER = 4, 2 | 4 | 8, 16, 16 | 32 | 64
STARTER = 128
COLLOCATION_LEFT = 256  # the first word of a collocation
UNKNOWN, YES, NO = range(3)
SIZES = 32  # word sizes, one bit each
LETTER_PAIRS = 1 << 10

# Marks of a byte that the tokenizer sets: a space goes before it; NLTK writes the token as `` or ''; it is
# white space; it follows a character inside a token that is not part of a word.
GAP, OPEN, CLOSE, WHITE, INNER = 1, 2, 4, 8, 16
PLAIN_BYTE, BLANK_BYTE, PADDED_BYTE, OTHER_BYTE, LEAD_BYTE, RUN_BYTE = range(6)  # what to do at a byte
SHORTEST_CONTRACTION, LONGEST_CONTRACTION = 5, 6  # sizes of the contractions that consist only of letters
# The table of contractions has so many bytes for each of them, and then the letters of is and was.
CONTRACTIONS, CONTRACTION_SIZE = 8, 7
WANNA = CONTRACTIONS - 1  # the contraction that only white space may follow
IS_WAS = CONTRACTIONS * CONTRACTION_SIZE

# Columns of features: the row of weights of a word type for each of its positions.
(
    OWN_SUFFIX,
    OWN_PREFIX,
    OWN_WORD,
    LEFT_WORD,
    LEFT_SUFFIX,
    LEFT_2,
    RIGHT_WORD,
    RIGHT_SUFFIX,
    RIGHT_2,
    AFTER_WORD,
) = range(10)
FEATURES = 10
SHAPE_HYPHEN, SHAPE_YEAR, SHAPE_DIGITS = range(3)  # the first words of every vocabulary
LOWEST_SCORE = -(1 << 31)

# Protected stretches and their tokens. GLUED: this token or the one before is markup, and nothing is between
# them. CONTINUES: both are in one stretch, with all that is between them. OPAQUE: no byte may change.
MARKUP, NAMED = 1, 2
GLUED, CONTINUES, OPAQUE = 1, 2, 4
LONGEST_TAG, LONGEST_ENTITY = 4096, 32
HIDDEN = 1  # replaces the bytes of an opaque word: not a letter, a mark or a space

# Marks that the rules for joining words look at, one bit each, and PAIRED: two apostrophes that may meet.
JOINED_MARKS = "'\"`-.,;:!?%#$[](){}<>"
PAIRED = 1 << len(JOINED_MARKS)
NEAR_APOSTROPHE = 4  # bytes from an apostrophe to the next one, if there is at most one space between them


def _bits_of(marks: str) -> int:
    return sum(1 << JOINED_MARKS.index(mark) for mark in marks)


APOSTROPHE_BIT, DASH_BIT, DOT_BIT, BACKTICK_BIT = (_bits_of(mark) for mark in "'-.`")
CLOSING_QUOTE_BITS, BRACKET_BITS = _bits_of('"') | PAIRED, _bits_of("[](){}<>")
ASK_BITS, OTHER_BITS = _bits_of("?!"), _bits_of("#$;%")

# Entries of types that were never looked up, and of types without replacements: up to four lists, all empty.
UNASKED, NO_WORDS = 0, 4
SPARE = 8  # more bytes than an edit writes beyond those that it is about
NO_KEY = -1  # a key without neighbours
MOST_BASES = 64  # a form has itself and at most eight more by the rules; irregular forms have up to five

# What a condition of pairs looks at: the word or the tag at a distance, or the words at the three next
# places.
WORD_AT, TAG_AT, WORDS_NEAR = range(3)
NEIGHBOURS = 3
WINDOW = 6  # tokens on each side in which an edit neither makes nor breaks a repetition
TITLE_WINDOW = 4  # two capitals among so many tokens show that a capitalised word begins a title
SHORT_WORD = 3  # words of so many letters may be repeated
STEM = 5  # words that begin with the same letters echo one another: completely completed
LONGEST_QUOTATION = 30  # tokens

# Misspellings.
ATTEMPTS = 24
SHORT_WORD_LETTERS = 5  # letters of the longest short word
ALPHABET = 27  # letters, and the edge of a word, which is 0
BEFORE_A = ord("a") - 1
CELLS = 3 * ALPHABET**3  # contexts: three parts of words, and three letters
# Errors; the last two have a letter added to them.
SLIP_LEFT_OUT, SLIP_SWAPPED, SLIP_WRONG, SLIP_ADDED = 0, 1, 2, 2 + ALPHABET
NEVER = 1 << 62  # a weight that no word has

# Corruptions: letters and other characters that have bits in the mask of a word; the size of words and
# letters.
MASK_LETTERS, MASK_OTHERS = 26, 12
FIVES, THREES, FIFTEENS = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
SHORTEST_CORRUPTED = 2
WIDEST_LETTER = 4
BUCKETS = 256

# Case, punctuation and spaces.
LONGEST_WORD = 64  # bytes
SHORT_ABBREVIATION = 3  # the most letters of a capitalised word that a full stop abbreviates: Mr. Jr. St. J.
SHORTEST_LAST_WORD = (
    3  # letters of a word before a full stop that is not an abbreviation, and of one after it
)
SHORTEST_NAME = 3
IS_PLAIN, IS_FUNCTION, IS_NUMBERED = 1, 2, 4  # written small; without a meaning; may stand before a numeral
PRONOUN, EXCLAMATION = ord("I"), ord("!")
CURLY_OPEN, CURLY_CLOSE = "“".encode()[2], "”".encode()[2]  # the last bytes of curly quotation marks
NO_CHANGE, DROP_STOP, DROP_COMMA, DOUBLE_MARK, DROP_APOSTROPHE, OTHER_APOSTROPHE = range(6)
BLANK_BEFORE, NO_BLANK_AFTER, TWO_BLANKS_AFTER, NO_BLANK = 1, 2, 4, 8  # what may be done, one bit each

# Numbers and names.
SENTENCE_END = 1  # the flag of tokens that end a sentence; other flags are up to the caller
LONGEST_NUMBER = 16  # bytes
SHORT_NUMBER = 3  # digits; a shorter number may be a part of a title
FIRST_CENTURY, LAST_CENTURY = 11, 20  # the first two digits of years
FIXED_DIGIT, FIRST_DIGIT, INNER_DIGIT, FINAL_DIGIT, TWENTY_DIGIT, ORDINAL_DIGIT, UNIT_DIGIT = range(7)
PERSON, PLACE, NUMBER = range(3)  # what the neighbours of a word must be
NO_NUMBER_AFTER, NO_NUMBER_BEFORE = 1, 2  # flags of words that a number may not follow, or precede


class Number(int):
    """Stands for a type of C where kernels run uncompiled: `u8[256]` and `u8[::1]` mean nothing more."""

    @classmethod
    def __class_getitem__(cls, _: object) -> type[Number]:
        return cls


i8 = i16 = i32 = i64 = u8 = u16 = u32 = u64 = Number
f64 = float
const_i8 = const_i16 = const_i32 = const_i64 = const_u8 = const_u16 = const_u32 = const_u64 = Number
