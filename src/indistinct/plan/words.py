"""Words that people name columns by: English, German, French, Spanish, Italian, Dutch.

All are regular expressions for whole words in lower case and without accents, an underscore
between two words.
"""

from __future__ import annotations


def _any(*languages: str) -> str:
    return "|".join(languages)


_PEOPLE = _any(
    "patient|person|respondent|participant|subject|customer|client|employee|member|user|student|"
    "citizen|resident|worker|donor|pupil|owner|tenant|visitor|guest|applicant|claimant|insured|"
    "policy_?holder|card_?holder|taxpayer|borrower|reader|defendant|prisoner|athlete|player|"
    "driver|passenger|subscriber|survivor|caller|voter|beneficiary|recipient|debtor|candidate",
    "patient(?:in|en)?|pat|kund(?:e|en|in)|versichert(?:e|en|er)|mitarbeiter(?:in)?|personal|"
    "angestellte[nr]?|schuler(?:in)?|schueler(?:in)?|studier?ende[nr]?|mitglied(?:er|s)?|"
    "nutzer|benutzer|teilnehmer|proband(?:en)?|burger|buerger|spender|klient(?:en)?|mieter|"
    "fahrer|leser|bewohner|bewerber|antragsteller|halter|inhaber",
    "personne|patiente?|cliente?|employee?s?|salarie|eleve|etudiante?|adherente?|usager|"
    "utilisateur|assure|citoyen|donateur|locataire|contribuable|abonne|allocataire|agent",
    "persona|paciente|cliente|empleado|trabajador|alumno|estudiante|socio|usuario|asegurado|"
    "ciudadano|donante|inquilino|contribuyente|abonado|afiliado|titular",
    "persona|paziente|cliente|dipendente|lavoratore|alunno|studente|socio|utente|assicurato|"
    "cittadino|donatore|inquilino|contribuente|abbonato|assistito|iscritto",
    "persoon|patient|klant|client|medewerker|werknemer|leerling|student|lid|gebruiker|"
    "verzekerde|burger|donateur|huurder|deelnemer|abonnee",
)
_HOLDERS = (
    "card|account|acct|steuer|taxi|contract|policy|membership|loyalty_?card|library_?card|meter|medallion|"
    "licen[cs]e|insurance|health_?card|household|device|handset|sim|vehicle|loan|claim|case|file|"
    "konto|vertrag|vertrags|karten|karte|police|policen|zahler|zaehler|akten|akte|fall|haushalt|"
    "ausweis|versicherungs|krankenversicherungs|rentenversicherungs|sozialversicherungs|dossier|"
    "compte|contrat|carte|foyer|compteur|cuenta|contrato|poliza|tarjeta|expediente|hogar|contador|"
    "conto|contratto|polizza|tessera|fascicolo|contatore|rekening|polis|kaart|meter|zaak"
)
_NUMBER = (
    "ids?|no|nr|num|number|key|code|token|hash|uid|ref|reference|nummer|nummern|kennung|kennzeichen|"
    "schlussel|numero|n|identifiant|identificador|identificativo|codigo|codice|matricule|matricula|"
    "kenmerk"
)
_EVENT = (
    "visit|admission|stay|encounter|episode|trip|ride|order|booking|invoice|transaction|purchase|"
    "receipt|ticket|sample|specimen|request|call|event|row|record|entry|aufnahme|besuch|bestell|"
    "rechnungs|auftrags|vorgangs|proben|sejour|visite|commande|facture|visita|pedido|factura|"
    "ricovero|ordine|fattura|opname|bezoek|bestel|factuur"
)
_LINK = "(?:de|du|des|del|della|dello|di|da|la|le|les|el|il|lo|l|d|van|der|het|of|the|dossier)"

