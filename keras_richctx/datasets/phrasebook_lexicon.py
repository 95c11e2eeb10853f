"""The words of the phrasebook: English on the left, French on the right, and what goes with what.

One line a word, with only the forms that the rules of `phrasebook_words` do not derive:

- noun: `English [plural] : French [plural] gender`, the gender `m` or `f`, then `mass` for what is not counted or `one` for what has no plural here. Brackets
  hold what precedes the English noun and follows the French one, the reversed order of a compound: `[peace] treaty : traité [de paix] m`;
- adjective: `English : masculine [feminine]`;
- verb: `English [past [participle]] : infinitive [je il nous vous ils past-participle [future-stem]]`; `_` joins an English verb to its particle, and `*` marks
  a French verb that forms its past with *être*.
"""

# Words in h that neither elide nor link: le héros, la hache.
ASPIRATED = "hache haches hérisson hérissons héros hibou hiboux"

# The class of a noun says which verbs, adjectives and prepositions it goes with.
NOUNS = {
    "person": """
        actor : acteur m
        actress : actrice f
        artist : artiste m
        aunt : tante f
        author : auteur m
        baker : boulanger m
        boy : garçon m
        brother : frère m
        [bus] driver : chauffeur [d'autobus] m
        child children : enfant m
        colleague : collègue m
        doctor : médecin m
        engineer : ingénieur m
        farmer : fermier m
        father : père m one
        friend : ami m
        girl : fille f
        hero heroes : héros m
        journalist : journaliste m
        lady : dame f
        man men : homme m
        mother : mère f one
        [music] teacher : professeur [de musique] m
        musician : musicien m
        neighbour : voisin m
        nurse : infirmière f
        painter : peintre m
        poet : poète m
        [police] officer : agent [de police] m
        princess : princesse f
        singer : chanteur m
        sister : sœur f
        soldier : soldat m
        student : étudiant m
        teacher : professeur m
        tourist : touriste m
        traveller : voyageur m
        uncle : oncle m
        woman women : femme f
        worker : ouvrier m
        writer : écrivain m
    """,
    "official": """
        ambassador : ambassadeur m
        expert : expert m
        judge : juge m
        king : roi m
        lawyer : avocat m
        mayor : maire m
        minister : ministre m
        president : président m
        queen : reine f
    """,
    "animal": """
        bear : ours m
        bird : oiseau m
        cow : vache f
        donkey : âne m
        duck : canard m
        elephant : éléphant m
        fox : renard m
        frog : grenouille f
        goat : chèvre f
        hedgehog : hérisson m
        hen : poule f
        horse : cheval m
        lion : lion m
        monkey : singe m
        owl : hibou hiboux m
        squirrel : écureuil m
        tiger : tigre m
        turtle : tortue f
        wolf wolves : loup m
    """,
    "pet": """
        cat : chat m
        dog : chien m
        kitten : chaton m
        mouse mice : souris f
        parrot : perroquet m
        puppy : chiot m
        rabbit : lapin m
    """,
    "text": """
        book : livre m
        [history] book : livre [d'histoire] m
        letter : lettre f
        [love] letter : lettre [d'amour] f
        message : message m
        novel : roman m
        poem : poème m
        story : histoire f
    """,
    "paper": """
        article : article m
        document : document m
        newspaper : journal m
        report : rapport m
        study : étude f
        text : texte m
    """,
    "accord": """
        agreement : accord m
        [association] agreement : accord [d'association] m
        contract : contrat m
        [work] contract : contrat [de travail] m
        convention : convention f
        declaration : déclaration f
        law : loi f
        [peace] plan : plan [de paix] m
        [peace] treaty : traité [de paix] m
        plan : plan m
        proposal : proposition f
        reform : réforme f
        resolution : résolution f
        treaty : traité m
    """,
    "institution": """
        association : association f
        bank : banque f
        commission : commission f
        committee : comité m
        community : communauté f
        company : entreprise f
        council : conseil m
        court : tribunal m
        government : gouvernement m
        organisation : organisation f
        parliament : parlement m one
        union : union f
    """,
    "topic": """
        area : zone f
        [economic] area : zone [économique] f one
        crisis crises : crise f
        development : développement m one
        history : histoire f one
        market : marché m
        policy : politique f
        situation : situation f
        system : système m
    """,
    "event": """
        concert : concert m
        conference : conférence f
        dinner : dîner m
        lesson : leçon f
        meeting : réunion f
        party : fête f
        visit : visite f
        war : guerre f
    """,
    "food": """
        apple : pomme f
        [apple] tart : tarte [aux pommes] f
        bread : pain m mass
        cake : gâteau m
        carrot : carotte f
        cheese : fromage m mass
        [chocolate] cake : gâteau [au chocolat] m
        egg : œuf m
        meat : viande f mass
        [onion] soup : soupe [à l'oignon] f mass
        orange : orange f
        pear : poire f
        rice : riz m mass
        soup : soupe f mass
        tomato tomatoes : tomate f
    """,
    "drink": """
        [apple] juice : jus [de pomme] m mass
        beer : bière f mass
        coffee : café m mass
        milk : lait m mass
        [orange] juice : jus [d'orange] m mass
        tea : thé m mass
        water : eau f mass
        wine : vin m mass
    """,
    "feed": """
        apple : pomme f
        bread : pain m mass
        carrot : carotte f
        egg : œuf m
        grass : herbe f mass
        meat : viande f mass
    """,
    "thing": """
        axe : hache f
        bag : sac m
        ball : balle f
        bottle : bouteille f
        box : boîte f
        [coffee] cup : tasse [à café] f
        cup : tasse f
        jewel : bijou bijoux m
        key : clé f
        knife knives : couteau m
        lamp : lampe f
        painting : tableau m
        umbrella : parapluie m
        watch : montre f
    """,
    "garment": """
        coat : manteau m
        dress : robe f
        hat : chapeau m
        shirt : chemise f
    """,
    "vehicle": """
        bicycle : vélo m
        boat : bateau m
        bus : autobus m
        car : voiture f
        plane : avion m
        [race] car : voiture [de course] f
        train : train m
    """,
    "furniture": """
        armchair : fauteuil m
        bed : lit m
        chair : chaise f
        [kitchen] table : table [de cuisine] f
        shelf shelves : étagère f
        table : table f
    """,
    "structure": """
        bridge : pont m
        road : route f
        tower : tour f
    """,
    "building": """
        castle : château m
        factory : usine f
        hospital : hôpital m
        hotel : hôtel m
        house : maison f
        school : école f
        shop : magasin m
    """,
    "place": """
        airport : aéroport m
        [art] museum : musée [d'art] m
        church : église f
        hospital : hôpital m
        hotel : hôtel m
        library : bibliothèque f
        market : marché m
        museum : musée m
        restaurant : restaurant m
        school : école f
        station : gare f
        theatre : théâtre m
        university : université f
    """,
    "town": """
        city : ville f
        street : rue f
        valley : vallée f
        village : village m
    """,
    "nature": """
        courtyard : cour f
        field : champ m
        forest : forêt f
        garden : jardin m
        park : parc m
    """,
    "room": """
        bedroom : chambre f
        cellar : cave f
        kitchen : cuisine f
        office : bureau m
    """,
    "part": """
        door : porte f
        roof : toit m
        wall : mur m
        window : fenêtre f
    """,
    "member": """
        director : directeur m
        expert : expert m
        member : membre m
        president : président m
    """,
    "chapter": """
        chapter : chapitre m
        page : page f
        title : titre m
        translation : traduction f
    """,
    "owner": """
        owner : propriétaire m
    """,
}

