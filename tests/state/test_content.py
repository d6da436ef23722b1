"""Content blocks: read from either version, written as the JSON both share."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import pytest

from acp_client.models.convert import hook
from acp_client.state.content import (
    Annotations,
    Audio,
    Content,
    Icon,
    Image,
    Resource,
    ResourceLink,
    Text,
    UnknownContent,
    block_from_model,
    block_to_wire,
)
from tests.state.support import MODELS, Wire

ANNOTATIONS: Wire = {"audience": ["user"], "lastModified": "2026-12-01T00:00:00Z", "priority": 0.5}
SHARED: Wire = {"annotations": ANNOTATIONS, "_meta": {"k": [1]}}
BLOCKS: list[Wire] = [
    {"type": "text", "text": "a"},
    {"type": "text", "text": "", **SHARED},
    {"type": "image", "data": "aGk=", "mimeType": "image/png"},
    {"type": "image", "data": "aGk=", "mimeType": "image/png", "uri": "file:///x.png", **SHARED},
    {"type": "audio", "data": "aGk=", "mimeType": "audio/wav", **SHARED},
    {"type": "resource_link", "name": "x", "uri": "file:///x"},
    {
        "type": "resource_link",
        "name": "x",
        "uri": "file:///x",
        "title": "X",
        "description": "an x",
        "mimeType": "text/plain",
        "size": 2**40,
        **SHARED,
    },
    {"type": "resource", "resource": {"uri": "file:///x", "text": "hi", "mimeType": "text/plain"}, **SHARED},
    {"type": "resource", "resource": {"uri": "file:///x", "blob": "aGk="}},
]


def read(version: int, wire: Wire) -> Content:
    return block_from_model(hook(MODELS[version].ContentBlock)(wire))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("wire", BLOCKS, ids=lambda wire: wire["type"])
def test_every_block_survives_reading_and_writing(version: int, wire: Wire) -> None:
    """Spec MUST (V2-CNT-01): all types, with everything that is in them, in both versions."""
    assert block_to_wire(read(version, wire)) == wire


def test_an_unknown_block_survives_in_version_2() -> None:
    """Spec SHOULD (V2-EXT-04)."""
    wire = {"type": "_hologram", "data": "?", "_meta": {"a": None}}
    block = read(2, wire)
    assert block == UnknownContent("_hologram", wire)
    assert block_to_wire(block) == wire


@pytest.mark.parametrize("version", [1, 2])
def test_both_forms_of_a_resource_at_once_are_text(version: int) -> None:
    """Spec MUST (V2-CNT-04): the text comes first."""
    block = read(version, {"type": "resource", "resource": {"uri": "u", "text": "hi", "blob": "aGk="}})
    assert block == Resource(uri="u", text="hi")


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({"priority": 2, "audience": ["user"]}, Annotations(priority=None, audience=("user",))),
        ({"priority": 1, "lastModified": 5}, Annotations(priority=1)),
        ("nonsense", None),
        (None, None),
    ],
)
def test_malformed_annotations_count_as_absent(version: int, annotations: Any, expected: Annotations | None) -> None:
    """Spec MUST (V2-CNT-03): one by one."""
    if version == 1 and annotations == {"priority": 2, "audience": ["user"]}:
        expected = Annotations(priority=2, audience=("user",))  # no range there
    block = read(version, {"type": "text", "text": "a", "annotations": annotations})
    assert isinstance(block, Text)
    assert block.annotations == expected


def test_icons_have_safe_addresses() -> None:
    """Spec MUST (V2-CNT-02, V2-CNT-05): only https and data; no sizes means any."""
    icons = [
        {"src": "https://x/i.png", "sizes": ["16x16", "any"], "theme": "dark", "mimeType": "image/png"},
        {"src": "DATA:image/png;base64,aGk="},
        {"src": "http://x/i.png"},
        {"src": "file:///etc/passwd"},
        {"src": "javascript:alert(1)"},
    ]
    block = read(2, {"type": "resource_link", "name": "x", "uri": "u", "icons": icons})
    assert isinstance(block, ResourceLink)
    assert block.icons == (
        Icon(src="https://x/i.png", sizes=("16x16", "any"), theme="dark", mime_type="image/png"),
        Icon(src="DATA:image/png;base64,aGk="),
    )
    assert block_to_wire(block)["icons"] == icons[:2]


class TestMadeByHand:
    def test_from_bytes(self) -> None:
        """Ours: nobody has to know about base64."""
        assert Image.from_bytes(b"hi", "image/png") == Image(data="aGk=", mime_type="image/png")
        assert Audio.from_bytes(b"hi", "audio/wav") == Audio(data="aGk=", mime_type="audio/wav")
        assert Resource.from_bytes("u", b"hi") == Resource(uri="u", blob="aGk=")
        assert Resource.from_text("u", "hi", "text/plain") == Resource(uri="u", text="hi", mime_type="text/plain")

    @pytest.mark.parametrize(
        ("path", "uri"),
        [
            ("/home/user/a b.py", "file:///home/user/a%20b.py"),
            (PurePosixPath("/x.py"), "file:///x.py"),
            (r"C:\code\x.py", "file:///C:/code/x.py"),
            (PureWindowsPath(r"\\server\share\x.py"), "file://server/share/x.py"),
        ],
    )
    def test_a_link_to_a_file_of_the_agents_machine(self, path: Any, uri: str) -> None:
        """Spec MUST (V2-SES-01): its paths need not be those of this machine."""
        link = ResourceLink.from_path(path)
        assert link.uri == uri
        assert link.name == uri.rpartition("/")[2].replace("%20", " ")
        assert ResourceLink.from_path(path, name="n", mime_type="text/x-python").name == "n"

    def test_a_relative_path_is_refused(self) -> None:
        """Ours: the agent could not know what it is relative to."""
        with pytest.raises(ValueError, match=r"absolute path on the agent's machine, not 'x.py'"):
            ResourceLink.from_path("x.py")

    def test_nothing_that_is_none_is_written(self) -> None:
        """Spec SHOULD (V2-PAR-10)."""
        assert block_to_wire(Text("a")) == {"type": "text", "text": "a"}
        assert block_to_wire(Image(data="", mime_type="m")) == {"type": "image", "data": "", "mimeType": "m"}

    def test_big_data_is_not_in_the_repr(self) -> None:
        """Ours: a log line with a picture in it helps nobody."""
        assert "aGk" not in repr(Image(data="aGk=", mime_type="m")) + repr(Audio(data="aGk=", mime_type="m"))
