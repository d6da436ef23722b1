"""Specs: plain, frozen, picklable, and silent about secrets."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import attrs
import pytest

from acp_client.errors import UsageError
from acp_client.transports.specs import StdioSpec, WebSocketSpec, parse_target, split_command
from acp_client.transports.wsdial import request_headers, set_cookies

STDIO = StdioSpec(
    ("npx", "my-agent"),
    cwd=Path("/project"),
    env={"API_KEY": "s3cret"},
    env_unset=["A"],
    path_prepend=[Path("/opt/bin")],
)
SOCKET = WebSocketSpec(
    "wss://user:s3cret@agent.example:8443/acp?key=s3cret&flag",
    headers={"Authorization": "Bearer s3cret"},
    header_env={"X-Key": "KEY_VARIABLE"},
    cookies={"sid": "s3cret"},
)


@pytest.mark.parametrize("spec", [STDIO, SOCKET])
def test_a_spec_survives_pickle_and_copy(spec: StdioSpec | WebSocketSpec) -> None:
    """Ours; hosts D: specs travel to workers."""
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert copy.deepcopy(spec) == spec
    assert hash(copy.copy(spec)) == hash(spec)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        spec.max_message_bytes = 1  # type: ignore[misc]  # the point of the test


@pytest.mark.parametrize("spec", [STDIO, SOCKET])
def test_a_printed_spec_holds_no_secret(spec: StdioSpec | WebSocketSpec) -> None:
    """Ours; hosts D: names are shown, values are not."""
    assert "s3cret" not in repr(spec)
    assert any(name in repr(spec) for name in ("API_KEY", "KEY_VARIABLE"))


def test_a_spec_is_not_changed_by_the_mapping_it_was_made_from() -> None:
    """Ours."""
    env = {"A": "1"}
    spec = StdioSpec(("agent",), env=env)
    env["A"] = "2"
    assert spec.env == {"A": "1"}
    assert spec.transport() is not spec.transport()


@pytest.mark.parametrize("command", [(), ("",), "npx my-agent"])
def test_a_command_is_a_sequence_with_a_program(command: object) -> None:
    """Ours: a string would be taken for a sequence of letters."""
    with pytest.raises(UsageError):
        StdioSpec(command)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize("url", ["http://x/", "ws://", "ws:/x", "ws://x:port/", "agent", "ws://[::1"])
def test_a_url_has_the_right_scheme_and_a_host(url: str) -> None:
    """Ours."""
    with pytest.raises(UsageError, match="ws://host"):
        WebSocketSpec(url)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("[::1]", True),
        ("localhost", True),
        ("a.localhost", True),
        ("10.0.0.1", False),
        ("localhost.example", False),
        ("agent", False),
    ],
)
def test_no_proxy_is_used_for_this_machine(host: str, loopback: bool) -> None:
    """Ours: a proxy cannot reach what listens here only."""
    assert WebSocketSpec(f"ws://{host}:1/").is_loopback is loopback


def test_what_a_person_types_becomes_a_spec() -> None:
    """Ours: a URL, or a command line quoted as in a shell."""
    assert parse_target(" ws://127.0.0.1:1/acp?x=1 ") == WebSocketSpec("ws://127.0.0.1:1/acp?x=1")
    assert parse_target("WSS://agent/") == WebSocketSpec("WSS://agent/")
    assert parse_target("npx my-agent --name 'a b' # c") == StdioSpec(("npx", "my-agent", "--name", "a b", "#", "c"))


@pytest.mark.parametrize("text", ["", "   ", "npx 'my", "https://agent/acp?key=s3cret"])
def test_what_cannot_be_a_target_is_explained(text: str) -> None:
    """Ours."""
    with pytest.raises(UsageError) as caught:
        parse_target(text)
    assert "s3cret" not in str(caught.value)


def test_backslashes_are_kept_on_windows() -> None:
    """Fault PL-06."""
    assert split_command('"C:\\Program Files\\agent.exe" -x C:\\a', windows=True) == (
        "C:\\Program Files\\agent.exe",
        "-x",
        "C:\\a",
    )
    assert split_command("a\\ b c", windows=False) == ("a b", "c")


def test_headers_come_from_the_spec_and_the_environment() -> None:
    """Fault WS-14; spec: the caller's own cookies come last and so win."""
    spec = WebSocketSpec("ws://x/", headers={"cookie": "sid=mine"}, header_env={"Authorization": "TOKEN"})

    assert request_headers(spec, {"sid": "stored"}, {"TOKEN": "t"}) == {
        "cookie": "sid=stored; sid=mine",
        "Authorization": "t",
    }


def test_cookies_are_read_leniently() -> None:
    """Spec TR-WS-05: attributes are not cookies, and one bad line does not lose the others."""
    assert set_cookies(["a=1; Path=/; Max-Age=5", "b[=2", "c=3"]) == {"a": "1", "c": "3"}
