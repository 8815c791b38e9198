"""Codes of diagnoses and medicines with their trees, cut down from ICD-10 and ATC."""

from __future__ import annotations

# A line is a chapter and a block of ICD-10; then its categories, each with the digits that occur
# behind its dot ("-": the category itself is a code), and the medicines that are given for it.
_BLOCKS = """
IX I10-I15: I10 - C09AA05 C08CA01 C03CA01 | I11 09 C09AA05 C03CA01
IX I20-I25: I20 089 C07AB02 B01AC06 | I21 149 B01AC06 C10AA05 | I25 15 B01AC06 C10AA05
IX I30-I52: I48 019 B01AF01 C07AB02 | I50 019 C03CA01 C07AB02
IX I60-I69: I63 349 B01AC06 C10AA05 | I64 - B01AC06
IV E00-E07: E03 89 H03AA01 | E05 0 H03BB02
IV E10-E14: E10 9 A10AB01 | E11 2459 A10BA02 A10AB01
IV E65-E68: E66 09 A10BA02
IV E70-E90: E78 025 C10AA05 | E86 - B05BB01
X J00-J06: J00 - N02BE01 | J06 9 N02BE01
X J09-J18: J18 019 J01CA04 J01FA09
X J20-J22: J20 89 R05CB01 J01CA04
X J40-J47: J44 019 R03BB04 R03AC02 | J45 019 R03AC02 R03BA02
XI K20-K31: K21 09 A02BC01 | K29 57 A02BC01
XI K35-K38: K35 38 J01DD04
XI K55-K64: K57 23 J01DD04
XI K80-K87: K80 012 N02BB02 J01DD04
XIII M15-M19: M17 019 M01AE01 N02BB02
XIII M50-M54: M51 12 M01AE01 | M54 245 M01AE01 N02BE01
XIV N17-N19: N18 345 C03CA01
XIV N20-N23: N20 01 N02BB02
XIV N30-N39: N39 0 J01EE01
V F10-F19: F10 02 N05BA01
V F30-F39: F32 012 N06AB04
V F40-F48: F41 019 N06AB04 N05BA01
VI G40-G47: G40 39 N03AX14 | G43 019 N02CC01 | G47 03 N05CF02
XIX S00-S09: S06 05 N02BE01
XIX S50-S59: S52 56 M01AE01
XIX S70-S79: S72 01 N02AA01 B01AB05
II C15-C26: C18 279 L01BC02
II C50-C50: C50 49 L02BA01
II C60-C63: C61 - L02BB03
I A00-A09: A09 09 B05BB01
XII L00-L08: L03 01 J01CF05
XV O80-O84: O80 - G02CA01
""".strip().splitlines()
_DOSES = {
    "A02BC01": "20 40",
    "A10AB01": "10 20 40",
    "A10BA02": "500 850 1000",
    "B01AC06": "100 300",
    "C03CA01": "20 40 80",
    "C07AB02": "50 100",
    "C09AA05": "2.5 5 10",
    "C10AA05": "10 20 40 80",
    "H03AA01": "0.05 0.1",
    "J01CA04": "500 1000",
    "M01AE01": "400 600 800",
    "N02BB02": "500 1000",
    "N02BE01": "500 1000",
}
_USUAL_DOSES = "50 100"


def _parsed() -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Return of each code of a diagnosis its block, chapter and medicines."""
    codes = {}
    for line in _BLOCKS:
        head, categories = line.split(": ")
        chapter, block = head.split()
        for category, digits, *medicines in map(str.split, categories.split(" | ")):
            for digit in digits:
                code = category if digit == "-" else f"{category}.{digit}"
                codes[code] = (block, f"chapter {chapter}", tuple(medicines))
    return codes


DIAGNOSES = _parsed()
MEDICINES = tuple(sorted({code for *_, codes in DIAGNOSES.values() for code in codes}))


def doses_of(medicine: str) -> list[str]:
    """Return in which doses a medicine is given, in milligrams, the usual one first."""
    return _DOSES.get(medicine, _USUAL_DOSES).split()


def icd_ladder(code: str) -> list[str]:
    """Return the path of a diagnosis: code, category, block, chapter, all.

    >>> icd_ladder("I25.1")
    ['I25.1', 'I25', 'I20-I25', 'chapter IX', 'any icd']
    """
    block, chapter, _ = DIAGNOSES[code]
    return [code, code.partition(".")[0], block, chapter, "any icd"]


def atc_ladder(code: str) -> list[str]:
    """Return the path of a medicine: substance, subgroups of three kinds, main group, all.

    >>> atc_ladder("C09AA05")
    ['C09AA05', 'C09AA', 'C09A', 'C09', 'C', 'any atc']
    """
    return [code, *(code[:kept] for kept in (5, 4, 3, 1)), "any atc"]
