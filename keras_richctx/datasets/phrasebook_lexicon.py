"""The words of the phrasebook: English on the left, French on the right, and what goes with what.

One line a word, with only the forms that the rules of `phrasebook_words` do not derive:

- noun: `English [plural] : French [plural] gender`, the gender `m` or `f`, then `mass` where the noun is not counted. Brackets hold what precedes the English noun
  and what follows the French one, the reversed order of a compound: `[peace] treaty : traité [de paix] m`;
- adjective: `English : masculine [feminine [masculine plural]]`;
- verb: `English [past [participle]] : infinitive [je il nous vous ils past-participle] [future stem]`; `_` joins an English verb to its particle, and `*` marks a
  French verb that forms its past with *être*.
"""

# Words in h that neither elide nor link: le héros, la hache.
ASPIRATED = "hache haches hérisson hérissons héros hibou hiboux"

# The class of a noun says which verbs, adjectives and prepositions it goes with.
NOUNS = {
    "person": """
        actor : acteur m
        actress : actrice f
        ambassador : ambassadeur m
        artist : artiste m
        aunt : tante f
        author : auteur m
        baker : boulanger m
        boy : garçon m
        brother : frère m
        [bus] driver : chauffeur [d'autobus] m
        captain : capitaine m
        child children : enfant m
        colleague : collègue m
        doctor : médecin m
        engineer : ingénieur m
        expert : expert m
        farmer : fermier m
        father : père m
        friend : ami m
        girl : fille f
        hero heroes : héros héros m
        journalist : journaliste m
        judge : juge m
        king : roi m
        lady : dame f
        lawyer : avocat m
        man men : homme m
        mayor : maire m
        minister : ministre m
        mother : mère f
        [music] teacher : professeur [de musique] m
        musician : musicien m
        neighbour : voisin m
        nurse : infirmière f
        painter : peintre m
        poet : poète m
        [police] officer : agent [de police] m
        president : président m
        princess : princesse f
        queen : reine f
        singer : chanteuse f
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
    "animal": """
        bear : ours ours m
        bee : abeille f
        bird : oiseau m
        cat : chat m
        cow : vache f
        dog : chien m
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
        mouse mice : souris souris f
        owl : hibou hiboux m
        rabbit : lapin m
        squirrel : écureuil m
        tiger : tigre m
        turtle : tortue f
        wolf wolves : loup m
    """,
    "text": """
        article : article m
        book : livre m
        [history] book : livre [d'histoire] m
        letter : lettre f
        [love] letter : lettre [d'amour] f
        message : message m
        newspaper : journal m
        novel : roman m
        poem : poème m
        report : rapport m
        story : histoire f
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
        plan : plan m
        [peace] plan : plan [de paix] m
        proposal : proposition f
        reform : réforme f
        resolution : résolution f
        treaty : traité m
        [peace] treaty : traité [de paix] m
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
        parliament : parlement m
        union : union f
    """,
    "topic": """
        area : zone f
        crisis crises : crise f
        development : développement m
        history : histoire f
        market : marché m
        policy : politique f
        situation : situation f
        system : système m
    """,
    "food": """
        apple : pomme f
        [apple] tart : tarte [aux pommes] f
        bread : pain m mass
        cake : gâteau m
        [chocolate] cake : gâteau [au chocolat] m
        carrot : carotte f
        cheese : fromage m mass
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
        grass : herbe f mass
        meat : viande f mass
        milk : lait m mass
        water : eau f mass
    """,
    "thing": """
        axe : hache f
        ball : balle f
        bottle : bouteille f
        box : boîte f
        coat : manteau m
        [coffee] cup : tasse [à café] f
        cup : tasse f
        flower : fleur f
        hat : chapeau m
        jewel : bijou bijoux m
        key : clé f
        knife knives : couteau m
        lamp : lampe f
        painting : tableau m
        shirt : chemise f
        umbrella : parapluie m
        watch : montre f
    """,
    "vehicle": """
        bicycle : vélo m
        boat : bateau m
        bus : autobus autobus m
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
    "building": """
        bridge : pont m
        castle : château m
        factory : usine f
        hospital : hôpital m
        hotel : hôtel m
        house : maison f
        library : bibliothèque f
        museum : musée m
        school : école f
        shop : magasin m
        station : gare f
        tower : tour f
    """,
    "room": """
        city : ville f
        courtyard : cour f
        field : champ m
        forest : forêt f
        garden : jardin m
        kitchen : cuisine f
        office : bureau m
        park : parc m
        street : rue f
        valley : vallée f
        village : village m
    """,
    "place": """
        airport : aéroport m
        [art] museum : musée [d'art] m
        church : église f
        hospital : hôpital m
        library : bibliothèque f
        market : marché m
        museum : musée m
        restaurant : restaurant m
        school : école f
        station : gare f
        theatre : théâtre m
        university : université f
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

NAMES = """
    Anna : Anne f
    Helen : Hélène f
    John : Jean m
    Mary : Marie f
    Paul : Paul m
    Peter : Pierre m
"""

# The heads that take `of` and a noun of another class: "the roof of the house".
RELATIONS = {"member": "institution", "chapter": "text", "part": "building", "owner": "animal vehicle building"}

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
    empty : vide
    European : européen européenne
    expensive : cher chère
    famous : célèbre
    financial : financier financière
    free : libre
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
    hot : chaud
    important : important
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
    proud : fier fière
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

# Before the noun, in French too. Masculine forms that change before a vowel stand in VOWEL_FORMS.
PREPOSED = {
    "person": "young old small beautiful",
    "animal": "small big young old beautiful",
    "text": "new long good old bad",
    "accord": "new old long good bad",
    "institution": "new big",
    "topic": "new",
    "food": "good small beautiful",
    "drink": "good",
    "thing": "small big old new beautiful",
    "vehicle": "small big old new beautiful",
    "furniture": "small big old new beautiful",
    "building": "small big old new beautiful",
    "room": "small big old beautiful",
    "place": "small big old new beautiful",
    "part": "small big old new",
    "member": "new old",
}

# After the noun in French. Those of person, animal, … may also follow the verb "to be".
POSTPOSED = {
    "person": "brave famous generous happy honest intelligent patient polite proud rich sad serious tired",
    "animal": "black brown calm dangerous grey intelligent tired white wild",
    "text": "clear famous interesting important official secret serious useful",
    "accord": "clear important interesting necessary official secret useful",
    "institution": "important rich famous",
    "food": "cold delicious fresh hot",
    "drink": "cold delicious fresh hot",
    "feed": "fresh",
    "thing": "black blue broken brown dirty expensive green grey heavy red round useful white yellow",
    "vehicle": "black blue dirty expensive green grey modern red white yellow",
    "furniture": "black blue brown dirty expensive green grey heavy red white yellow",
    "building": "closed dark dirty famous modern open white",
    "room": "calm clean dark quiet",
    "place": "closed famous modern open quiet",
    "part": "blue dirty green grey red white yellow",
}

# What "very", "more … than" and "as … as" go with.
GRADABLE = """
    brave calm clear cold dangerous delicious dirty expensive famous generous happy honest important intelligent interesting modern patient polite proud quiet rich sad
    serious tired useful
"""

# The two that English stacks before its noun and French puts after it, reversed: "the European economic area", "la zone économique européenne".
ORIGINS = "American British European French German international Italian Japanese national Spanish"
DOMAINS = "agricultural cultural economic financial industrial military monetary political social trade"

VERBS = """
    admire : admirer
    adopt : adopter
    answer : répondre réponds répond répondons répondez répondent répondu
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
    discuss : discuter
    draw drew drawn : dessiner
    dream : rêver
    drink drank drunk : boire bois boit buvons buvez boivent bu
    eat ate eaten : manger
    fall fell fallen : *tomber
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
    know knew known : connaître connais connaît connaissons connaissez connaissent connu
    laugh : rire ris rit rions riez rient ri
    lend lent : prêter
    listen_to : écouter
    live : habiter
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
    protect : protéger protège protège protégeons protégez protègent protégé
    publish : publier
    read read : lire lis lit lisons lisez lisent lu
    reject : rejeter rejette rejette rejetons rejetez rejettent rejeté rejetter
    repair : réparer
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
    think thought : penser
    translate : traduire traduis traduit traduisons traduisez traduisent traduit
    travel travelled : voyager
    visit : visiter
    wait_for : attendre attends attend attendons attendez attendent attendu
    walk : marcher
    wash : laver
    watch : observer
    work : travailler
    write wrote written : écrire écris écrit écrivons écrivez écrivent écrit
"""

# Who does what: subject class | verbs | preposition, if any | object classes, if any.
FRAMES = """
    person | cry dance dream laugh run sing sleep smile swim travel walk work | |
    person | read write translate present | | text
    person | read sign present criticise discuss translate | | accord
    person | buy eat prepare sell choose | | food
    person | buy drink prepare | | drink
    person | admire help invite know listen_to look_for meet see thank wait_for | | person
    person | love look_at watch look_for see | | animal
    person | break buy carry draw find forget hide look_for lose paint sell wash | | thing
    person | buy clean paint repair wash choose sell | | vehicle furniture
    person | admire build paint see visit | | building
    person | visit see clean look_for | | room
    person | open close paint repair | | part
    person | go return | to | place
    person | arrive stay work sleep | at | place
    person | live work stay walk sleep sing | in | room
    person | come return | from | room place
    person | answer speak | to | person
    person | play dance dream travel walk live | with | person
    person | work sing | for | person
    person | know criticise support | | institution
    animal | sleep run jump swim dream | |
    animal | eat find look_for | | feed
    animal | chase follow hear look_at see watch | | person animal
    animal | sleep jump | on | furniture
    animal | live sleep run | in | room
    institution | adopt approve criticise discuss finance prepare present propose publish reject sign support | | accord
    institution | publish present | | text
    institution | build buy finance protect sell | | building
    institution | discuss present support | | topic
    thing | belong | to | person
    vehicle | belong | to | person
"""

# What one person gives another: verbs | what is given. The receiver follows, with "to".
GIVING = """
    bring give lend sell send show | thing text
    give lend sell show | vehicle
    bring give | food drink
"""

# What is done, and by whom: verbs | what | by whom.
PASSIVES = """
    adopt approve discuss prepare propose reject sign support | accord | institution person
    publish present translate criticise | text | institution person
    read write | text | person
    build buy sell visit | building | institution person
    find forget hide lose buy sell | thing | person
    repair buy sell wash | vehicle | person
    eat prepare buy | food | person
    invite help find see | person | person
    find see follow | animal | person animal
    discuss present support | topic | institution person
"""

# What stands beside a noun: class | preposition | class that follows.
PLACES = """
    person | in | room
    person | with | thing
    person | near | building
    animal | in | room
    animal | under | furniture
    animal | behind | building
    animal | near | person
    thing | on | furniture
    thing | under | furniture
    thing | in | vehicle
    text | on | furniture
    text | about | topic animal person
    text | for | person
    accord | on | topic
    accord | with | institution
    vehicle | in_front_of | building
    vehicle | behind | building
    food | on | furniture
    food | for | person
    furniture | in | room
    building | near | room
    building | in | room
    place | in | room
    place | near | building
"""

PREPOSITIONS = """
    about : sur
    at : à
    behind : derrière
    by : par
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

# When, by the tense it goes with; a number behind a French word says which English word it translates, counted from 1.
TIMES = {
    "past": "yesterday : hier/1 | last week : la semaine/2 dernière/1 | last year : l'année/2 dernière/1 | last month : le mois/2 dernier/1",
    "future": "tomorrow : demain/1 | next week : la semaine/2 prochaine/1 | next year : l'année/2 prochaine/1 | next month : le mois/2 prochain/1",
    "present": "today : aujourd'hui/1 | every day : chaque/1 jour/2 | every week : chaque/1 semaine/2 | in the morning : le/2 matin/3",
}
