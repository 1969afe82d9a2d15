"""The server as an application for uvicorn, and as the program `server`."""

import argparse

from openenv.core.env_server.http_server import create_app

try:
    from ..models import LiarsDiceAction, LiarsDiceObservation
    from .environment import LiarsDiceEnvironment
except ImportError:  # started as `server.app` in this folder, as openenv.yaml says
    from models import LiarsDiceAction, LiarsDiceObservation
    from server.environment import LiarsDiceEnvironment

app = create_app(
    LiarsDiceEnvironment, LiarsDiceAction, LiarsDiceObservation, env_name="liars_dice_env", max_concurrent_envs=64
)


def main() -> None:
    """Serve until the process is stopped."""
    import uvicorn

    parser = argparse.ArgumentParser(description="Serve Liar's Dice for OpenEnv.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8000)
    arguments = parser.parse_args()
    uvicorn.run(app, host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    main()
