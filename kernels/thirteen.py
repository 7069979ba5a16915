"""The rules of thirteen, one game at a time. Rule numbers are those of docs/rules/thirteen.md."""

from __future__ import annotations

import numpy as np
from numba import from_dtype, types

from .common import PROGRESS, STOP, STRATEGY, lowest_bit, ones
from .jit import entry, helper
from .random import U64, below, next_word, start_stream
from .thirteen_cards import (
    NEVER,
    classify,
    counts,
    is_bomb,
    list_plays,
    lowest,
    needed,
    weakest,
    with_at_least,
)
from .thirteen_endgame import bombs_allowed, may_come_back
from .thirteen_numbers import (
    DRAGON,
    DRAGON_FIRST,
    EVENT_CLOSE,
    EVENT_DEAL,
    EVENT_GAME_END,
    EVENT_INSTANT,
    EVENT_OUT,
    EVENT_PASS,
    EVENT_PLAY,
    EVENT_WIDTH,
    FIVE_PAIRS_RUN,
    FOUR_TWOS,
    FREE,
    FROZEN,
    HAND,
    LAST_PASSER,
    LONGEST_DOUBLE,
    LOSER,
    LOWEST,
    MAX_SEATS,
    NO,
    NOBODY,
    NONE,
    ONE_COLOUR,
    ONLY,
    PAIR,
    PREVIOUS_PLAYER,
    QUAD,
    SINGLE,
    SIX_PAIRS,
    STRATEGY_LOWEST,
    THREE_TRIPLES_RUN,
    TWO,
    TWOS_FIRST,
    VOID,
)
from .thirteen_plan import has_two, run_length
from .thirteen_strategies import choose, in_order, keep_allowed
from .thirteen_table import ROW, RULES, TABLE, tell, tell_seats

I64 = np.int64

TALLY = (MAX_SEATS + 1, 5, 2)
"""By seat and number of 2s dealt to it: hands, and deals won."""

SIGNATURE = (
    types.uint64,
    types.int64,
    from_dtype(RULES)[::1],
    from_dtype(STRATEGY)[:, ::1],
    from_dtype(TABLE)[::1],
    from_dtype(ROW)[::1],
    types.int64[:, :, ::1],
    types.int64[:, ::1],
    types.int64[::1],
)
BLACK = 0x3333333333333
"""Spades and clubs."""
DEAL_OVER, DEAL_CAPPED = -2, -3


@helper
def deal(table, rules) -> None:
    """T1: 13 cards each, one at a time from seat 0."""
    for card in range(52):
        table.pool[card] = card
    for seat in range(rules.players):
        table.hand[seat] = 0
    left = 52
    for _ in range(HAND):
        for seat in range(rules.players):
            j = below(table.deal, left)
            table.hand[seat] |= np.int64(1) << table.pool[j]
            left -= 1
            table.pool[j] = table.pool[left]


@helper
def set_up(table, rules) -> None:
    """Hands that were given, once: later deals of a match are dealt."""
    held = I64(0)
    for seat in range(rules.players):
        table.hand[seat] = table.given[seat]
        held |= table.given[seat]
    if table.rest_is_played:
        table.gone = ((I64(1) << 52) - 1) & ~held
    table.set_up = 0


@helper
def instant_kind(rules, hand) -> int:
    """T2: the first kind of instant win, among those of the rules, that a hand is; 0: none."""
    wanted = rules.instant
    if wanted >> FOUR_TWOS & 1 and hand >> TWO == 15:
        return FOUR_TWOS
    lanes = with_at_least(hand, I64(1)) & ((1 << TWO) - 1)
    if wanted >> DRAGON & 1 and ones(lanes) == 12:
        return DRAGON
    pairs = with_at_least(hand, I64(2))
    if wanted >> SIX_PAIRS & 1 and ones(pairs) >= 6:
        return SIX_PAIRS
    pairs &= (1 << TWO) - 1
    if wanted >> FIVE_PAIRS_RUN & 1:
        if pairs & pairs << 4 & pairs << 8 & pairs << 12 & pairs << 16:
            return FIVE_PAIRS_RUN
    if wanted >> THREE_TRIPLES_RUN & 1:
        triples = with_at_least(hand, I64(3)) & ((1 << TWO) - 1)
        if triples & triples << 4 & triples << 8:
            return THREE_TRIPLES_RUN
    if wanted >> ONE_COLOUR & 1:
        black = ones(hand & BLACK)
        if black >= 12 or black <= 1:
            return ONE_COLOUR
    return NONE


