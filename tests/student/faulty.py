import math
TABLE = [1, 2, 3]
def endless(game, player):
    n = 0
    while True:
        n += 1
    return n
def endless_helper(game, player):
    return loop(3)
def loop(x):
    while x > 0:
        x += 1
    return x
def deep(game, player):
    return deep(game, player) + 1.0
def deep2(game, player):
    return count(5)
def count(n):
    return count(n + 1) + 1
def out_of_range(game, player):
    return TABLE[len(game.get_blank_spaces())]
def zero(game, player):
    return 1 / (len(game.get_legal_moves(player)) - len(game.get_legal_moves(player)))
def none(game, player):
    if game.move_count < 0:
        return 1.0
def text(game, player):
    return "good"
def nan(game, player):
    return math.inf - math.inf
def cplx(game, player):
    return complex(1, 2)
def missing(game, player):
    return game.get_best_move(player)
def missing_name(game, player):
    return helper(game)
def raises(game, player):
    raise ValueError("no\nidea")
def one(game):
    return 1
def nodefault(game, player, w):
    return w
def opens(game, player):
    with open("/etc/hostname") as f:
        return float(len(f.read()) > 0) + len(game.get_legal_moves(player))
def kills(game, player):
    import os
    os.kill(os.getpid(), 9)
def sleeps(game, player):
    import time
    time.sleep(1000)
def mutual_a(game, player):
    return mutual_b(game, player)
def mutual_b(game, player):
    return mutual_a(game, player)
def asks(game, player):
    n = 0
    while not game.out_of_time():
        n += 1
    return n
def patient(game, player):
    n = 0
    while game.time_left() > 2:
        n += 1
    return n
def late(game, player):
    return 1 / (4 - game.move_count)
