"""game.copy and apply_move on the copy."""


def custom_score(game, player):
    """What is left to me when the center is taken by the side to move."""
    center = (game.height // 2, game.width // 2)
    board = game.copy()
    if board.move_is_legal(center):
        board.apply_move(center)
    before = len(game.get_legal_moves(player))
    after = len(board.get_legal_moves(player))
    return float(after * 2 - before) + 0.125 * (board.move_count - game.move_count)