@helper
def instant_winner(table, rules, opener):
    """T13: who wins at once, and by what; seat -1 and a kind: several do, and that is void."""
    best = NOBODY
    best_kind = NONE
    several = False
    for step in range(rules.players):
        seat = (opener + step) % rules.players
        kind = instant_kind(rules, table.hand[seat])
        if kind == NONE:
            continue
        several = several or best != NOBODY
        first = (rules.instant_tie == DRAGON_FIRST and kind == DRAGON and best_kind != DRAGON) or (
            rules.instant_tie == TWOS_FIRST and kind == FOUR_TWOS and best_kind != FOUR_TWOS
        )
        if best == NOBODY or first:
            best = seat
            best_kind = kind
    if several and rules.instant_tie == VOID:
        return NOBODY, best_kind
    return best, best_kind


@helper
def holder_of_lowest(table, rules) -> int:
    """T3: who holds the lowest card dealt."""
    dealt = np.int64(0)
    for seat in range(rules.players):
        dealt |= table.hand[seat]
    card = dealt & -dealt
    seat = 0
    while table.hand[seat] & card == 0:
        seat += 1
    return seat


@helper
def next_holder(table, rules, seat) -> int:
    """The first seat clockwise of one that holds cards."""
    other = (seat + 1) % rules.players
    while table.hand[other] == 0:
        other = (other + 1) % rules.players
    return other


@helper
def next_to_act(table, rules, seat) -> int:
    """T8, T9: the first seat clockwise that may still act on the top; -1: the trick closes."""
    for step in range(1, rules.players):
        other = seat + step
        if other >= rules.players:  # cheaper than a division
            other -= rules.players
        if table.hand[other] == 0 or other == table.owner or (table.answered >> other) & 1 == 1:
            continue
        if (table.locked >> other) & 1 == 1 and not may_come_back(
            rules, table.hand[other], table.top, table.top_copies, table.top_ranks
        ):
            continue
        return other
    return -1


@helper
def leader_after_close(table, rules) -> int:
    """T8: who leads the next trick."""
    if table.hand[table.owner]:
        return table.owner
    named = NOBODY
    if rules.lead_after_out == PREVIOUS_PLAYER:
        named = table.last_player
    elif rules.lead_after_out == LAST_PASSER:
        named = table.last_passer
    if named != NOBODY and table.hand[named]:
        return named
    return next_holder(table, rules, table.owner)


@helper
def clear_trick(table) -> None:
    """Nothing lies on the table and nobody has passed."""
    table.top = 0
    table.top_copies = 0
    table.top_ranks = 0
    table.owner = NOBODY
    table.locked = 0
    table.answered = 0
    table.last_player = NOBODY
    table.last_passer = NOBODY


@helper
def bomb_kind(copies, ranks) -> int:
    """Where a bomb is counted: quad 0, double sequences of 2 .. 6 ranks 1 .. 5."""
    return 0 if copies == QUAD else ranks - 1


@helper
def price_of_twos(rules, cards) -> int:
    """penalties: the price of the 2s among some cards."""
    twos = cards & (np.int64(15) << TWO)
    black = ones(twos & BLACK)
    return black * rules.penalties[0] + (ones(twos) - black) * rules.penalties[1]


@helper
def price_of_row(rules, ranks) -> int:
    """penalties: the price of a double sequence."""
    if ranks < 3:
        return 0
    return rules.penalties[2] if ranks == 3 else rules.penalties[4]


@helper
def price_of_top(table, rules) -> int:
    """penalties: what the owner of the top pays when a bomb beats it."""
    if table.top_copies == QUAD:
        return rules.penalties[3]
    if table.top_ranks == 1:
        return price_of_twos(rules, table.top) if has_two(table.top) else 0
    return price_of_row(rules, table.top_ranks) if table.top_copies == PAIR else 0


