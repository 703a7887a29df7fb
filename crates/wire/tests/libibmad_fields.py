"""Reads attributes with libibmad, for the test libibmad_golden.rs.

One request a line on standard input, one answer a line on standard output:

  fields ATTRIBUTE HEX   ->  LABEL=NUMBER separated by tabs, as mad_get_field reads the bytes
  text FUNCTION NUMBER   ->  what mad_dump_FUNCTION prints for the number, with repr()'s escapes
  bytes FUNCTION HEX     ->  what mad_dump_FUNCTION prints for the bytes, likewise

Numbers of fields are libibmad's enum MAD_FIELDS. libibmad5 is a Debian package.
"""

import ctypes
import sys

# ATTRIBUTE: the numbers of its fields; those that are runs of bytes are left out.
FIELDS = {
    "Smp": [5, 6, 7, 8, 9, 10, 13, 14, 15, 16, 17, 18],
    "PortInfo": [*range(27, 74), *range(323, 327)],
    "NodeInfo": [*range(75, 87)],
    "SwitchInfo": [*range(88, 106)],
    "Notice": [110, 111, 112, 113, 114, 115, 116],
    "SmInfo": [*range(142, 147)],
    "GuidInfo": [*range(305, 313)],
    "MlnxExtPortInfo": [*range(515, 519)],
}
# Fields of 64 bits.
WIDE = {13, 16, 27, 28, 79, 80, 81, 142, 143, *range(305, 313)}


def main():
    try:
        mad = ctypes.CDLL("libibmad.so.5")
    except OSError as error:
        sys.exit(f"libibmad is not there: install the package libibmad5 ({error})")
    mad.mad_field_name.restype = ctypes.c_char_p
    mad.mad_get_field.restype = ctypes.c_uint32
    mad.mad_get_field64.restype = ctypes.c_uint64

    def fields(attribute, data):
        buffer = (ctypes.c_ubyte * 256).from_buffer_copy(data.ljust(256, b"\0"))
        for field in FIELDS[attribute]:
            get = mad.mad_get_field64 if field in WIDE else mad.mad_get_field
            yield f"{mad.mad_field_name(field).decode()}={get(buffer, 0, field)}"

    def dump(function, data):
        out = ctypes.create_string_buffer(8192)
        buffer = ctypes.create_string_buffer(data, len(data))
        getattr(mad, f"mad_dump_{function}")(out, len(out), buffer, len(data))
        return repr(out.value.decode())[1:-1]

    for line in sys.stdin:
        kind, what, value = line.split()
        if kind == "fields":
            answer = "\t".join(fields(what, bytes.fromhex(value)))
        elif kind == "text":
            answer = dump(what, int(value).to_bytes(4, sys.byteorder))
        else:
            answer = dump(what, bytes.fromhex(value))
        print(answer, flush=True)


main()
