"""JSON files and JSON lines, read into typed records; a fault names file, line, id and what was expected."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import msgspec

from caveat.core.errors import CaveatError, InputError
from caveat.core.files import PathLike, read_bytes, read_lines, writing

T = TypeVar("T")

_ID_KEYS = ("qid", "query_id", "id", "ID", "_id", "QuestionId", "context_id", "passage_id", "utterance_id")
_BYTE = re.compile(r"\(byte (\d+)\)")
# What msgspec raises: `RecursionError` where brackets are nested a thousand deep.
_FAULTS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
# Escapes one by one; the group is half of a surrogate pair that stands alone, which is no character.
_SURROGATE = re.compile(r"\\[^u]|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(\\u[dD][89a-fA-F]\w\w)")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\[\.\.\.\]|\['([^']*)'\]")


def decode(data: bytes | str, type: type[T], *, path: PathLike, line: int | None = None) -> T:
    """JSON text as a value of `type`."""
    try:
        return msgspec.json.decode(data, type=type)
    except _FAULTS as error:
        raise _fault(error, data, path, line) from None


def convert(raw: Any, type: type[T], *, path: PathLike, line: int | None = None) -> T:
    """Already decoded JSON as a value of `type`."""
    try:
        return msgspec.convert(raw, type)
    except msgspec.ValidationError as error:
        raise _validation_error(error, raw, None, path, line) from None


def read_json(path: PathLike, type: type[T]) -> T:
    """A whole JSON file as a value of `type`."""
    return decode(read_json_text(path), type, path=path)


def read_json_and_raw(path: PathLike, type: type[T]) -> tuple[T, Any]:
    """A whole JSON file as a value of `type`, and undressed, for the keys that `type` does not know."""
    data = read_json_text(path)
    value = decode(data, type, path=path)
    raw: Any = decode(data, object, path=path)
    return value, raw


def read_json_text(path: PathLike) -> bytes:
    """A whole JSON file as it stands, for a layout that is known only once part of it is decoded."""
    data = read_bytes(path)
    if not data.strip():
        raise InputError("the file is empty, expected JSON", path=path)
    return data


def read_json_lines(path: PathLike, type: type[T]) -> Iterator[tuple[int, T]]:
    """One value a line, as a stream, with the line's number; blank lines are passed over."""
    decoder = msgspec.json.Decoder(type)
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        try:
            value = decoder.decode(line)
        except _FAULTS:
            value = decode(line, type, path=path, line=number)  # raises, with the place
        yield number, value


def encode(value: Any) -> str:
    """JSON text, not escaped beyond what JSON needs."""
    try:
        return msgspec.json.encode(value).decode("utf-8")
    except (UnicodeEncodeError, OverflowError):
        # Half a surrogate pair, as a file's name may hold one; a number beyond 64 bits, for an older msgspec.
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":"))
    except RecursionError:
        raise CaveatError("The data is nested too deeply to be written as JSON.") from None


def write_json(path: PathLike, value: Any) -> None:
    """One JSON value, compact, with a line end."""
    with writing(path) as out:
        out.write(encode(value) + "\n")


def write_json_lines(path: PathLike, values: Iterable[Any]) -> None:
    """One JSON value a line, written as they come."""
    with writing(path) as out:
        for value in values:
            out.write(encode(value) + "\n")


def _fault(error: Exception, data: bytes | str, path: PathLike, line: int | None) -> InputError:
    """What is wrong with JSON text that could not be decoded, and where."""
    if isinstance(error, RecursionError):
        return InputError("the JSON is nested too deeply", path=path, line=line)
    if not isinstance(error, msgspec.ValidationError):
        return _syntax_error(error, data, path, line)
    try:
        raw = msgspec.json.decode(data)
    except msgspec.ValidationError:
        raw = _by_python(data)  # a number beyond all ranges, which Python may still take
    except _FAULTS as worse:  # the wrong type stands before broken JSON
        return _fault(worse, data, path, line)
    return _validation_error(error, raw, data, path, line)