# What takes "my": whole classes, and nouns of the other classes.
OWNED = """
    pet text food drink thing garment vehicle furniture part room
    aunt brother child colleague doctor father friend lawyer mother neighbour sister student teacher uncle
    bird cow donkey duck goat hen horse
    city courtyard field garden hotel house restaurant school shop street university village
"""

# The heads that take "of" and a noun of another class, as in "the roof of the house"; the class whose place they may take, and how often in a hundred.
RELATIONS = """
    member | institution | official | 25
    chapter | text paper | text | 15
    part | building | part | 80
    owner | vehicle building pet | person | 3
"""

NAMES = """
    Anna : Anne f
    Helen : Hélène f
    John : Jean m
    Mary : Marie f
    Paul : Paul m
    Peter : Pierre m
"""

ADJECTIVES = """
    agricultural : agricole
    American : américain
    bad : mauvais
    beautiful : beau belle
    big : grand
    black : noir
    blue : bleu
    brave : courageux
    British : britannique
    broken : cassé
    brown : brun
    calm : calme
    clean : propre
    clear : clair
    closed : fermé
    cold : froid
    cultural : culturel culturelle
    dangerous : dangereux
    dark : sombre
    delicious : délicieux
    dirty : sale
    economic : économique
    European : européen européenne
    expensive : cher chère
    famous : célèbre
    financial : financier financière
    French : français
    fresh : frais fraîche
    generous : généreux
    German : allemand
    good : bon bonne
    green : vert
    grey : gris
    happy : heureux
    heavy : lourd
    honest : honnête
    important : important
    independent : indépendant
    industrial : industriel industrielle
    intelligent : intelligent
    interesting : intéressant
    international : international
    Italian : italien italienne
    Japanese : japonais
    long : long longue
    military : militaire
    modern : moderne
    monetary : monétaire
    national : national
    necessary : nécessaire
    new : nouveau nouvelle
    official : officiel officielle
    old : vieux vieille
    open : ouvert
    patient : patient
    polite : poli
    political : politique
    powerful : puissant
    quiet : tranquille
    red : rouge
    rich : riche
    round : rond
    sad : triste
    secret : secret secrète
    serious : sérieux
    small : petit
    social : social
    Spanish : espagnol
    tired : fatigué
    trade : commercial
    useful : utile
    white : blanc blanche
    wild : sauvage
    yellow : jaune
    young : jeune
"""