@helper
def price_of_hand(rules, hand) -> int:
    """penalties: what a seat pays for the 2s and bombs it still holds at the end."""
    price = price_of_twos(rules, hand)
    price += rules.penalties[3] * ones(with_at_least(hand, I64(QUAD)) & ((1 << TWO) - 1))
    pairs = with_at_least(hand, I64(PAIR)) & ((1 << TWO) - 1)
    row = 0
    for rank in range(TWO // 4 + 1):
        if (pairs >> (4 * rank)) & 1 == 1:
            row += 1
        else:
            price += price_of_row(rules, row)
            row = 0
    return price


@helper
def lay(table, rules, row, seat, play) -> None:
    """T7: a seat makes a play, which becomes the top."""
    copies, ranks = classify(rules, play)
    if table.top == 0:
        row.tricks += 1
    elif is_bomb(table.top_copies, table.top_ranks):
        row.bombs_beaten += 1
        row.beaten_by_kind[bomb_kind(table.top_copies, table.top_ranks)] += 1
    if is_bomb(copies, ranks):
        row.bombs_played += 1
        row.played_by_kind[bomb_kind(copies, ranks)] += 1
        if table.top:
            price = price_of_top(table, rules)
            table.paid[seat] += price
            table.paid[table.owner] -= price
    if table.top:
        table.last_player = table.owner
    table.hand[seat] &= ~play
    table.gone |= play
    table.played |= 1 << seat
    table.top = play
    table.top_copies = copies
    table.top_ranks = ranks
    table.owner = seat
    table.must_hold = 0
    if not rules.lockout:
        table.locked = 0
        table.answered = 0
    elif rules.bomb_after_pass != NO:
        table.answered = 0
    row.plays += 1
    tell(table, EVENT_PLAY, seat, play)


@helper
def give_way(table, row, seat) -> None:
    """T7, T9: a seat passes."""
    table.locked |= 1 << seat
    table.answered |= 1 << seat
    table.last_passer = seat
    row.passes += 1
    tell(table, EVENT_PASS, seat, I64(0))


@helper
def lowest_lead(rules, hand) -> int:
    """What `lowest` leads: the longest combination with the lowest card, the weakest of equals."""
    many = counts(hand)
    rank = lowest(hand) >> 2
    best_copies = (many >> (4 * rank)) & 15
    best_ranks = np.int64(1)
    best = best_copies
    for copies in range(SINGLE, PAIR + 1):
        ranks = run_length(rules, many, rank, copies)
        least = rules.seq_min if copies == SINGLE else rules.dseq_min
        cards = copies * ranks
        # Of equal lengths the one that ends lower is weaker: fewer ranks.
        if ranks >= least and (cards > best or (cards == best and ranks < best_ranks)):
            best = cards
            best_copies = np.int64(copies)
            best_ranks = np.int64(ranks)
    part = hand & ((np.int64(1) << (4 * (rank + best_ranks))) - 1)
    found = np.int64(0)
    for j in range(best_ranks):
        group = part & (np.int64(15) << (4 * (rank + j)))
        for _ in range(best_copies):
            found |= group & -group
            group &= group - 1
    return found


@helper
def lowest_follow(table, rules, hand) -> int:
    """What `lowest` follows with: the weakest of the top's type, else the least bomb; 0: none."""
    copies, ranks = table.top_copies, table.top_ranks
    above = needed(rules, table.top, copies, ranks, copies, ranks)
    play = weakest(rules, hand, copies, ranks, above)
    if play:
        return play
    best = np.int64(0)
    if has_two(table.top) or rules.bomb_scope or is_bomb(copies, ranks):
        above = needed(rules, table.top, copies, ranks, I64(QUAD), I64(1))
        if above < NEVER:
            best = weakest(rules, hand, I64(QUAD), I64(1), above)
        for row in range(rules.dseq_min, LONGEST_DOUBLE + 1):
            above = needed(rules, table.top, copies, ranks, I64(PAIR), row)
            if above < NEVER:
                play = weakest(rules, hand, I64(PAIR), row, above)
                if play and (best == 0 or in_order(play, best)):
                    best = play
    return best


@helper
def scripted_answer(table, seat, can_pass) -> int:
    """The next given move, or what stops the deal when it isn't legal."""
    play = table.script[table.at_script]
    table.at_script += 1
    if play == 0 and can_pass:
        return play
    for j in range(table.n_plays):
        if play == table.plays[j]:
            return play
    table.refused = table.at_script
    table.refused_seat = seat
    return I64(0)


@helper
def answer(table, rules, row, seat) -> int:
    """T7: what a seat plays, asked if it has a choice; 0: it passes, or can't play."""
    hand = table.hand[seat]
    leads = table.top == 0
    locked = (table.locked >> seat) & 1 == 1
    scripted = table.at_script < table.n_script
    plain = (
        not scripted
        and not locked
        and table.must_hold == 0
        and (rules.finish_two or not has_two(hand))
    )
    if plain and table.strategy[seat].number == STRATEGY_LOWEST and not rules.pass_forced:
        # The default strategy needs no list of all plays.
        if leads:
            if hand & (hand - 1):
                row.free += 1
            else:
                row.forced += 1
            return lowest_lead(rules, hand)
        play = lowest_follow(table, rules, hand)
        if play:
            row.free += 1
        else:
            row.forced += 1
        return play
    bombs_only = I64(bombs_allowed(rules)) if locked else I64(0)
    table.n_plays = list_plays(
        table.plays,
        np.int64(0),
        rules,
        hand,
        table.top,
        table.top_copies,
        table.top_ranks,
        bombs_only,
    )
    keep_allowed(table, rules, hand)
    n = table.n_plays
    can_pass = not leads and not (rules.pass_forced and n > 0)
    if scripted:
        return scripted_answer(table, seat, can_pass or n == 0)
    if n + np.int64(can_pass) <= 1:
        row.forced += 1
        return table.plays[0] if n else np.int64(0)
    row.free += 1
    word = next_word(table.choice[seat]) if table.strategy[seat].draws else U64(0)
    return np.int64(choose(table, rules, row, seat, can_pass, word))


@helper
def flush(table, log, told) -> int:
    """Move the events of the slate to `log`, as far as they fit. Returns how many were told."""
    for j in range(table.told):
        if told < log.shape[0]:
            for field in range(EVENT_WIDTH):
                log[told, field] = table.slate[j, field]
        told += 1
    table.told = 0
    return told


@helper
def play_out(table, rules, row, opener, log, told):
    """T7 to T10: the tricks of a deal.

    Returns
    -------
    ended : int64
        DEAL_OVER, DEAL_CAPPED, or the seat that was stuck first, when all are.
    told : int64
        Events told so far.
    """
    players = rules.players
    seat = opener
    turns = 0
    out = 0
    stuck = 0
    first_stuck = NOBODY
    while True:
        if turns == rules.max_turns:
            row.turns += turns
            return I64(DEAL_CAPPED), told
        turns += 1
        play = answer(table, rules, row, seat)
        if table.refused:
            return I64(DEAL_CAPPED), told
        following = -1
        if play:
            stuck = 0
            lay(table, rules, row, seat, play)
            if table.hand[seat] == 0:
                out += 1
                table.place[seat] = out
                tell(table, EVENT_OUT, seat, out)
                if rules.until_first or out == players - 1:
                    row.turns += turns
                    return I64(DEAL_OVER), told
            following = next_to_act(table, rules, seat)
        elif table.top == 0:  # finish_two: a leader with no legal play hands the lead on
            row.passes += 1
            tell(table, EVENT_PASS, seat, I64(0))
            if stuck == 0:
                first_stuck = seat
            stuck += 1
            if stuck == players - out:
                row.turns += turns
                return first_stuck, told
            following = next_holder(table, rules, seat)
        else:
            give_way(table, row, seat)
            following = next_to_act(table, rules, seat)
        if following < 0:
            following = leader_after_close(table, rules)
            clear_trick(table)
            tell(table, EVENT_CLOSE, following, I64(0))
        seat = following
        if table.telling:
            told = flush(table, log, told)


@helper
def place_the_rest(table, rules, stuck_first) -> None:
    """T11, finish_two: places of the seats that still hold cards when a deal is over."""
    out = 0
    for seat in range(rules.players):
        out = max(out, table.place[seat])
    if stuck_first >= 0:
        for step in range(1, rules.players + 1):
            seat = (stuck_first + step) % rules.players
            if table.hand[seat]:
                out += 1
                table.place[seat] = out
    else:
        for seat in range(rules.players):
            if table.hand[seat]:
                table.place[seat] = rules.players
    if rules.until_first:
        for seat in range(rules.players):
            if table.place[seat] != 1:
                table.place[seat] = 0


@helper
def score_deal(table, rules, row, winner, at_once) -> None:
    """T11, score, penalties: add a deal's points to the totals."""
    for seat in range(rules.players):
        points = np.int64(0)
        if rules.score_cards:
            if seat != winner:
                frozen = at_once or (table.played >> seat) & 1 == 0
                points = np.int64(FROZEN) if frozen else np.int64(ones(table.hand[seat]))
                table.total[winner] += points
                points = -points
        elif table.place[seat] > 0:
            points = rules.points[table.place[seat] - 1]
        if not at_once:
            points += table.paid[seat]
            if seat != winner and table.hand[winner] == 0:
                held = price_of_hand(rules, table.hand[seat])
                points -= held
                table.total[winner] += held
        table.total[seat] += points


@helper
def play_deal(table, rules, row, tally, leader, log, told):
    """One deal, with `leader` to lead, or -1: the holder of the lowest card.

    Returns
    -------
    winner : int64
        The first out, or the instant winner; -1 if nobody, DEAL_CAPPED.
    opener : int64
    told : int64
    """
    clear_trick(table)
    table.gone = 0
    if table.set_up:
        set_up(table, rules)
        leader = table.given_leader if table.given_leader >= 0 else holder_of_lowest(table, rules)
    else:
        deal(table, rules)
    table.played = 0
    for seat in range(rules.players):
        table.place[seat] = 0
        table.paid[seat] = 0
        table.twos[seat] = ones(table.hand[seat] >> TWO)
        tally[seat, table.twos[seat], 0] += 1
    table.must_hold = 0
    opener = leader
    if leader < 0:  # T3
        opener = np.int64(holder_of_lowest(table, rules))
        if rules.first_lead != FREE:
            table.must_hold = table.hand[opener] & -table.hand[opener]
            table.alone = np.int64(rules.first_lead == ONLY)
    row.deals += 1
    row.opener_at[opener] += 1
    tell_seats(table, rules, EVENT_DEAL, row.deals, opener, table.hand, I64(0))
    winner, kind = instant_winner(table, rules, opener)
    row.instants[kind] += 1
    row.instant_wins += np.int64(winner >= 0)
    if row.deals == 1:
        row.instant = kind
        row.opener = opener
    ended = np.int64(DEAL_OVER)
    at_once = kind != NONE
    if at_once:
        if winner >= 0:
            tell(table, EVENT_INSTANT, winner, kind)
            table.place[winner] = 1
    else:
        bombs = row.bombs_played
        ended, told = play_out(table, rules, row, opener, log, told)
        row.deals_with_bomb += np.int64(row.bombs_played > bombs)
        if ended == DEAL_CAPPED:
            for seat in range(rules.players):
                table.place[seat] = 0
            tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(0))
            tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(MAX_SEATS))
            return I64(DEAL_CAPPED), opener, flush(table, log, told)
        place_the_rest(table, rules, ended)
        for seat in range(rules.players):
            row.cards_left += ones(table.hand[seat])
            if table.place[seat] == 1:
                winner = np.int64(seat)
    if winner >= 0:
        before = table.total.copy()
        score_deal(table, rules, row, winner, at_once)
        tally[winner, table.twos[winner], 1] += 1
        for seat in range(rules.players):
            table.paid[seat] = table.total[seat] - before[seat]
    row.opener_wins += np.int64(winner == opener)
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.place, I64(0))
    tell_seats(table, rules, EVENT_GAME_END, I64(0), I64(0), table.paid, I64(MAX_SEATS))
    return winner, opener, flush(table, log, told)


