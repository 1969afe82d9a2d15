"""What a notebook shows of results: one short line, not arrays."""

from __future__ import annotations

from liars_dice.core import preset
from liars_dice.exact.solver import Tablebase, equilibrium_of, explain, solve
from liars_dice.exact.tables import hand_set
from liars_dice.learn import BatchedEnv, Trainer, Training, new_model
from liars_dice.learn.envs.encoding import Encoding

ONE_DIE = preset("classic", dice=1)


def results() -> dict[str, object]:
    solved, known = solve(ONE_DIE, target=0.1), equilibrium_of(ONE_DIE)
    model = new_model(Training(algorithm="q", config=ONE_DIE.to_dict(), games=100))
    trainer = Trainer(model)
    explained = explain(known.tree, known.pool, [], (3,))
    strategy = Tablebase.shipped().round(1, 1).strategies[0]
    return {
        "Solution": solved,
        "PublicTree": solved.tree,
        "Pool": solved.pool,
        "Tablebase": Tablebase.shipped(),
        "SolvedRound": Tablebase.shipped().round(1, 1),
        "Strategy": strategy,
        "RoundEquilibrium": known,
        "Explanation": explained,
        "Choice": explained.best,
        "HandSet": hand_set(2, 6),
        "Training": model.training,
        "Model": model,
        "Trainer": trainer,
        "TrainingReport": trainer.run(),
        "BatchedEnv": BatchedEnv(4),
        "Encoding": Encoding(ONE_DIE),
    }


def test_a_result_is_shown_in_one_short_line() -> None:
    for name, result in results().items():
        shown = repr(result)
        assert shown.startswith(f"<{name}"), shown
        assert len(shown) <= 120, shown
        assert "array(" not in shown
        assert " at 0x" not in shown


def test_the_line_says_what_matters() -> None:
    assert repr(equilibrium_of(ONE_DIE)).startswith("<RoundEquilibrium: value from -0.1111")