# Before the noun, in French too.
PREPOSED = {
    "person": "young old good",
    "official": "young old new",
    "animal": "small big young old beautiful",
    "pet": "small big young old beautiful",
    "text": "new long good old bad",
    "paper": "new long good old",
    "accord": "new old long good",
    "institution": "new big",
    "topic": "new",
    "event": "long small",
    "food": "good",
    "drink": "good",
    "thing": "small big old new beautiful",
    "garment": "old new beautiful",
    "vehicle": "small big old new beautiful",
    "furniture": "small big old new beautiful",
    "structure": "small old new beautiful",
    "building": "small big old new beautiful",
    "place": "small big old new beautiful",
    "town": "small old beautiful",
    "nature": "small big old beautiful",
    "room": "small big old",
    "part": "small big old new",
    "member": "new old",
}

# After the noun in French, and after "to be" in both languages.
POSTPOSED = {
    "person": "brave famous generous happy honest intelligent patient polite rich sad serious tired",
    "official": "famous honest intelligent patient polite powerful serious tired",
    "animal": "black brown calm dangerous grey intelligent white wild",
    "pet": "black brown calm grey intelligent tired white",
    "text": "clear famous interesting sad secret serious useful",
    "paper": "clear important interesting official secret serious useful",
    "accord": "clear important necessary official secret useful",
    "institution": "famous important independent powerful",
    "event": "important interesting official",
    "food": "delicious fresh",
    "drink": "cold delicious fresh",
    "feed": "fresh",
    "thing": "black blue broken dirty expensive green grey heavy red round useful white yellow",
    "garment": "black blue clean dirty expensive green grey red white yellow",
    "vehicle": "black blue dirty expensive green grey modern red white yellow",
    "furniture": "black blue brown clean dirty expensive green grey heavy red white yellow",
    "structure": "dangerous dark famous modern",
    "building": "dark famous modern white",
    "place": "closed famous modern open quiet",
    "town": "dark famous quiet rich",
    "nature": "calm dark quiet",
    "room": "clean cold dark dirty quiet",
    "part": "blue dirty green grey red white yellow",
}

# What "very" and "as … as" go with, and which of these English compares with "more … than".
GRADABLE = """
    brave calm clear cold dangerous dirty expensive famous generous happy honest important intelligent interesting modern patient polite powerful quiet
    rich sad serious tired useful
"""
COMPARED = "dangerous expensive famous generous honest important intelligent interesting modern patient polite powerful serious tired useful"

# The two that English stacks before its noun and French puts after it, reversed: "the European economic area", "la zone économique européenne".
# A word stands as often as it weighs.
ORIGINS = "American British European European European French German international Italian Japanese national Spanish"
DOMAINS = "agricultural cultural economic financial industrial military monetary political social trade"
STACKING = "accord institution topic"  # the classes that take them
WITHOUT_DOMAIN = "bank company court declaration government parliament union contract law"

