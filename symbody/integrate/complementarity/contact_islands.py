"""Islands of a contact graph, as kernels: bodies that contacts connect, directly or through others. Each is a contact
problem of its own."""

from __future__ import annotations

from .contact_graph import ContactGraph


def find_islands(g: ContactGraph) -> None:
    """Contacts and bodies by islands, which are numbered in the order of their first contacts. (Union by the lower number
    and path halving: the result depends on the contacts alone.)"""
    for i in range(g.nodes):
        g.parent[i] = i
        g.island[i] = -1
    for c in range(g.contacts):
        for k in range(g.starts[c] + 1, g.starts[c + 1]):
            join_nodes(g, g.places[k - 1] // g.width, g.places[k] // g.width)
    for i in range(1, g.tree.links + g.tree.mode_nodes):
        join_nodes(g, g.tree.node, g.tree.node + i)
    number_islands(g)
    sort_by_islands(g)


def join_nodes(g: ContactGraph, one: int, other: int) -> None:
    a = root_of_node(g, one)
    b = root_of_node(g, other)
    if a < b:
        g.parent[b] = a
    if b < a:
        g.parent[a] = b


def root_of_node(g: ContactGraph, node: int) -> int:
    at = node
    while g.parent[at] != at:
        g.parent[at] = g.parent[g.parent[at]]
        at = g.parent[at]
    return at


def number_islands(g: ContactGraph) -> None:
    """The island of each body; a contact that moves no body is in none."""
    count = 0
    for c in range(g.contacts):
        if g.starts[c + 1] > g.starts[c]:
            root = root_of_node(g, g.places[g.starts[c]] // g.width)
            if g.island[root] < 0:
                g.island[root] = count
                count += 1
    for i in range(g.nodes):
        g.island[i] = g.island[root_of_node(g, i)]
    g.islands = count


def sort_by_islands(g: ContactGraph) -> None:
    """Counting sort, which keeps the order within an island."""
    for k in range(g.islands + 1):
        g.first[k] = 0
        g.first_member[k] = 0
    for c in range(g.contacts):
        if g.starts[c + 1] > g.starts[c]:
            g.first[island_of_contact(g, c)] += 1
    for i in range(g.nodes):
        if g.island[i] >= 0:
            g.first_member[g.island[i]] += 1
    contacts = 0
    members = 0
    for k in range(g.islands + 1):
        contacts += g.first[k]
        members += g.first_member[k]
        g.first[k] = contacts
        g.first_member[k] = members
    for down in range(g.contacts):
        c = g.contacts - 1 - down
        if g.starts[c + 1] > g.starts[c]:
            k = island_of_contact(g, c)
            g.first[k] -= 1
            g.order[g.first[k]] = c
    for down in range(g.nodes):
        i = g.nodes - 1 - down
        if g.island[i] >= 0:
            g.first_member[g.island[i]] -= 1
            g.members[g.first_member[g.island[i]]] = i


def island_of_contact(g: ContactGraph, c: int) -> int:
    return g.island[g.places[g.starts[c]] // g.width]
