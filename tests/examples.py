"""The worked examples of the papers, as small data, and a plan for the medical one."""

from __future__ import annotations

RACE = [[race, "person"] for race in ("asian", "black", "white")]
ZIP = [[z, z[:4] + "*", "941**"] for z in ("94138", "94139", "94141", "94142")]
SEX = [["male", "not_released"], ["female", "not_released"]]
MARITAL = [
    ["married", "been_married", "not_released"],
    ["divorced", "been_married", "not_released"],
    ["widow", "been_married", "not_released"],
    ["single", "never_married", "not_released"],
]

FIGURE_4 = {
    "columns": ["race", "zip"],
    "ladders": {"race": RACE, "zip": ZIP},
    "rows": [{"race": race[0], "zip": z[0]} for race in RACE for z in ZIP],
}

FIGURE_8 = {
    "columns": ["race", "zip"],
    "ladders": {"race": RACE, "zip": ZIP},
    "rows": [
        {"race": race, "zip": z}
        for race, z in [
            ("asian", "94138"),
            ("asian", "94138"),
            ("asian", "94142"),
            ("asian", "94142"),
            ("black", "94138"),
            ("black", "94141"),
            ("black", "94142"),
            ("white", "94138"),
        ]
    ],
}

_PEOPLE = [
    ("asian", "09/27/64", "female", "94139", "divorced"),
    ("asian", "09/30/64", "female", "94139", "divorced"),
    ("asian", "04/18/64", "male", "94139", "married"),
    ("asian", "04/15/64", "male", "94139", "married"),
    ("black", "03/13/63", "male", "94138", "married"),
    ("black", "03/18/63", "male", "94138", "married"),
    ("black", "09/13/64", "female", "94141", "married"),
    ("black", "09/07/64", "female", "94141", "married"),
    ("white", "05/14/61", "male", "94138", "single"),
    ("white", "05/08/61", "male", "94138", "single"),
    ("white", "09/15/61", "female", "94142", "widow"),
]

FIGURE_6 = {
    "columns": ["race", "dob", "sex", "zip", "marital"],
    "ladders": {
        "race": RACE,
        "dob": [
            [dob, f"{dob[:2]}/{dob[6:]}", dob[6:], "[60-64]", "[60-69]"] for _, dob, *_ in _PEOPLE
        ],
        "sex": SEX,
        "zip": ZIP,
        "marital": MARITAL,
    },
    "rows": [
        dict(zip(["race", "dob", "sex", "zip", "marital"], person, strict=True))
        for person in _PEOPLE
    ],
}

# The table of Samarati 2001's Figure 12, to which mu-Argus is applied with k = 2.
FIGURE_12 = {
    "columns": ["ssn", "race", "dob", "sex", "zip"],
    "ladders": {
        "race": RACE,
        "sex": SEX,
        "zip": ZIP,
    },
    "ranks": {"ssn": 3, "dob": 2, "sex": 2, "zip": 2, "race": 1},
    "rows": [
        dict(zip(["ssn", "race", "dob", "sex", "zip"], person, strict=True))
        for person in [
            ("819181496", "black", "09/20/65", "male", "94141"),
            ("195925972", "black", "02/14/65", "male", "94141"),
            ("902750852", "black", "10/23/65", "female", "94138"),
            ("985820581", "black", "08/24/65", "female", "94138"),
            ("209559459", "black", "11/07/64", "female", "94138"),
            ("679392975", "black", "12/01/64", "female", "94138"),
            ("819491049", "white", "10/23/64", "male", "94138"),
            ("749201844", "white", "03/15/65", "female", "94139"),
            ("985302952", "white", "08/13/64", "male", "94139"),
            ("874593560", "white", "05/05/64", "male", "94139"),
            ("703872052", "white", "02/13/67", "male", "94138"),
            ("963963603", "white", "03/21/67", "male", "94138"),
        ]
    ],
}
FIGURE_12["ladders"]["ssn"] = [[row["ssn"], "*"] for row in FIGURE_12["rows"]]
FIGURE_12["ladders"]["dob"] = [
    [row["dob"], f"{row['dob'][:2]}/{row['dob'][6:]}", f"19{row['dob'][6:]}", "196*"]
    for row in FIGURE_12["rows"]
]

CHAPTER = {
    "columns": ["zip", "marital", "sex"],
    "ladders": {
        "zip": [[z, z[:4] + "*", "220**"] for z in ("22030", "22032", "22045", "22047")],
        "marital": MARITAL,
        "sex": [["M", "not_released"], ["F", "not_released"]],
    },
    "rows": [
        dict(zip(["zip", "marital", "sex", "disease"], row, strict=True))
        for row in [
            ("22030", "married", "F", "hypertension"),
            ("22030", "married", "F", "hypertension"),
            ("22030", "single", "M", "obesity"),
            ("22032", "single", "M", "HIV"),
            ("22032", "single", "M", "obesity"),
            ("22032", "divorced", "F", "hypertension"),
            ("22045", "divorced", "M", "obesity"),
            ("22047", "widow", "M", "HIV"),
            ("22047", "widow", "M", "HIV"),
            ("22047", "single", "F", "obesity"),
        ]
    ],
}

FLAT = {"role": "quasi", "hierarchy": "flat"}
MEDICAL_PLAN = {
    "columns": {
        "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
        "marital": FLAT,
        "sex": FLAT,
        "disease": {"role": "sensitive"},
    },
    "require": [{"model": "k-anonymity", "k": 2}],
}