VERBS = """
    admire : admirer
    adopt : adopter
    approve : approuver
    arrive : *arriver
    belong : appartenir appartiens appartient appartenons appartenez appartiennent appartenu appartiendr
    break broke broken : casser
    bring brought : apporter
    build built : construire construis construit construisons construisez construisent construit
    buy bought : acheter achète achète achetons achetez achètent acheté achèter
    carry : porter
    chase : poursuivre poursuis poursuit poursuivons poursuivez poursuivent poursuivi
    choose chose chosen : choisir choisis choisit choisissons choisissez choisissent choisi
    clean : nettoyer nettoie nettoie nettoyons nettoyez nettoient nettoyé nettoier
    close : fermer
    come came come : *venir viens vient venons venez viennent venu viendr
    criticise : critiquer
    cry : pleurer
    dance : danser
    draw drew drawn : dessiner
    dream : rêver
    drink drank drunk : boire bois boit buvons buvez boivent bu
    eat ate eaten : manger
    examine : examiner
    explain : expliquer
    finance : financer
    find found : trouver
    follow : suivre suis suit suivons suivez suivent suivi
    forget forgot forgotten : oublier
    give gave given : donner
    go went gone : *aller vais va allons allez vont allé ir
    hear heard : entendre entends entend entendons entendez entendent entendu
    help : aider
    hide hid hidden : cacher
    invite : inviter
    jump : sauter
    laugh : rire ris rit rions riez rient ri
    lend lent : prêter
    listen_to : écouter
    live : vivre vis vit vivons vivez vivent vécu
    look_at : regarder
    look_for : chercher
    lose lost : perdre perds perd perdons perdez perdent perdu
    love : aimer
    meet met : rencontrer
    open : ouvrir ouvre ouvre ouvrons ouvrez ouvrent ouvert
    paint : peindre peins peint peignons peignez peignent peint
    play : jouer
    prepare : préparer
    present : présenter
    propose : proposer
    publish : publier
    read read : lire lis lit lisons lisez lisent lu
    reject : rejeter rejette rejette rejetons rejetez rejettent rejeté rejetter
    repair : réparer
    reply : répondre réponds répond répondons répondez répondent répondu
    return : *revenir reviens revient revenons revenez reviennent revenu reviendr
    run ran run : courir cours court courons courez courent couru courr
    see saw seen : voir vois voit voyons voyez voient vu verr
    sell sold : vendre vends vend vendons vendez vendent vendu
    send sent : envoyer envoie envoie envoyons envoyez envoient envoyé enverr
    show showed shown : montrer
    sign : signer
    sing sang sung : chanter
    sleep slept : dormir dors dort dormons dormez dorment dormi
    smile : sourire souris sourit sourions souriez sourient souri
    speak spoke spoken : parler
    stay : *rester
    support : soutenir soutiens soutient soutenons soutenez soutiennent soutenu soutiendr
    swim swam swum : nager
    thank : remercier
    translate : traduire traduis traduit traduisons traduisez traduisent traduit
    travel travelled : voyager
    visit : visiter
    wait_for : attendre attends attend attendons attendez attendent attendu
    walk : marcher
    wash : laver
    watch : observer
    wear wore worn : porter
    work : travailler
    write wrote written : écrire écris écrit écrivons écrivez écrivent écrit
"""

