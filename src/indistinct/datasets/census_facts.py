"""What the invented census says of its people: their values, and how these hang together."""

from __future__ import annotations

import numpy as np

AGES = np.arange(17, 96, dtype=np.int64)
SCHOOLING = np.arange(17, dtype=np.int64)
SALARIES = np.arange(50, dtype=np.int64)
# Four stages of life, and the share of the retired in each.
LIFE_STAGE = np.searchsorted([55, 66, 75], AGES, side="right").astype(np.uint8)
RETIRED = np.array([0.003, 0.12, 0.7, 0.95])

GENDERS = ("Female", "Male")
MARITAL = {
    "Married, spouse present": "Married",
    "Married, spouse absent": "Married",
    "Separated": "Formerly married",
    "Divorced": "Formerly married",
    "Widowed": "Formerly married",
    "Never married": "Single",
}
RACES = (
    "White",
    "Black",
    "American Indian",
    "Chinese",
    "Japanese",
    "Other Asian",
    "Pacific Islander",
    "Other race",
    "Two or more races",
)
WORK_CLASSES = {
    "Private company": ("Private sector", "Employed"),
    "Non-profit organisation": ("Private sector", "Employed"),
    "Federal government": ("Public sector", "Employed"),
    "State government": ("Public sector", "Employed"),
    "Local government": ("Public sector", "Employed"),
    "Self-employed, incorporated": ("Own business", "Independent"),
    "Self-employed, not incorporated": ("Own business", "Independent"),
    "Unpaid family worker": ("Family business", "Independent"),
    "Looking for work": ("Without a job", "Not working"),
    "Retired": ("Without a job", "Not working"),
}
# Salary classes gained or lost by work class, in the order above.
WORK_CLASS_PAY = np.array([0, -2, 3, 0, -1, 6, -3, -14, -11, -7], dtype=np.int8)

HOME = "United States"
HOME_SHARE = 0.7
# The countries of each region, the largest first.
COUNTRIES_LISTED = {
    "North America": "United States, Canada, Bermuda",
    "Central America": (
        "Mexico, El Salvador, Guatemala, Honduras, Nicaragua, Panama, Costa Rica, Belize"
    ),
    "Caribbean": (
        "Cuba, Dominican Republic, Jamaica, Haiti, Trinidad and Tobago, Barbados, Bahamas, Grenada"
    ),
    "South America": (
        "Colombia, Ecuador, Peru, Guyana, Brazil, Venezuela, Argentina, Chile, Bolivia, Uruguay"
    ),
    "Western Europe": (
        "Germany, England, Italy, Portugal, Ireland, France, Greece, Scotland, Spain, "
        "Netherlands, Austria, Sweden, Belgium, Switzerland"
    ),
    "Eastern Europe": (
        "Poland, Russia, Ukraine, Romania, Hungary, Czechia, Lithuania, Latvia, Bulgaria, Croatia"
    ),
    "East Asia": "China, South Korea, Japan, Taiwan, Hong Kong",
    "South and Southeast Asia": (
        "Philippines, India, Vietnam, Pakistan, Thailand, Laos, Cambodia, Indonesia, "
        "Bangladesh, Sri Lanka"
    ),
    "Middle East": "Iran, Iraq, Israel, Lebanon, Turkey, Syria",
    "Africa": "Nigeria, Egypt, Ethiopia, Ghana, South Africa, Kenya",
    "Oceania": "Australia, Fiji, New Zealand",
}
COUNTRIES = {
    name: region for region, names in COUNTRIES_LISTED.items() for name in names.split(", ")
}
# Each region's share of those born abroad, and the races of its people (percent).
ABROAD: dict[str, tuple[float, tuple[float, ...]]] = {
    "North America": (4, (80, 7, 2, 3, 1, 3, 0.3, 1.2, 2.5)),
    "Central America": (34, (42, 1, 4, 0.2, 0.2, 0.3, 0.3, 46, 6)),
    "Caribbean": (11, (31, 52, 0.5, 0.5, 0.2, 1, 0.3, 8.5, 6)),
    "South America": (8, (58, 7, 2, 0.6, 1, 2, 0.4, 22, 7)),
    "Western Europe": (9, (91, 3, 0.3, 0.5, 0.3, 1.5, 0.2, 1, 2.2)),
    "Eastern Europe": (7, (96, 0.4, 0.2, 0.3, 0.2, 0.9, 0.2, 0.6, 1.2)),
    "East Asia": (11, (3, 0.5, 0.2, 52, 12, 29, 0.5, 0.6, 2.2)),
    "South and Southeast Asia": (17, (4, 0.6, 0.3, 7, 0.4, 80, 3, 1.5, 3.2)),
    "Middle East": (4, (84, 2, 0.2, 0.3, 0.2, 7, 0.2, 2.3, 3.8)),
    "Africa": (4, (27, 63, 0.3, 0.4, 0.2, 3, 0.2, 1.9, 4)),
    "Oceania": (2, (58, 1, 0.6, 2, 1, 4, 29, 1, 3.4)),
}
HOME_RACES = (74.0, 13.5, 1.5, 0.8, 0.6, 1.6, 0.4, 4.1, 3.5)

