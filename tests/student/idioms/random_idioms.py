"""Student functions that draw random numbers: compiled and interpreted they draw the same."""
import random
from random import choice, shuffle

import numpy as np


def sampled(game, player):
    moves = game.get_legal_moves(player)
    return sum(row for row, column in random.sample(moves, min(2, len(moves))))


def shuffled(game, player):
    moves = game.get_legal_moves(player)
    random.shuffle(moves)
    return 10 * moves[0][0] + moves[0][1] if moves else 0


def shuffled_by_name(game, player):
    cells = game.get_blank_spaces()
    shuffle(cells)
    random.seed(3)
    return cells[0][0] + choice(cells)[1] if cells else 0


def in_a_helper(game, player):
    return noise(3) + random.randrange(4) + random.uniform(0, 1) + random.randint(1, 3) + random.gauss(0, 1)


def noise(size):
    return size * random.random() + np.random.uniform(0, 2) + np.random.randint(5)
