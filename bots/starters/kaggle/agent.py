"""A complete Kaggle agent for ConnectX. Make it play well by changing `agent`, the last function of the file."""


def agent(observation, configuration):
    """Your idea goes here: return a column that is not full.

    observation    board (a flat list, row 0 on top: 0 empty, 1 first player, 2 second), mark (1 or 2: you), step
    configuration  columns, rows, inarow, actTimeout (seconds for this move)
    """
    middle = configuration.columns // 2
    free = [column for column in range(configuration.columns) if observation.board[column] == 0]
    return min(free, key=lambda column: abs(column - middle))