@helper
def next_leader(table, rules, winner, opener, at_once) -> int:
    """T3, starter: who leads the next deal of a match; -1: the holder of the lowest card."""
    if rules.starter == LOWEST:
        return -1
    if winner < 0:  # void
        return opener
    if rules.starter != LOSER:
        return winner
    best = NOBODY
    most = -1
    for step in range(1, rules.players):
        seat = (winner + step) % rules.players
        if at_once or rules.until_first:
            value = ones(table.hand[seat])
        else:
            value = table.place[seat]
        if value > most:
            most = value
            best = seat
    return best


@helper
def leaders(table, rules) -> int:
    """Mask of the seats with the highest total."""
    most = table.total[0]
    mask = 0
    for seat in range(rules.players):
        most = max(most, table.total[seat])
    for seat in range(rules.players):
        if table.total[seat] == most:
            mask |= 1 << seat
    return mask


@helper
def clear(row) -> None:
    """Make an empty row."""
    row.winner = NOBODY
    row.winners = 0
    row.capped = 0
    row.turns = 0
    row.deals = 0
    row.plays = 0
    row.passes = 0
    row.tricks = 0
    row.forced = 0
    row.free = 0
    row.bombs_played = 0
    row.bombs_beaten = 0
    row.played_by_kind[:] = 0
    row.beaten_by_kind[:] = 0
    row.deals_with_bomb = 0
    row.instant = 0
    row.instants[:] = 0
    row.instant_wins = 0
    row.opener = 0
    row.opener_at[:] = 0
    row.opener_wins = 0
    row.cards_left = 0
    row.gave_up = 0
    row.place[:] = 0
    row.points[:] = 0


@helper
def play_game(table, rules, row, tally, seed, index, log) -> int:
    """T12: a deal, or a match of deals. Returns the number of events told."""
    clear(row)
    players = rules.players
    table.total[:] = 0
    leader = np.int64(-1)
    told = I64(0)
    winners = 0
    while True:
        start_stream(table.deal, seed, index, row.deals, 0, 0)
        for seat in range(players):
            if table.strategy[seat].draws:
                start_stream(table.choice[seat], seed, index, row.deals, 1 + seat, 0)
        instants = row.instants[0]
        winner, opener, told = play_deal(table, rules, row, tally, leader, log, told)
        if winner == DEAL_CAPPED:
            row.capped = 1
            return told
        if rules.target == 0:
            if winner >= 0:
                winners = 1 << winner
            break
        winners = leaders(table, rules)
        if table.total[lowest_bit(winners)] >= rules.target and winners & (winners - 1) == 0:
            break
        at_once = row.instants[0] == instants
        leader = np.int64(next_leader(table, rules, winner, opener, at_once))
    row.winners = winners
    if winners:
        row.winner = lowest_bit(winners)
    for seat in range(players):
        row.points[seat] = table.total[seat]
        row.place[seat] = table.place[seat]
        if rules.target:
            better = 0
            for other in range(players):
                better += np.int64(table.total[other] > table.total[seat])
            row.place[seat] = 1 + better
    return told


