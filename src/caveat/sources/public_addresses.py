"""Which IP addresses are public: all but those that IANA's registries keep for something special.

A list of our own, since `ipaddress` knows what its version of Python knew, and calls the addresses public that carry a
private one inside. RFC 6890 and the registries iana-ipv4-special-registry and iana-ipv6-special-registry of 2025.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

__all__ = ["is_public"]

_SPECIAL_V4 = tuple(
    map(
        ip_network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider
            "127.0.0.0/8",  # this machine
            "169.254.0.0/16",  # this link; data about a virtual machine
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocols
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # multicast tunnels
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved; broadcast
        ),
    )
)
# Outside of this nothing is given to hosts of the Internet: unique local, link local, multicast, IPv4-compatible.
_GLOBAL_V6 = ip_network("2000::/3")
_SPECIAL_V6 = tuple(
    map(
        ip_network,
        (
            "2001::/23",  # protocols, Teredo and benchmarks among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4: any IPv4 address, a private one too
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
# Where a network has no IPv4, these stand for all of its addresses (RFC 6052): the one inside tells.
_TRANSLATED = ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether an address, as `getaddrinfo` gives it, is of the Internet, and of no special purpose there."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv4Address):
        return not any(found in network for network in _SPECIAL_V4)
    if (inside := _translated(found)) is not None:
        return is_public(str(inside))
    return found in _GLOBAL_V6 and not any(found in network for network in _SPECIAL_V6)


def _translated(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address is another way to write."""
    if address in _TRANSLATED:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped
