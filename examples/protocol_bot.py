# examples/protocol_bot.py: a complete bot without this package. Watch it play: liars-dice watch "cmd:python3 examples/protocol_bot.py" optimal
import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def choose(view):
    """Call a bid that needs more than a third of the other dice; else raise as little as possible."""
    bid = view["current_bid"]
    if bid is not None:
        quantity, face = map(int, bid.split("x"))
        mine = sum(die in (face, view["wild_face"]) for die in view["my_dice"])
        if 3 * (quantity - mine) > view["other_dice"]:
            return "liar", f"{quantity - mine} of {view['other_dice']} other dice is too many"
    return view["legal_actions"][0], ""


say({"type": "ready", "name": "careful"})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "choose":
        action, reasoning = choose(message["view"])
        say({"type": "action", "id": message["id"], "action": action, "reasoning": reasoning})
    elif message["type"] == "game_end":
        say({"type": "done", "id": message["id"]})
