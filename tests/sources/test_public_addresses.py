"""Nothing is connected to here: addresses are only looked at."""

from __future__ import annotations

import pytest

from caveat.sources.public_addresses import is_public

# The first or the last address of each range of the registries, and addresses that carry one of them inside.
SPECIAL = [
    *(
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.1",
        "100.64.0.0",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
    ),
    *(
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.8",
        "192.0.0.9",
        "192.0.0.170",
    ),
    *("192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.1.1", "192.175.48.1"),
    *("198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255"),
    *("240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:127.0.0.1", "100::1"),
    *("64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::808:808", "2001::1", "2001:1ff::1", "2001:db8::1"),
    *("2002:7f00:1::", "2002:808:808::", "2620:4f:8000::1", "3fff::1", "3fff:fff::1", "5f00::1"),
    *("fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "4000::1"),
]
PUBLIC = [
    *("1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "172.32.0.0"),
    *("192.0.1.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "93.184.216.34"),
    *("2001:200::1", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00:1450::1", "3ffe::1"),
    *("::ffff:8.8.8.8", "64:ff9b::808:808"),
]


@pytest.mark.parametrize("address", SPECIAL)
def test_what_is_kept_for_something_special_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_beside_it_is_public(address: str) -> None:
    assert is_public(address)
