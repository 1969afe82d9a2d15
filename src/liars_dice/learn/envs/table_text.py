"""A game in a few lines of text, as a player or a spectator sees it."""

from __future__ import annotations

from collections.abc import Sequence

from ...core import Bid, PublicState


def table_text(public: PublicState, hand: Sequence[int] | None = None, seat: int | None = None) -> str:
    """The dice everyone has or sees, the bids, and how the last round ended; with `seat`, also that seat's dice."""
    lines = [f"Round {public.round_index + 1}{' (palifico)' if public.palifico else ''}"]
    for player, (name, dice) in enumerate(zip(public.names, public.dice_counts, strict=True)):
        turn = ">" if public.status == "BIDDING" and player == public.current_player else " "
        shown = f": {_faces(hand)}" if player == seat and hand else ""
        lines.append(f"{turn} {name}, {dice} {'die' if dice == 1 else 'dice'}{shown}")
    config = public.rules.config
    if config.shared_dice:
        covered = [f"{config.hidden_dice} covered"] if config.hidden_dice else []
        lines.append("  table: " + ", ".join([*([_faces(public.table_dice)] if public.table_dice else []), *covered]))
    if public.bid_history:
        lines.append("Bids: " + _bids(public.names, public.bidders, public.bid_history))
    if public.resolutions:
        last = public.resolutions[-1]
        revealed = ", ".join(f"{public.names[s]} {_faces(dice)}" for s, dice in enumerate(last.dice) if dice)
        if config.shared_dice:
            revealed += f", table {_faces(last.table_dice + last.hidden_dice)}"
        which = "The previous" if public.status == "BIDDING" else "The"
        lines.append(
            f"{which} round ended: {public.names[last.caller]} called {last.call} on {last.last_bid}, "
            f"{last.match_count} counted ({revealed}); "
            f"{public.names[last.winner]} won it, {public.names[last.loser]} lost it"
        )
    if public.winner is not None:
        lines.append(f"Winner: {public.names[public.winner]}")
    return "\n".join(lines)


def _faces(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice))


def _bids(names: Sequence[str], bidders: Sequence[int], bids: Sequence[Bid]) -> str:
    return ", ".join(f"{names[seat]} {bid}" for seat, bid in zip(bidders, bids, strict=True))
