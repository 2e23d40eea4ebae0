"""Breadth-first search with a list as a queue and a list of visited squares."""

JUMPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]


def reachable(game, player):
    """How many squares the knight can ever get to."""
    start = game.get_player_location(player)
    if start is None:
        return 0
    queue = [start]
    visited = [start]
    while len(queue) > 0:
        row, col = queue.pop(0)
        for dr, dc in JUMPS:
            square = (row + dr, col + dc)
            if square not in visited and game.move_is_legal(square):
                visited.append(square)
                queue.append(square)
    return len(visited) - 1


def custom_score(game, player):
    return float(reachable(game, player) - reachable(game, game.get_opponent(player)))