ONE_PERSON = _PEOPLE
NUMBERS = _any(
    rf"ids?|identifier|uid|kennung|identifiant|identificador|identificativo|matricule|matricula|"
    rf"{_PEOPLE}|[a-z]+(?:nummer|kennung)|[a-z]{{3,}}nr"
)
EVENTS = rf"(?:{_EVENT})_?(?:{_NUMBER})|(?:{_NUMBER})_(?:{_LINK}_)*(?:{_EVENT})"
LABELS = (
    "names?|nom|noms|nome|nombre|naam|bezeichnung|accounts?|konto|compte|cuenta|conto|rekening|"
    "serial|records?|holder|inhaber|titulaire|titular"
)
PERSON_NAMES = _any(
    r"surname|forename|(?:first|last|full|user|nick|sur|fore)_?name|login|signature|initials|"
    rf"(?:first|last|full|family|given|middle|maiden|user|mothers?|fathers?|{_PEOPLE})_name|author|"
    "contact_person|next_of_kin",
    r"(?:vor|nach|zu|familien|geburts|madchen|maedchen|ruf|spitz|benutzer)_?namen?|unterschrift|"
    rf"ansprechpartner|(?:{_PEOPLE})_?(?:en|n|s)?_?namen?|arzt|arztin|aerztin|behandler",
    rf"prenoms?|nom_(?:{_LINK}_)*(?:famille|naissance|usage|jeune_fille|{_PEOPLE})|nom_prenom|"
    r"nom_complet|patronyme|medecin",
    rf"apellidos?\d?|nombres?_(?:{_LINK}_)*(?:completo|pila|{_PEOPLE})|nombre_y_apellidos?|medico",
    rf"cognome|nome_(?:e_)?cognome|nome_(?:{_LINK}_)*(?:completo|{_PEOPLE})|nominativo|firma",
    r"(?:voor|achter|familie|geboorte|bij)_?na(?:am|men)|tussenvoegsel|voorletters|"
    r"handtekening|doctor|physician|surgeon|teacher|lehrer_name|judge|lawyer",
)
PERSON_NUMBERS = _any(
    r"ssn|sin|nino|nhs|mrn|uuid|guid|social_security\w*|passport\w*|fingerprint|iban|bic|imsi|"
    r"imei|msisdn|vin|itin|tin|npi|dea|medicare|medicaid|national_id\w*|tax_(?:id|number)|"
    rf"(?:{_PEOPLE}|{_HOLDERS})_?(?:{_NUMBER})|chart_(?:no|number)|medical_record\w*|"
    r"medallion|credit_?card\w*|cc_?num\w*|cookie\w*|session|advertising_id|pseudonym",
    rf"(?:{_PEOPLE}|{_HOLDERS})(?:en|n|s|es|er)?_?(?:{_NUMBER})|steuer_?(?:id|nr|nummer)|"
    r"(?:kd|kdn|ma|mg|vn|pers|pat|vers)_?(?:nr|id|no|nummer)|sv_?(?:nr|nummer)|rvnr|kvnr|svnr|ahv\w*|\w*ausweis\w*|personalausweis\w*|reisepass\w*|"
    r"\w*versicherungs_?(?:nummer|nr)|personal_?(?:nummer|nr)|matrikel\w*|aktenzeichen|az|"
    r"geschaftszeichen|kundennummer|bankverbindung|kontonummer",
    rf"nir|nss|insee|num\w*_secu\w*|secu|securite_sociale|numero_(?:{_LINK}_)*securite_sociale|"
    rf"(?:{_NUMBER})_(?:{_LINK}_)*(?:{_PEOPLE}|{_HOLDERS})s?|siret|ine|ipp|carte_vitale",
    r"dni|nie|nif|nuss|cip|pasaporte|historia_clinica|nhc|seguridad_social|curp|rfc|rut|cuil",
    r"codice_fiscale|cod_fisc\w*|cf|partita_iva|p_iva|carta_(?:d_)?identita|passaporto",
    r"bsn|burgerservice\w*|sofi\w*|paspoort\w*|rijbewijs\w*|rekeningnummer|\w*klantnummer",
)
CONTACTS = _any(
    r"e_?mails?|mails?|(?:tele|mobile_|cell_?|home_|work_)?phones?|telephone|mobile|cell|tel|fax|"
    r"address\w*|addr|street\w*|house_(?:no|number)|apartment|urls?|web|website|homepage|web_?page|"
    r"ip|ip_?addr\w*|mac|plate|licen[cs]e_plate|photos?|pictures?|image|twitter|facebook|instagram|"
    r"linkedin|skype|whatsapp|handle",
    r"(?:e_?)?mail_?adresse|\w*telefon\w*|handy\w*|mobil\w*|rufnummer|\w*anschrift|\w*adresse|"
    r"str|strasse\w*|hausnummer|hausnr|nummernschild|kfz_?kennzeichen|lichtbild|bild|foto",
    r"courriels?|mel|telephone\w*|portable|telecopie|adresses?\w*|rue|voie|numero_(?:de_)?rue|"
    r"plaque|immatriculation|site",
    r"correo\w*|telefonos?|movil|celular|direccion\w*|domicilio|calle|numero_(?:de_)?calle|fotografia",
    r"posta_elettronica|pec|telefono|cellulare|indirizzo\w*|via|civico|numero_civico|targa|foto",
    r"telefoon\w*|mobiel\w*|gsm|adres\w*|straat\w*|huisnummer|huisnr|kenteken",
)
FREE_TEXTS = _any(
    r"notes?|comments?|remarks?|free_?texts?|narrative|descriptions?|observations?|memo|feedback|"
    r"\w*_text|summary|anamnesis|letter|story",
    r"notiz(?:en)?|bemerkung(?:en)?|kommentare?|anmerkung(?:en)?|freitext\w*|beschreibung\w*|"
    r"anamnese|befund\w*|hinweise?|verlauf|arztbrief",
    r"commentaires?|remarques?|texte_libre|compte_rendu|libelle",
    r"comentarios?|observaciones|notas|texto_libre|descripcion|anotaciones",
    r"commenti|commento|osservazioni|annotazioni|descrizione|testo_libero",
    r"opmerking(?:en)?|toelichting|omschrijving|vrije_tekst|notities?|aantekening(?:en)?",
)
HEALTH = _any(
    r"diagnos[ie]s|diseases?|illness(?:es)?|conditions?|disorders?|symptoms?|icd\w*|hiv|aids|"
    r"cancer|drugs?|medications?|medicines?|treatments?|therapy|procedures?|disab\w*|"
    r"mental\w*|pregnan\w*|prescriptions?|allerg\w*",
    r"\w*diagnosen?|diag|krankheit\w*|erkrankung\w*|\w*behandlung\w*|therapien?|medikamente?|"
    r"medikation|symptome?|behinderung\w*|schwanger\w*|wirkstoff|prozedur",
    r"diagnostics?|maladies?|pathologies?|traitements?|medicaments?|symptomes?|handicap\w*|"
    r"grossesse|ordonnance",
    r"diagnosticos?|enfermedad(?:es)?|patologias?|tratamientos?|medicamentos?|sintomas?|"
    r"discapacidad\w*|embarazo|farmacos?",
    r"malattie?|patologie?|terapie?|trattament[oi]|farmac[oi]|sintom[oi]|disabilita|gravidanza",
    r"ziekten?|aandoening(?:en)?|behandeling(?:en)?|medicijn(?:en)?|medicatie|handicap|"
    r"zwanger\w*|klacht(?:en)?",
)
MONEY = _any(
    r"salar(?:y|ies)|wages?|incomes?|earnings?|debts?|wealth|credit_score",
    r"gehalt\w*|lohn\w*|\w*einkommen\w*|verdienst\w*|schulden|vermogen|vermoegen|bezuge",
    r"salaires?|revenus?|remuneration|dettes?|patrimoine|traitement_brut",
    r"salarios?|sueldos?|ingresos?|renta|deudas?|patrimonio",
    r"stipendi[oi]?|reddit[oi]|retribuzione|debit[oi]|patrimonio",
    r"salaris|\w*inkomen|lo(?:on|nen)|schuld(?:en)?|vermogen",
)
BELIEFS = _any(
    r"religio\w*|faith|politic\w*|party|trade_union|vote",
    r"konfession|glaube\w*|partei\w*|gewerkschaft\w*|weltanschauung",
    r"parti|syndicat\w*|croyance|politique|culte",
    r"partido|sindicato|creencia|politica|afiliacion",
    r"partito|sindacato|fede|credo",
    r"geloof|partij|vakbond|gezindte|politieke\w*",
)
INTIMATE = r"sexual\w*|orientation|sexuelle\w*|orientierung|orientacion|orientamento|geaardheid"
LAW = _any(
    r"crim(?:e|es|inal)|offen[cs]es?|convict\w*|arrests?|charge|verdict|sentence",
    r"straftat\w*|delikte?|vorstrafe\w*|urteil|verurteilung\w*|tatvorwurf|strafmass",
    r"infractions?|condamnations?|delits?|peine|jugement",
    r"delitos?|condenas?|sentencia|infraccion(?:es)?|antecedentes",
    r"reat[oi]|condann[ae]|sentenza|precedenti",
    r"misdrijf|misdrijven|veroordeling(?:en)?|strafblad|delict(?:en)?|vonnis",
)
AGES = r"ages?|(?:lebens)?alter|altersgruppe|edad(?:es)?|eta|leeftijd\w*|jahre_alt"
POSTAL = _any(
    r"zip\w*|postal\w*|post_?code|plz\w*|postleitzahl\w*",
    r"code_?postal|cod_?postal|cp|codigo_?postal|cap|codice_(?:di_)?avviamento\w*|codice_postale",
)
BIRTH = _any(
    r"\w*birth\w*|born|dob|yob|\w*geburts?\w*|geb|geb_?dat\w*|geboren|gebjahr|jahrgang",
    r"\w*naissance\w*|nee?_le|\w*nacimiento\w*|nacid[oa]\w*|f_nac|fecha_nac|\w*nascita\w*|nat[oa]_il|"
    r"\w*geboorte\w*",
)
DATES = _any(
    r"dates?|days?|months?|years?|time|timestamp|datetime|admi(?:ssion|tted)|discharged?|visits?|"
    r"deaths?|died|hired|start|end|opened|closed|created|updated|since|until|pick_?up\w*|drop_?off\w*|"
    r"due|borrowed|returned|\w*_at",
    r"\w*datum|tag|(?:wochen|stich|aufnahme|entlassungs)tag|\w*monat|\w*jahr|uhrzeit|zeit\w*|zeitpunkt|aufnahme\w*|entlassung\w*|besuch\w*|"
    r"verstorben\w*|tod\w*|eintritt\w*|austritt\w*|beginn|ende|am|seit|bis",
    r"jour|mois|annee|heure|horodatage|entree|sortie|visite|deces|embauche|debut|fin",
    r"fechas?|dia|mes|ano|anio|hora|ingreso|alta|visita|fallecimiento|inicio|admision",
    r"data|giorno|mese|anno|ora|ricovero|ammissione|dimissione|decesso|inizio|fine|assunzione",
    r"dag|maand|jaar|tijd\w*|opname\w*|ontslag\w*|bezoek|overlijden\w*|begin|einde|sinds",
)
SEX = _any(
    "sex|gender|geschlecht|sexe|genre|sexo|genero|sesso|genere|geslacht|m_w_d",
    "anrede|civilite|salutation",
)
ORIGIN = _any(
    r"races?|ethnic\w*|nation\w*|citizenship|country|countries|native|origin|immigra\w*|languages?",
    r"staat\w*|land|lander|herkunft\w*|migration\w*|muttersprache|sprachen?",
    r"pays|origine|langue|citoyennete|pais|origen|lengua|idioma|ciudadania",
    r"paese|lingua|cittadinanza|herkomst|taal|moedertaal|etnicit\w*",
)
FAMILY = _any(
    r"marital\w*|married|marriage|civil|spouse|relationship|famil(?:y|ies)|child|children|kids|"
    r"household\w*",
    r"familienstand|familie\w*|kinder\w*|anzahl_kinder|haushalt\w*|verheiratet|ehe\w*|zivilstand",
    r"situation_(?:familiale|maritale|matrimoniale)|etat_civil|enfants|nb_enfants|menage|conjoint",
    r"estado_civil|hijos|familia|conyuge|stato_civile|figli|famiglia|coniuge",
    r"burgerlijke_staat|kinderen|gezin\w*|huishouden|echtgeno\w*",
)
EDUCATION = _any(
    r"educat\w*|degree|school\w*|qualifications?|university|college|grade_level|class",
    r"bildung\w*|schule?|\w*abschluss|schulart|klasse|studium|studienfach|hochschule|ausbildung\w*",
    r"diplomes?|etudes|niveau_(?:d_)?etudes?|ecole|formation|classe|universite",
    r"estudios|nivel_(?:de_)?estudios|educacion|titulacion|escuela|universidad|curso",
    r"titolo_(?:di_)?studio|istruzione|scuola|laurea|universita",
    r"opleiding\w*|onderwijs\w*|school\w*|diploma|studie",
)
WORK = _any(
    r"occupations?|jobs?|professions?|employ\w*|work\w*|industry|sector|title|position|rank|role",
    r"beruf\w*|tatigkeit\w*|taetigkeit\w*|branche\w*|stelle|position|abteilung\w*|arbeit\w*|dienstgrad",
    r"metiers?|emplois?|csp|secteur|poste|fonction|service",
    r"profesion|ocupacion|empleo|puesto|trabajo|cargo",
    r"professione|occupazione|lavoro|mansione|impiego|settore|qualifica",
    r"beroep\w*|functie\w*|werk\w*|bedrijfstak|afdeling\w*|baan",
)
POINTS = _any(
    "lat|latitude|latitud|latitudine|breitengrad|breedtegraad",
    "lon|lng|long|longitude|longitud|longitudine|langengrad|laengengrad|lengtegraad",
    r"coord\w*|koord\w*|gps\w*|geo|geoloc\w*|[xy]_?coord\w*",
)
PLACES = _any(
    r"regions?|city|cities|town|village|county|state|provinces?|district|municipality|"
    r"places?|locations?|residence|department|area|territory|neighbou?rhood|parish|"
    r"ward|hospital|clinic|facility|station|zone|location_id|court|branch",
    r"ort|(?:wohn|geburts|arbeits|stand|aufenthalts|heimat)ort|ortsteil|stadt\w*|stadtteil|gemeinde\w*|kreis\w*|landkreis|bundesland|bezirk\w*|gebiet|"
    r"krankenhaus|klinik\w*|gericht|filiale|standort",
    r"villes?|communes?|departements?|quartier|lieu\w*|arrondissement|hopital|clinique|tribunal",
    r"ciudad|municipio|provincia|comunidad|barrio|localidad|poblacion|lugar|juzgado",
    r"citta|comune|provincia|regione|quartiere|localita|luogo|ospedale|clinica|tribunale",
    r"woonplaats|plaats\w*|stad|gemeente|provincie|wijk|buurt|regio|ziekenhuis|rechtbank",
)
LOOKS = _any(
    r"height|weight|bmi|hair|eyes?|blood_?(?:type|group)",
    r"korpergrosse|koerpergroesse|grosse|groesse|gewicht|haarfarbe|augenfarbe|blutgruppe|"
    r"taille|poids|talla|altura|peso|altezza|lengte|grupo_sanguineo|gruppo_sanguigno",
)
AMOUNTS = _any(
    r"amounts?|costs?|prices?|fees?|fares?|tips?|totals?|balance|payments?|charges|premium|sum|value|"
    r"scores?|points|grades?|marks?|rates?|counts?|quantity|temperature|temp|pressure|pulse|bpm|"
    r"results?|measurements?|kwh|consumption|usage|duration|minutes|hours|seconds|distance|rent|"
    r"size|rating|euros?|eur|usd|gbp|chf|percent|donation",
    r"\w*kosten\w*|\w*betrag|\w*preis|gebuhr|summe|saldo|miete|verbrauch|dauer|anzahl|menge|note|"
    r"punkte|temperatur|blutdruck|puls|\w*wert|wohnflache|zahlung|beitrag|pramie|spende",
    r"montants?|couts?|prix|frais|solde|loyer|consommation|duree|nombre_\w+|quantite|moyenne|"
    r"temperature|prime|surface|don",
    r"importe|coste?|precio|cuota|saldo|alquiler|consumo|duracion|cantidad|nota_media|temperatura|"
    r"prima|superficie|puntuacion",
    r"importo|costo|prezzo|affitto|durata|quantita|voto|premio|punteggio",
    r"bedrag|prijs|huur|verbruik|duur|aantal|hoeveelheid|cijfer|temperatuur|premie|oppervlakte",
)
_THING = (
    "product|item|article|artikel|book|isbn|store|shop|branch|station|route|course|event|team|"
    "exam|test|order_line|category|question|survey|wave|batch|lot|buch|produkt|livre|produit|libro|"
    "producto|prodotto|boek|tariff|tarif|vendor|merchant|payment|rate|status|type"
)
THINGS = (
    rf"(?:{_THING})_?(?:{_NUMBER}|name|title)?|isbn|sku|ean|barcode|title|titel|titre|titulo|titolo"
)