@entry
def play(seed, first, rules, strategies, tables, rows, tally, log, control):
    """Play the games first, first + 1, ... one a row.

    Parameters
    ----------
    seed : uint64
    first : int64
        Index of the first game.
    rules : RULES[1]
    strategies : STRATEGY[seats, 1]
    tables : TABLE[1]
        Zeros; scratch. Given by the caller, which keeps it alive: Numba would free an array of
        our own while we work on its element.
    rows : ROW[games]
        Written.
    tally : int64[MAX_SEATS + 1, 5, 2]
        Hands, and deals won, by seat and number of 2s dealt to it. Added to.
    log : int64[events, EVENT_WIDTH]
        Written, for a single game; no rows: nothing is told.
    control : int64[2]
        STOP is read before each game, PROGRESS written.

    Returns
    -------
    played : int64
        Games played; fewer than rows only after a stop.
    told : int64
        Events told, more than `log` has rows when it was too short.
    """
    table = tables[0]
    table.telling = np.int64(log.shape[0] > 0)
    for seat in range(strategies.shape[0]):
        table.strategy[seat] = strategies[seat, 0]
    told = I64(0)
    for j in range(rows.shape[0]):
        if control[STOP] != 0:
            return j, told
        control[PROGRESS] = first + j
        told = play_game(table, rules[0], rows[j], tally, seed, first + j, log)
    return rows.shape[0], told