# Percent of those not retired in each work class, by kind of work.
EMPLOYERS = {
    "trade": (80, 1.5, 1, 1, 3, 3.5, 5, 0.6, 4.4),
    "office": (70, 9, 4, 4.5, 5, 2.5, 2, 0.3, 2.7),
    "practice": (48, 8, 2.5, 3, 3, 17, 16, 0.3, 2.2),
    "care": (52, 24, 2.5, 5, 8, 2, 3.5, 0.3, 2.7),
    "school": (13, 17, 1, 22, 44, 0.4, 0.9, 0.1, 1.6),
    "state": (7, 2, 27, 25, 36, 0.4, 0.5, 0.1, 2),
    "shop": (70, 1.2, 0.4, 0.5, 1, 9, 11, 1.7, 5.2),
    "craft": (62, 0.6, 1, 1.1, 3.3, 7, 18, 0.5, 6.5),
    "farm": (40, 0.8, 0.8, 1, 1.2, 10, 36, 5.2, 5),
}
# Usual years of schooling, relative size, percent of women, and kind of work.
OCCUPATIONS: dict[str, tuple[float, float, float, str]] = {
    "Accountant": (15.5, 2.2, 58, "practice"),
    "Administrative assistant": (13, 5.2, 90, "office"),
    "Architect": (16, 0.6, 27, "practice"),
    "Artist or designer": (14.5, 1.3, 52, "practice"),
    "Assembler": (11, 2.2, 38, "trade"),
    "Bank teller": (13, 1.0, 85, "office"),
    "Bookkeeper": (13, 2.0, 88, "office"),
    "Bus driver": (11.5, 1.0, 45, "state"),
    "Carpenter": (11, 2.0, 4, "craft"),
    "Cashier": (11.5, 3.6, 74, "shop"),
    "Chef or cook": (10.5, 3.0, 42, "shop"),
    "Child care worker": (12.5, 1.8, 94, "care"),
    "Cleaner": (7, 3.6, 52, "trade"),
    "Computer programmer": (15.5, 2.6, 24, "office"),
    "Construction labourer": (8.5, 2.6, 5, "craft"),
    "Customer service clerk": (13, 2.4, 67, "office"),
    "Dentist": (16.5, 0.4, 27, "practice"),
    "Electrician": (12.5, 1.4, 4, "craft"),
    "Engineer": (15.8, 2.4, 14, "office"),
    "Farm worker": (5, 1.8, 22, "farm"),
    "Farmer": (10.5, 1.4, 24, "farm"),
    "Financial manager": (15.5, 1.6, 52, "office"),
    "Firefighter": (13.5, 0.6, 7, "state"),
    "Food server": (11.5, 2.6, 70, "shop"),
    "Hairdresser": (12, 1.2, 84, "shop"),
    "Home health aide": (10.5, 2.2, 88, "care"),
    "Insurance agent": (14.5, 0.9, 50, "practice"),
    "Lawyer or judge": (16.5, 1.3, 36, "practice"),
    "Librarian": (15.8, 0.4, 82, "school"),
    "Machinist": (11.5, 1.6, 8, "trade"),
    "Mechanic": (11.5, 2.8, 3, "craft"),
    "Office manager": (14, 3.6, 44, "office"),
    "Packer": (7.5, 1.8, 52, "trade"),
    "Painter": (10, 1.1, 9, "craft"),
    "Physician": (16.5, 1.2, 36, "practice"),
    "Plumber": (12, 1.0, 3, "craft"),
    "Police officer": (14, 1.2, 16, "state"),
    "Postal worker": (12.5, 0.8, 40, "state"),
    "Real estate agent": (14.5, 1.2, 55, "practice"),
    "Registered nurse": (15.2, 2.4, 91, "care"),
    "Sales manager": (14.8, 2.6, 40, "shop"),
    "Sales representative": (14, 2.6, 34, "trade"),
    "Scientist": (16.3, 1.0, 42, "school"),
    "Security guard": (12, 1.2, 22, "trade"),
    "Shop assistant": (12, 3.8, 54, "shop"),
    "Social worker": (15.5, 1.1, 80, "care"),
    "Teacher": (16, 4.6, 74, "school"),
    "Textile worker": (7, 1.0, 72, "trade"),
    "Truck driver": (10.5, 3.2, 5, "trade"),
    "Warehouse worker": (10.5, 2.4, 20, "trade"),
}