# Who does what: subject class | verbs | preposition, if any | object classes, if any.
FRAMES = """
    person | cry dance dream laugh run sing sleep smile swim travel walk work | |
    person | read write translate | | text paper
    person | buy eat prepare choose | | food
    person | buy drink | | drink
    person | help invite listen_to look_for meet thank wait_for | | person official
    person | look_at watch look_for see | | animal pet
    person | buy find look_for love wash | | pet
    person | break buy carry find forget hide look_for lose sell | | thing
    person | buy forget lose wash wear | | garment
    person | buy clean paint repair wash sell | | vehicle furniture
    person | admire draw paint see visit | | building
    person | admire build draw paint repair see | | structure
    person | visit see love | | town
    person | clean paint look_for | | room
    person | open close paint repair | | part
    person | go return | to | place
    person | arrive stay work | at | place
    person | live work stay | in | town
    person | walk run sleep sing work | in | nature
    person | come return | from | town place
    person | reply speak | to | person official
    person | play dance travel walk live work | with | person
    person | work sing | for | person official
    official | sign present criticise explain examine support | | accord
    official | read write present translate | | paper
    official | criticise explain examine present | | topic
    official | invite meet thank listen_to wait_for | | person official
    official | speak reply | to | person official
    official | work | for | institution
    official | arrive work stay | in | town
    official | visit see | | place town
    animal | sleep run jump swim dream | |
    animal | eat find look_for | | feed
    animal | follow hear look_at see watch | | person animal
    animal | chase | | animal pet
    animal | live sleep run | in | nature
    pet | sleep run jump dream play | |
    pet | eat find look_for | | feed
    pet | follow hear look_at love wait_for | | person
    pet | chase hear watch | | pet
    pet | sleep jump | on | furniture
    pet | sleep play | in | room nature
    pet | play | with | thing pet person
    institution | adopt approve criticise examine finance prepare present propose publish reject sign support | | accord
    institution | publish present prepare | | paper
    institution | build buy finance sell | | building
    institution | build finance repair | | structure
    institution | criticise examine explain support | | topic
    institution | invite thank support | | official
    thing | belong | to | person
    garment | belong | to | person
    vehicle | belong | to | person official
"""

# What one person gives another: verbs | what is given. The receiver follows, with "to".
GIVING = """
    bring give lend sell send show | thing text
    give lend sell show | vehicle
    bring give | food drink
"""

# What is done, and by whom: verbs | what | by whom.
PASSIVES = """
    adopt approve examine prepare propose reject sign support | accord | institution official
    publish present translate criticise | paper | institution official
    read write translate | text | person
    build buy sell visit | building | institution person
    build repair finance | structure | institution
    find forget hide lose buy sell | thing | person
    find forget lose buy sell wash | garment | person
    repair buy sell wash | vehicle | person
    buy sell repair paint | furniture | person
    eat prepare buy | food | person
    invite help find see | person | person official
    invite criticise thank | official | institution person
    find see follow | animal | person animal
    find wash see buy | pet | person
    criticise examine explain present | topic | institution official
    paint repair clean | part | person
"""

# Where things are: class | preposition | classes that follow.
PLACES = """
    person | in | town nature room
    person | near | building
    animal | in | nature
    animal | behind | building
    animal | near | structure
    pet | under | furniture
    pet | on | furniture
    pet | in | room nature
    pet | near | person
    thing | on | furniture
    thing | under | furniture
    thing | in | room vehicle
    garment | on | furniture
    text | on | furniture
    vehicle | in_front_of | building
    vehicle | behind | building
    vehicle | on | structure
    structure | near | nature town
    food | on | furniture
    furniture | in | room
    building | in | town
    building | near | nature town
    place | in | town
    place | near | building nature
"""

# What else follows a noun: class | preposition | classes that follow.
COMPLEMENTS = """
    person | with | pet
    text | about | animal pet person
    paper | about | topic
    accord | on | topic
    accord | with | institution
    food | for | person
    text | for | person
"""

PREPOSITIONS = """
    about : sur
    after : après
    at : à
    before : avant
    behind : derrière
    by : par
    during : pendant
    for : pour
    from : de
    in : dans
    in_front_of : devant
    near : près de
    of : de
    on : sur
    to : à
    under : sous
    with : avec
"""

MONTHS = """
    January : janvier
    February : février
    March : mars
    April : avril
    May : mai
    June : juin
    July : juillet
    August : août
    September : septembre
    October : octobre
    November : novembre
    December : décembre
"""

# When, by the tense it goes with; a number behind a French word says which English word it translates, counted from 1. A state is a present without events.
TIMES = {
    "past": "yesterday : hier/1 | last week : la semaine/2 dernière/1 | last year : l' année/2 dernière/1 | last month : le mois/2 dernier/1",
    "future": "tomorrow : demain/1 | next week : la semaine/2 prochaine/1 | next year : l' année/2 prochaine/1 | next month : le mois/2 prochain/1",
    "present": "today : aujourd'hui/1 | every day : chaque/1 jour/2 | every week : chaque/1 semaine/2 | in the morning : le/2 matin/3",
    "state": "today : aujourd'hui/1",
}
