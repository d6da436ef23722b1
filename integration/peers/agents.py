"""The real agents: how each is started so that it runs offline, with a home of its own and the fake model server.

Nothing of the developer's environment reaches them but PATH and the locale, so that no account is ever used.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from acp_client import StdioSpec
from integration.peers.install import VERSIONS, executable

KEY = "fake-key"
MODEL = "fake-model"

EXIT_GRACE = 15.0
"""Seconds per step of closing: one agent finishes its turn first, which takes 10."""

INHERITED = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


@attrs.frozen
class Scene:
    """Where an agent lives for one test: a home directory, and the URL of the model server."""

    home: Path
    model_url: str


@attrs.frozen(kw_only=True)
class RealAgent:
    """An agent and what has to be known of it.

    `protocol` is the version it negotiates when it may. `asking_mode` is the mode in which it asks before it acts,
    None where it does so by itself. `action` is the marker of the fake model that makes it ask.
    """

    name: str
    program: str
    arguments: tuple[str, ...] = ()
    protocol: int
    asking_mode: str | None = None
    action: str = "ACP_WRITE"
    env: Callable[[Scene], Mapping[str, str]]
    files: Callable[[Scene], Mapping[str, str]] = lambda scene: {}

    @property
    def version(self) -> str:
        """The pinned version."""
        pinned: str = VERSIONS["npm"][self.name][0]
        return pinned.rpartition("@")[2]

    def spec(self, scene: Scene) -> StdioSpec:
        """Write the agent's settings into its home and return how to start it."""
        for path, text in self.files(scene).items():
            file = scene.home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return StdioSpec(
            (str(executable(self.name, self.program)), *self.arguments),
            env={**inherited, "HOME": str(scene.home), **self.env(scene)},
            inherit_env=False,
            exit_grace=EXIT_GRACE,
        )


def _openai(scene: Scene) -> dict[str, str]:
    return {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{scene.model_url}/v1", "OPENAI_MODEL": MODEL}


def _quiet_settings(auth: str) -> str:
    return json.dumps(
        {
            "security": {"auth": {"selectedType": auth}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False},
            "telemetry": {"enabled": False},
        }
    )


CLAUDE = RealAgent(
    name="claude-agent-acp",
    program="claude-agent-acp",
    protocol=2,
    asking_mode="default",
    env=lambda scene: {
        "ANTHROPIC_BASE_URL": scene.model_url,
        "ANTHROPIC_API_KEY": KEY,
        "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    # Without this no session can be opened as root, who is refused the bypass mode, although it is never used here.
    files=lambda scene: {
        ".claude/settings.json": json.dumps({"permissions": {"disableBypassPermissionsMode": "disable"}})
    },
)

GEMINI = RealAgent(
    name="gemini-cli",
    program="gemini",
    arguments=("--acp",),
    protocol=1,
    env=lambda scene: {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": scene.model_url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    files=lambda scene: {".gemini/settings.json": _quiet_settings("gemini-api-key")},
)

_CODEX_CONFIG = """\
model = "fake-model"
model_provider = "fake"
approval_policy = "on-request"
sandbox_mode = "read-only"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.fake]
name = "Fake"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
requires_openai_auth = false
request_max_retries = 0
stream_max_retries = 0
"""

CODEX = RealAgent(
    name="codex-acp",
    program="codex-acp",
    protocol=2,
    action="ACP_RUN",
    env=lambda scene: {
        "OPENAI_API_KEY": KEY,
        "CODEX_HOME": str(scene.home / ".codex"),
        "NO_BROWSER": "1",
        "INITIAL_AGENT_MODE": "read-only",  # in its default mode a model decides, not a person
    },
    files=lambda scene: {".codex/config.toml": _CODEX_CONFIG.format(url=scene.model_url)},
)

QWEN = RealAgent(
    name="qwen-code",
    program="qwen",
    arguments=("--acp",),
    protocol=1,
    asking_mode="default",
    env=_openai,
    files=lambda scene: {".qwen/settings.json": _quiet_settings("openai")},
)


def _opencode_config(scene: Scene) -> str:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Fake",
        "options": {"baseURL": f"{scene.model_url}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": "Fake", "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}},
    }
    return json.dumps(
        {
            "autoupdate": False,
            "share": "disabled",
            "model": f"fake/{MODEL}",
            "small_model": f"fake/{MODEL}",
            "provider": {"fake": provider},
            "permission": {"edit": "ask", "bash": "ask", "webfetch": "ask"},
        }
    )


OPENCODE = RealAgent(
    name="opencode",
    program="opencode",
    arguments=("acp",),
    protocol=1,
    env=lambda scene: {
        "XDG_DATA_HOME": str(scene.home / ".local/share"),
        "XDG_CONFIG_HOME": str(scene.home / ".config"),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    },
    files=lambda scene: {".config/opencode/opencode.json": _opencode_config(scene)},
)

AGENTS = (CLAUDE, GEMINI, CODEX, QWEN, OPENCODE)
