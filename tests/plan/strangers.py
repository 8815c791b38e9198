"""Made-up files as strangers would bring them, with what must never leave them."""

from __future__ import annotations

import random
from datetime import date, timedelta

FIRST = ["Jürgen", "Anna", "Björn", "Zoë", "Hans", "Élodie", "Ulrike", "Åsa", "Ines", "Carlos"]
LAST = ["Müller", "Weiß", "Özdemir", "Fischer", "Jäger", "Dupont", "García", "Rossi", "Smith"]
TOWNS = ["Köln", "Leipzig", "Görlitz", "Zürich", "Lyon", "Sevilla"]
JOBS = ["teacher", "nurse", "baker", "engineer", "retired", "clerk"]
ILLS = ["J10.1", "E11.9", "I10", "F32.1", "C50.9", "M54.5"]

# For each file: what the people are numbered by, how many rows each has, and its columns by kind.
FILES = {
    "hospital, German": ("Patientennummer", 3, {
        "Name": "name", "E-Mail": "mail", "Geburtsdatum": "born", "Geschlecht": "sex",
        "PLZ": "zip", "Ort": "town", "Beruf": "job", "Diagnose": "ill", "Notiz": "note",
    }),
    "hospital, English": ("patient_id", 3, {
        "name": "name", "email": "mail", "birth_date": "born", "sex": "sex", "zip": "zip",
        "city": "town", "occupation": "job", "diagnosis": "ill", "note": "note",
    }),
    "hospital, French": ("Numéro patient", 3, {
        "Nom": "name", "Courriel": "mail", "Date de naissance": "born", "Sexe": "sex",
        "Code postal": "zip", "Ville": "town", "Profession": "job", "Diagnostic": "ill",
        "Remarque": "note",
    }),
    "hospital, Spanish": ("Número de paciente", 3, {
        "Nombre": "name", "Correo": "mail", "Fecha de nacimiento": "born", "Sexo": "sex",
        "Código postal": "zip", "Ciudad": "town", "Profesión": "job", "Diagnóstico": "ill",
        "Observaciones": "note",
    }),
    "survey": ("respondent", 1, {"age": "age", "gender": "sex", "q1": "scale", "q2": "scale",
                                 "comment": "note"}),
    "payroll": ("Personalnummer", 2, {"Nachname": "name", "IBAN": "iban", "Abteilung": "job",
                                      "Gehalt": "money", "Geschlecht": "sex"}),
    "school": ("student_no", 4, {"last name": "name", "school": "town", "grade": "scale",
                                 "gender": "sex"}),
    "insurance": ("policy_no", 2, {"holder": "name", "phone": "phone", "zip": "zip",
                                   "age": "age", "premium": "money"}),
    "web log": ("user", 5, {"ip": "ip", "url": "url", "country": "town", "status": "scale"}),
    "loyalty cards": ("Kartennummer", 4, {"Vorname": "name", "PLZ": "zip", "Alter": "age",
                                          "Betrag": "money"}),
    "library": ("borrower_id", 3, {"title": "book", "age": "age", "branch": "town"}),
    "taxi trips": ("medallion", 4, {"lat": "point", "passenger_count": "scale",
                                    "fare": "money", "zone": "town"}),
    "tax": ("Steuer-ID", 1, {"Name": "name", "PLZ": "zip", "Einkommen": "money",
                             "Familienstand": "job"}),
    "housing": ("codice fiscale", 1, {"cognome": "name", "indirizzo": "street", "comune": "town",
                                      "età": "age", "affitto": "money"}),
    "lab results": ("MRN", 3, {"sex": "sex", "birth_year": "year", "result": "money",
                               "test": "ill", "remarks": "note"}),
    "staff": ("employee_id", 1, {"e_mail": "mail", "job": "job", "age": "age",
                                 "salary": "money"}),
    "telecom": ("msisdn", 5, {"duration": "scale", "cell": "town", "age": "age",
                              "plan": "job"}),
    "donations": ("donor", 2, {"correo": "mail", "importe": "money", "provincia": "town",
                               "edad": "age"}),
    "sports club": ("Mitgliedsnummer", 1, {"Telefon": "phone", "Alter": "age",
                                           "Sportart": "job", "Geschlecht": "sex"}),
    "court": ("case_no", 1, {"defendant": "name", "offence": "ill", "age": "age",
                             "court": "town", "summary": "note"}),
    "clinical trial": ("subject", 3, {"sex": "sex", "birth_year": "year", "arm": "scale",
                                      "adverse_event_text": "note"}),
    "energy meters": ("Zählernummer", 6, {"PLZ": "zip", "Verbrauch": "money",
                                          "Tarif": "job"}),
    "job seekers": ("BSN", 1, {"achternaam": "name", "woonplaats": "town", "leeftijd": "age",
                               "opleiding": "job", "opmerkingen": "note"}),
    "social care": ("NIR", 2, {"prénom": "name", "téléphone": "phone", "commune": "town",
                               "âge": "age", "revenu": "money"}),
    "no name tells": ("z1", 3, {"z2": "mail", "z3": "sex", "z4": "town", "z5": "note"}),
}  # fmt: skip
SECRET = {"name", "mail", "phone", "iban", "ip", "url", "street", "note"}
LASTING = {"name", "mail", "phone", "iban", "born", "sex", "zip", "town", "job", "age", "year",
           "street"}  # fmt: skip


