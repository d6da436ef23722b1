"""What every transport promises, whatever it is made of."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from acp_client.errors import ConnectionClosed, ConnectionLost, MessageTooLarge, UsageError
from tests.contract.pairs import PAIRS, Pair
from tests.transports.support import Recorder, within

BIG = b'{"big":"' + b"x" * 20_000_000 + b'"}'


@pytest.fixture(params=PAIRS)
async def pair(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    async with PAIRS[request.param](64 * 2**20, tmp_path, monkeypatch) as made:
        yield made


@pytest.fixture(params=[kind for kind in PAIRS if kind != "memory"])
async def limited(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Pair]:
    async with PAIRS[request.param](100_000, tmp_path, monkeypatch) as made:
        yield made


def numbered(count: int) -> list[bytes]:
    return [b'{"n":%d}' % number for number in range(count)]


async def test_messages_of_the_agent_arrive_in_the_order_of_sending(pair: Pair) -> None:
    """Ours; WS-07: nothing is lost or doubled."""
    for start in range(0, 500, 50):
        await pair.agent.send(*numbered(500)[start : start + 50])

    await pair.recorder.until(lambda: len(pair.recorder.messages) == 500)
    assert pair.recorder.messages == numbered(500)


async def test_messages_that_arrive_together_are_handed_over_together(pair: Pair) -> None:
    """Ours: waking up is paid once a block, not once a message."""
    await pair.agent.send(*numbered(200))

    await pair.recorder.until(lambda: len(pair.recorder.messages) == 200)
    assert len(pair.recorder.batches) < 200


async def test_messages_to_the_agent_arrive_whole_and_in_order(pair: Pair) -> None:
    """Spec MUST TR-STD-08, TR-WS-08: writes are serialized."""
    pair.transport.send(numbered(3))
    pair.transport.send([b'{"last":true}'])

    assert [await pair.agent.receive() for _ in range(4)] == [*numbered(3), b'{"last":true}']


async def test_a_message_of_20_megabytes_arrives_in_pieces(pair: Pair) -> None:
    """Fault ST-01, WS-04; spec TR-STD-11, TR-WS-10."""
    await pair.agent.send_in_pieces(BIG, 65536)
    await pair.agent.send(b'{"after":1}')

    assert await pair.recorder.next() == BIG
    assert await pair.recorder.next() == b'{"after":1}'


async def test_a_message_of_20_megabytes_reaches_the_agent(pair: Pair) -> None:
    """Ours: sending never blocks, and draining waits until the system has taken all."""
    pair.transport.send([BIG, b'{"after":1}'])

    draining = asyncio.ensure_future(pair.transport.drain())
    assert await pair.agent.receive() == BIG
    assert await pair.agent.receive() == b'{"after":1}'
    await within(draining)


async def test_both_sides_write_five_megabytes_before_they_read(pair: Pair) -> None:
    """Fault ST-08: reading never depends on writing."""
    big = BIG[:5_000_000]
    pair.transport.send([big])
    await pair.agent.send_in_pieces(b"{" + big[1:-1] + b"}", 65536)

    assert len(await pair.recorder.next()) == len(big)
    assert await pair.agent.receive() == big


async def test_characters_cut_between_two_reads_stay_whole(pair: Pair) -> None:
    """Fault ST-03; spec TR-STD-02: text is UTF-8, cut anywhere."""
    text = '{"text":"中文 é 😀"}'.encode()
    for size in (1, 2, 3):
        await pair.agent.send_in_pieces(text, size)

    assert [await pair.recorder.next() for _ in range(3)] == [text] * 3


async def test_a_message_over_the_limit_ends_the_connection_and_names_the_limit(limited: Pair) -> None:
    """Fault ST-01, WS-04; spec TR-STD-07: exceeding the limit is fatal; what came before is delivered."""
    await limited.agent.send(b'{"before":1}')
    await limited.agent.send(b'{"x":"' + b"y" * 200_000 + b'"}')

    cause = await limited.recorder.next_cause()
    assert isinstance(cause.__cause__, MessageTooLarge)
    assert cause.__cause__.limit == 100_000
    assert "100000 bytes" in str(cause)
    assert limited.recorder.messages == [b'{"before":1}']


async def test_a_message_of_exactly_the_limit_passes(limited: Pair) -> None:
    """Ours: the limit counts the message, not its frame or line ending."""
    message = b'{"x":"' + b"y" * (100_000 - 8) + b'"}'
    assert len(message) == 100_000
    await limited.agent.send(message)

    assert await limited.recorder.next() == message


async def test_the_end_comes_once_behind_what_was_sent_before(pair: Pair) -> None:
    """Spec MUST TR-STD-09, TR-WS-07: the end of the stream is the end of the connection."""
    await pair.agent.send(*numbered(100))
    await pair.agent.leave()

    cause = await pair.recorder.next_cause()
    assert type(cause) is ConnectionLost
    assert pair.recorder.messages == numbered(100)
    await within(pair.transport.aclose())
    assert pair.recorder.causes == [cause]


async def test_sending_after_the_end_does_nothing(pair: Pair) -> None:
    """Fault PL-12: no exception, no waiting."""
    await pair.agent.leave()
    await pair.recorder.next_cause()

    pair.transport.send(numbered(1000))
    await within(pair.transport.drain())


async def test_closing_tells_the_receiver_once_and_can_be_repeated(pair: Pair) -> None:
    """Ours; PL-03: idempotent, from any task, several at once."""
    closers = [asyncio.ensure_future(pair.transport.aclose()) for _ in range(3)]
    await within(asyncio.gather(*closers))
    await within(pair.transport.aclose())

    assert isinstance(await pair.recorder.next_cause(), ConnectionClosed)


async def test_closing_goes_on_when_whoever_asked_for_it_is_cancelled(pair: Pair) -> None:
    """Ours: giving up the wait must not leave the agent half closed."""
    closing = asyncio.ensure_future(pair.transport.aclose())
    await pair.recorder.next_cause()
    closing.cancel()

    await within(pair.transport.aclose())


async def test_nothing_is_delivered_after_closing(pair: Pair) -> None:
    """Fault WS-08: a flood does not hold up closing; what comes late is dropped."""
    await pair.agent.send(*numbered(10_000))
    await within(pair.transport.aclose())

    seen = len(pair.recorder.messages)
    assert isinstance(await pair.recorder.next_cause(), ConnectionClosed)
    assert len(pair.recorder.messages) == seen


async def test_draining_ends_with_the_connection(pair: Pair) -> None:
    """Ours: whoever waits for the system to take what was sent is not forgotten when the connection ends."""
    pair.transport.send([BIG])
    draining = asyncio.ensure_future(pair.transport.drain())
    await within(pair.transport.aclose())

    await within(draining)


async def test_killing_from_another_thread_ends_the_connection(pair: Pair) -> None:
    """Ours: for exit hooks, when nobody waits in the loop."""
    thread = threading.Thread(target=pair.transport.kill)
    thread.start()
    thread.join()

    await pair.recorder.next_cause()


async def test_a_transport_serves_one_connection(pair: Pair) -> None:
    """Ours: a second use is a mistake of the caller and says so."""
    with pytest.raises(UsageError, match="one connection"):
        await within(pair.transport.open(Recorder()))
    await within(pair.transport.aclose())
    with pytest.raises(UsageError, match="one connection"):
        await within(pair.transport.open(Recorder()))
