"""Protocol buffers without a library: enough to read a message, change it and write it again.

The schema is read from a .proto file (proto3; message, oneof, map, repeated; no enum, no service).
Field names are the file's. What a schema does not know is kept as it is.
"""

import re
import struct

_VARINTS = {"int32", "int64", "uint32", "uint64", "bool"}
_FIXED = {"float": "<f", "double": "<d"}
_SCALARS = _VARINTS | set(_FIXED) | {"string", "bytes"}


def put_varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def take_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def put_field(number, payload):
    """A field of length-delimited bytes."""
    return put_varint(number << 3 | 2) + put_varint(len(payload)) + payload


class Schema:
    def __init__(self, text):
        self.messages = {}
        text = re.sub(r"//.*", "", text)
        tokens = re.findall(r"[A-Za-z_][\w.]*|\d+|[{}=;<>,]", text)
        self._scope(tokens, 0, [], None)

    def _scope(self, tokens, at, path, fields):
        while at < len(tokens) and tokens[at] != "}":
            token = tokens[at]
            if token == "message":
                inner = path + [tokens[at + 1]]
                own = {}
                self.messages[".".join(inner)] = own
                at = self._scope(tokens, at + 3, inner, own) + 1
            elif token == "oneof":
                at = self._scope(tokens, at + 3, path, fields) + 1
            elif fields is None:
                at = tokens.index(";", at) + 1
            elif token == "map":
                entry = ".".join(path + ["Entry_" + tokens[at + 6]])
                self.messages[entry] = {1: ("key", tokens[at + 2], False),
                                        2: ("value", tokens[at + 4], False)}
                fields[int(tokens[at + 8])] = (tokens[at + 6], entry, True)
                at += 10
            else:
                repeated = token == "repeated"
                kind, name, number = tokens[at + repeated], tokens[at + repeated + 1], tokens[at + repeated + 3]
                fields[int(number)] = (name, kind, repeated)
                at += repeated + 5
        return at

    def resolve(self, kind, within):
        path = within.split(".")
        for depth in range(len(path), -1, -1):
            name = ".".join(path[:depth] + [kind])
            if name in self.messages:
                return name
        raise KeyError(kind)

    def parse(self, kind, data):
        return Message(self, kind).merge(data)


class Message:
    """Fields are attributes: scalars with proto3's defaults, messages (made when they are looked at),
    and lists. Strings are str, or bytes where they are not UTF-8."""

    def __init__(self, schema, kind):
        self.__dict__.update(_schema=schema, _kind=kind, _values={}, extra=b"", unpacked=False)

    def _field(self, name):
        for number, field in self._schema.messages[self._kind].items():
            if field[0] == name:
                return number, field
        raise AttributeError(f"{self._kind} has no field {name}")

    def new(self, name):
        """An empty message of that field's type."""
        kind = self._field(name)[1][1]
        return Message(self._schema, self._schema.resolve(kind, self._kind))

    def add(self, name):
        made = self.new(name)
        getattr(self, name).append(made)
        return made

    def entry(self, name, key):
        """The value of a map's entry, which must be there."""
        return next(e.value for e in getattr(self, name) if e.key == key)

    def has(self, name):
        return name in self._values

    def clear(self, name):
        self._values.pop(name, None)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _, (_, kind, repeated) = self._field(name)
        if repeated:
            return self._values.setdefault(name, [])
        if name in self._values:
            return self._values[name]
        if kind not in _SCALARS:
            return self._values.setdefault(name, self.new(name))
        return {"string": "", "bytes": b"", "bool": False, "float": 0.0, "double": 0.0}.get(kind, 0)

    def __setattr__(self, name, value):
        if name in ("extra", "unpacked"):
            self.__dict__[name] = value
            return
        self._field(name)
        self._values[name] = value

    def copy(self):
        return self._schema.parse(self._kind, self.encode())

    def merge(self, data):
        at = 0
        while at < len(data):
            start = at
            tag, at = take_varint(data, at)
            number, wire = tag >> 3, tag & 7
            if wire == 0:
                payload, at = take_varint(data, at)
            else:
                size, at = take_varint(data, at) if wire == 2 else (8 if wire == 1 else 4, at)
                payload, at = data[at:at + size], at + size
            field = self._schema.messages[self._kind].get(number)
            if field is None:
                self.extra += data[start:at]
                continue
            name, kind, repeated = field
            values = self._decode(kind, wire, payload)
            if repeated:
                getattr(self, name).extend(values)
            elif kind not in _SCALARS and name in self._values:
                self._values[name].merge(payload)
            else:
                self._values[name] = values[-1]
        return self

    def _decode(self, kind, wire, payload):
        if kind in _VARINTS:
            numbers = [payload]
            if wire == 2:
                numbers, at = [], 0
                while at < len(payload):
                    number, at = take_varint(payload, at)
                    numbers.append(number)
            signed = kind in ("int32", "int64")
            return [n - (1 << 64) if signed and n >> 63 else n for n in numbers]
        if kind in _FIXED:
            return [v for (v,) in struct.iter_unpack(_FIXED[kind], payload)]
        if kind == "bytes":
            return [payload]
        if kind == "string":
            try:
                return [payload.decode()]
            except UnicodeDecodeError:
                return [payload]
        return [self._schema.parse(self._schema.resolve(kind, self._kind), payload)]

    def encode(self):
        out = bytearray()
        for number, (name, kind, repeated) in self._schema.messages[self._kind].items():
            if name not in self._values:
                continue
            values = self._values[name]
            if repeated and kind in _VARINTS | set(_FIXED) and not self.unpacked:
                if values:
                    out += put_field(number, b"".join(self._encode(kind, v) for v in values))
                continue
            for value in values if repeated else [values]:
                wire = 0 if kind in _VARINTS else {"float": 5, "double": 1}.get(kind, 2)
                payload = self._encode(kind, value)
                out += put_field(number, payload) if wire == 2 else put_varint(number << 3 | wire) + payload
        return bytes(out) + self.extra

    @staticmethod
    def _encode(kind, value):
        if kind in _VARINTS:
            return put_varint(int(value))
        if kind in _FIXED:
            return struct.pack(_FIXED[kind], value)
        if kind == "string":
            return value.encode() if isinstance(value, str) else value
        return value if kind == "bytes" else value.encode()