def made(kind, draw, number):
    first, last = draw.choice(FIRST), draw.choice(LAST)
    phone = f"0{draw.randint(151, 179)}-{draw.randint(1_000_000, 9_999_999)}"
    day = date(1940, 1, 1) + timedelta(days=draw.randint(0, 22_000))
    told = draw.choice(["is well", "was called back", f"asked for {first}", f"Tel. {phone}"])
    return {
        "name": f"{first} {last} {chr(65 + number % 26)}{chr(65 + number // 26)}",
        "mail": f"p{number}@example.org",
        "phone": phone,
        "iban": f"DE{draw.randint(10, 98)} 3704 0044 0532 {number:04} 00",
        "ip": f"10.{number % 200}.{draw.randint(0, 255)}.{draw.randint(1, 254)}",
        "url": f"https://example.org/~p{number}",
        "street": f"Via {last} {number}",
        "note": f"{first} {last} {told}, {draw.randint(1, 60)} minutes",
        "born": day.strftime("%Y-%m-%d"),
        "year": str(day.year),
        "sex": draw.choice("mw"),
        "zip": draw.choice(["50667", "50668", "04103", "04105", "80331", "80333"]),
        "town": draw.choice(TOWNS),
        "job": draw.choice(JOBS),
        "ill": draw.choice(ILLS),
        "age": str(draw.randint(18, 89)),
        "scale": str(draw.randint(1, 5)),
        "money": f"{draw.lognormvariate(6, 1):.2f}",
        "book": f"The {draw.choice(LAST)} of {draw.choice(TOWNS)}",
        "point": f"{50.9 + draw.random() / 10:.6f}",
    }[kind]


def file_of(name, people=60):
    """Draw a file: its columns, and the texts of it that must not leave."""
    number, visits, columns = FILES[name]
    draw = random.Random(name)
    table = {number: [], **{column: [] for column in columns}}
    secret = set()
    for person in range(people):
        mark = f"X{draw.randint(10**6, 10**7 - 1)}"
        fixed = {c: made(kind, draw, person) for c, kind in columns.items() if kind in LASTING}
        secret.add(mark)
        for _ in range(visits):
            table[number].append(mark)
            for column, kind in columns.items():
                value = fixed.get(column) or made(kind, draw, person)
                table[column].append(value)
                if kind in SECRET:
                    secret.add(value)
    return table, secret
