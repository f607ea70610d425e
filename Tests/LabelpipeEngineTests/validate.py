"""Judges documents by a JSON Schema: validate.py SCHEMA < lines { "id", "document" } > lines { "id", "problems" }.

A problem is the JSON pointer of what the schema refuses; a text that is no JSON has the problem "no JSON".
"""

import json
import sys

from jsonschema import Draft202012Validator


def leaves(errors):
    """The errors, and those of the alternatives that an error is made of."""
    for error in errors:
        yield error
        yield from leaves(error.context or [])


def pointer(path):
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


schema = json.load(open(sys.argv[1], encoding="utf-8"))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
for line in sys.stdin:
    case = json.loads(line)
    try:
        document = json.loads(case["document"], parse_constant=lambda word: 1 / 0)
        problems = sorted({pointer(error.absolute_path) for error in leaves(validator.iter_errors(document))})
    except (ValueError, ZeroDivisionError):
        problems = ["no JSON"]
    print(json.dumps({"id": case["id"], "problems": problems}))