def _by_python(data: bytes | str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _syntax_error(error: Exception, data: bytes | str, path: PathLike, line: int | None) -> InputError:
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1 if line is None and isinstance(data, bytes) else line
        problem = f"the JSON is not in UTF-8: byte {wrong.start} is 0x{wrong.object[wrong.start]:02x}"
        return InputError(problem, path=path, line=line)
    problem = str(error).removeprefix("JSON is malformed: ")
    try:
        json.loads(text)
    except json.JSONDecodeError as precise:
        where = (
            f"column {precise.colno}"
            if line is not None or "\n" in text.strip()
            else f"character {precise.pos}"
        )
        problem = f"{precise.msg[:1].lower()}{precise.msg[1:]} ({where})"
        line = precise.lineno if line is None else line
    except (ValueError, RecursionError):
        pass
    else:
        # Python's parser takes what is no JSON: half a surrogate pair, NaN, Infinity.
        if lone := next((match for match in _SURROGATE.finditer(text) if match[1]), None):
            before, problem = text[: lone.start()], f"{lone[1]} is half of a surrogate pair"
        else:
            byte = _BYTE.search(str(error))
            before = text.encode("utf-8")[: int(byte[1]) if byte else 0].decode("utf-8", "ignore")
            problem = "NaN or Infinity where a number belongs"
        line = before.count("\n") + 1 if line is None else line
    return InputError(f"broken JSON: {problem}", path=path, line=line)


def _validation_error(
    error: msgspec.ValidationError, raw: Any, data: bytes | str | None, path: PathLike, line: int | None
) -> InputError:
    """Turn msgspec's `Expected …, got … - at `$.a[3].b`` into a sentence with the nearest id and the line."""
    message, _, where = str(error).partition(" - at `")
    steps = _steps(where.removesuffix("`"), raw, message)
    found, node = None, raw
    for step in steps:
        found = _id_of(node) or found
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            break
    found = _id_of(node) or found
    if found is None and len(steps) == 1 and isinstance(steps[0], str):
        found = steps[0]  # a flat object id → value
    problem = message[:1].lower() + message[1:]
    if steps:
        shown = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps).lstrip(".")
        problem += f" at {shown}"
    if line is None and data is not None:
        line = _line_of(data, steps)
    return InputError(problem, path=path, line=line, id=found)


def _id_of(node: Any) -> Any:
    if isinstance(node, dict):
        for key in _ID_KEYS:
            if isinstance(node.get(key), (str, int)):
                return node[key]
    return None


def _steps(where: str, raw: Any, message: str) -> list[str | int]:
    """The path `$.data[0].qas[...]` as keys and indices; `[...]` (any value of an object) is looked for."""
    steps: list[str | int] = []
    node = raw
    position = 1
    while position < len(where) and (match := _STEP.match(where, position)):
        if match[0] == "[...]":
            step = _offending_key(node, message)
            if step is None:
                break
        else:
            step = match[1] if match[1] is not None else int(match[2]) if match[2] is not None else match[3]
        steps.append(step)
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            node = None
        position = match.end()
    return steps


def _offending_key(node: Any, message: str) -> str | int | None:
    """msgspec names no key inside a mapping; the first value of the type it complains about is it."""
    got = message.rpartition("got `")[2].removesuffix("`")
    kinds: dict[str, tuple[type, ...]] = {
        "str": (str,), "array": (list,), "object": (dict,), "null": (type(None),),
        "int": (int,), "float": (float,), "bool": (bool,),
    }  # fmt: skip
    if isinstance(node, dict):
        for key, value in node.items():
            if type(value) in kinds.get(got, ()):
                return str(key)
    return None


def _line_of(data: bytes | str, steps: list[str | int]) -> int | None:
    """The line on which the value at `steps` begins."""
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    decoder = json.JSONDecoder()
    space = re.compile(r"\s*")

    def skip(at: int) -> int:
        match = space.match(text, at)
        return match.end() if match else at

    at = skip(0)
    try:
        for step in steps:
            opening = text[at]
            at = skip(at + 1)
            index = 0
            while True:
                if opening == "{":
                    key, at = decoder.raw_decode(text, at)
                    at = skip(skip(at) + 1)
                    if key == step:
                        break
                elif index == step:
                    break
                _, at = decoder.raw_decode(text, at)
                at = skip(skip(at) + 1)
                index += 1
    except (ValueError, IndexError, RecursionError):
        pass  # a missing key: the line of the object that should hold it
    return text.count("\n", 0, at) + 1
