"""The words of the argued texts: what each domain argues about, how arguments are led in, and the part of speech of every word.

Keyphrases stand in brackets. `{option}` and `{purpose}` are filled in.
"""

DOMAINS = {
    "technology": {
        "options": ["Python", "the [relational database]", "the [functional language]", "the [cloud platform]", "the [mobile framework]", "the [text editor]"],
        "purposes": ["[scientific programming]", "[web development]", "[data analysis]", "[small teams]", "[rapid prototyping]"],
        "benefits": [
            "is [open source]",
            "has a rich collection of [software libraries]",
            "runs on every [operating system]",
            "saves [working memory]",
            "prevents [programming errors]",
            "supports [large projects]",
        ],
        "harms": [
            "slows the [build process]",
            "costs an expensive [yearly licence]",
            "breaks [old programs]",
            "lacks [technical support]",
            "leaks [private data]",
            "causes [security holes]",
        ],
        "facts": ["comes from a [research laboratory]", "is known to most [software developers]", "was new in [late autumn]"],
        "plan": "neutral thesis premise premise objection",
    },
    "school": {
        "options": ["the [school uniform]", "the [online course]", "the [reading club]", "the [summer camp]", "the [final exam]", "the [group project]"],
        "purposes": ["[young children]", "[shy students]", "[public schools]", "[language classes]", "[busy parents]"],
        "benefits": [
            "builds [social skills]",
            "teaches [critical thinking]",
            "raises [average grades]",
            "supports [new pupils]",
            "saves [teaching hours]",
            "lowers [exam stress]",
        ],
        "harms": [
            "costs a lot of [family money]",
            "ignores [individual needs]",
            "causes [peer pressure]",
            "wastes [school time]",
            "tires [younger pupils]",
            "lacks [clear rules]",
        ],
        "facts": ["is open to all [age groups]", "comes from a [private college]", "was new in [early autumn]"],
        "plan": "neutral premise premise objection thesis",
    },
    "city": {
        "options": ["the [bicycle lane]", "the [night bus]", "the [shopping mall]", "the [city park]", "the [speed limit]", "the [parking garage]"],
        "purposes": ["[old towns]", "[busy streets]", "[local residents]", "[narrow bridges]", "[weekend visitors]"],
        "benefits": [
            "improves the [air quality]",
            "prevents [traffic accidents]",
            "attracts [foreign tourists]",
            "builds [local trust]",
            "lowers [noise levels]",
            "supports [small shops]",
        ],
        "harms": [
            "slows [emergency vehicles]",
            "wastes [green space]",
            "raises [land prices]",
            "annoys [shop owners]",
            "causes [heavy traffic]",
            "breaks [quiet neighbourhoods]",
        ],
        "facts": ["was new in [early spring]", "is known to the [city council]", "comes from a [large architect]"],
        "plan": "objection objection thesis premise neutral",
    },
    "health": {
        "options": ["the [salad diet]", "the [flu vaccine]", "the [morning run]", "the [sleep tracker]", "the [yoga class]", "the [sugar tax]"],
        "purposes": ["[older people]", "[office workers]", "[pregnant women]", "[heart patients]", "[everyday life]"],
        "benefits": [
            "builds a strong [immune system]",
            "protects [weak patients]",
            "lowers the [blood pressure]",
            "saves [hospital beds]",
            "improves the [mental health]",
            "prevents [serious infections]",
        ],
        "harms": [
            "causes [side effects]",
            "weakens [muscle tissue]",
            "ignores [deep sleep]",
            "raises the [body weight]",
            "lacks [medical tests]",
            "wastes [medical money]",
        ],
        "facts": ["is known to most [family doctors]", "comes from a [research clinic]", "was new in [late spring]"],
        "plan": "thesis premise objection neutral premise",
    },
}

FOR = [
    "{option} is a good choice for {purpose}",
    "{option} is ideal for {purpose}",
    "we should choose {option} for {purpose}",
    "{option} is useful for {purpose}",
]
AGAINST = ["{option} is a poor choice for {purpose}", "{option} is useless for {purpose}", "we should avoid {option}", "{option} is bad for {purpose}"]
THESIS_OPENERS = ["in my opinion ,", "I believe that", "it is clear that", "so", "", ""]
PREMISE_OPENERS = ["first ,", "moreover ,", "for example ,", "also ,", "it is true that", "", ""]
OBJECTION_OPENERS = ["however ,", "critics say that", "some people claim that", "also ,", "it is true that", "", ""]
CLOSE_BEHIND = [", because", ", since"]  # a premise in the sentence of its thesis
NEUTRAL = ["let us discuss {option}", "many people talk about {option}", "last week we read about {option}", "{option} {fact}", "{option} {fact}"]
NEUTRAL += ["nobody knows whether {option} {claim}", "the question is whether {option} {claim}"]  # what is asked is not argued

PARTS_OF_SPEECH = {
    "ADJ": """average busy clear critical deep early emergency everyday expensive final foreign functional good green heavy ideal individual large last
        late local many medical mental mobile my narrow new old older online open operating poor pregnant private public quiet rapid
        relational rich scientific serious shy small social some strong technical true useless weak working yearly young younger useful bad
        most all known""",
    "ADP": "about behind for from in of on to",
    "ADV": "also first however moreover so",
    "AUX": "is should was",
    "DET": "a an every the",
    "NOUN": """accidents age air analysis architect autumn beds bicycle blood body bridges build bus camp children choice city class classes clinic cloud
        club collection college council course critics data database developers development diet doctors editor effects errors exam example
        family flu framework garage grades group groups health heart holes hospital hours immune infections laboratory land lane language
        levels libraries licence life limit lot mall memory money morning muscle needs neighbourhoods night noise office opinion owners
        parents park parking patients peer people platform pressure prices process programming programs project projects prototyping pupils
        quality question reading research residents rules run salad school schools security shop shopping shops side skills sleep software
        source space speed spring stress streets students sugar summer support system tax teaching teams tests text thinking time tissue
        tourists towns tracker traffic trust uniform users vaccine vehicles visitors web week weekend weight women workers yoga""",
    "PRON": "I it nobody us we",
    "PROPN": "Python",
    "PUNCT": ", .",
    "SCONJ": "because since that whether",
    "VERB": """annoys attracts avoid believe breaks builds causes choose claim comes costs discuss has ignores improves knows lacks leaks let lowers
        prevents protects raises read runs saves say slows supports talk teaches tires wastes weakens""",
}
PART_OF_SPEECH = {word: part for part, words in PARTS_OF_SPEECH.items() for word in words.split()}
