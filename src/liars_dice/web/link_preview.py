"""What other sites show of a link to a finished game: a title, a sentence and a picture (Open Graph).

They read it in the head of the game's page. Of a game that is not over, nothing is said.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request

from ..core import LiarsDiceError
from ..persistence import StoreError, summarise
from .api_requests import Studio
from .errors import RoomError
from .game_api import finished_game

KEPT_PREVIEWS = 256
"""For how many finished games the title and the sentence are kept."""
MOST_NAMES = 6
"""So many players are named."""


async def with_preview(page: Path, studio: Studio, request: Request) -> str:
    """The page of a game, with a preview in its head if the game is over."""
    text = page.read_text(encoding="utf-8")
    game_id = request.path_params["game"]
    told = studio.previews.get(game_id)
    if told is None:
        try:
            game = summarise(await finished_game(studio, game_id))
        except (RoomError, LiarsDiceError, StoreError):  # the page itself tells what is wrong
            return text
        names = ", ".join(game.names[:MOST_NAMES]) + (" and others" if len(game.names) > MOST_NAMES else "")
        rounds = f"{game.rounds} round{'s' * (game.rounds != 1)}"
        told = f"{game.winner_name} won", f"{names}: {rounds} of {game.rules}, move by move, with all dice."
        studio.previews[game_id] = told
        if len(studio.previews) > KEPT_PREVIEWS:
            studio.previews.popitem(last=False)
    title, sentence = told
    base = str(request.base_url).rstrip("/")
    facts = {
        "og:type": "website",
        "og:site_name": "Liar’s Dice",
        "og:title": title,
        "og:description": sentence,
        "og:url": f"{base}{quote(request.url.path)}",
        "og:image": f"{base}/api/games/{quote(game_id, safe='')}/card.png",
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"The last reveal of the game: {title}",
        "twitter:card": "summary_large_image",
    }
    tags = "".join(f'    <meta property="{name}" content="{escape(value)}">\n' for name, value in facts.items())
    return text.replace("  </head>", f"{tags}  </head>", 1)
