/* The win/loss solver in C: to measure the compiled one against, and to try what might make it faster.
 *
 * Without options it is the same search: the same table (one word for an entry, see native/solve/facts.py), the same
 * order of moves, the same nodes. Options switch off what is used and switch on what was tried and left out:
 *
 *   order=N     0 as they come; 1 fewest replies, then most next moves; 2 next moves less twice the replies;
 *               3 (the default) the same, and squares in two jumps where there are many empty ones; 4 as 3, only for the
 *               attacker, the defender by order 2; 5 as 2 with the sign of the mover's next moves turned for the defender
 *   mistakes=0  do not leave out moves that lose at once
 *   rich=N      squares in two jumps count with N or more empty squares (20)
 *   table=N     use the table with N or more empty squares (8)
 *   fetch=0     do not fetch the table's buckets early
 *   cutoffs=N   look up every reply before searching one, with N or more empty squares
 *   partition=N with N or fewer empty squares: where the knights cannot meet any more, compare longest paths
 *   bound=N     with N or fewer empty squares: compare what each can still reach by counting colours
 *
 * usage: solver WIDTH HEIGHT BITS [OPTION...]; reads EMPTY MOVER OTHER per line (EMPTY in decimal); each position with an
 * empty table of 2^BITS buckets. Prints for each: the verdict (1 won, 0 lost), nodes, seconds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
typedef int64_t i64;

static u64 jumps[64], odd;
static int squares;
static u64 *table;
static int bits;
static i64 nodes, next_look, limit;
static int stopped;
static int order = 3, mistakes = 1, rich = 20, table_from = 8, fetch = 1, cutoffs = 0, partition = 0, bound = 0;

static inline int count(u64 s) { return __builtin_popcountll(s); }
static inline int lowest(u64 s) { return __builtin_ctzll(s); }

typedef struct {
    u64 index, mark;
} key;

static inline key find_key(u64 empty, int mover, int other) {
    u64 mask = ~0ull >> (64 - squares), word = empty * 0x9E3779B97F4A7C15ull & mask;
    int half = squares >> 1;
    word ^= word >> half;
    word = word * 0xD6E8FEB86659FD93ull & mask;
    word ^= word >> half;
    u64 locations = (u64)(mover << 6 | other), spread = locations * 0xC2B2AE3D27D4EB4Full >> 20;
    return (key){(word ^ spread) & ((1ull << bits) - 1), word >> bits << 12 | locations};
}

static inline int fact(key k) {
    const u64 *bucket = table + k.index * 4;
    for (int slot = 0; slot < 4; slot++)
        if (((bucket[slot] ^ k.mark << 6) & ~63ull) == 0) return (int)(bucket[slot] & 3);
    return 0;
}

static inline void note(key k, int verdict, int work) {
    u64 *bucket = table + k.index * 4, entry = k.mark << 6 | (u64)(work << 2 | verdict);
    int chosen = 0, least = 1 << 30;
    for (int slot = 0; slot < 4; slot++) {
        u64 old = bucket[slot];
        int rank = old ? (int)(old >> 2 & 15) : -1;
        if (((old ^ entry) & ~63ull) == 0) rank = -2;
        if (rank < least) chosen = slot, least = rank;
    }
    bucket[chosen] = entry;
}

static inline u64 in_two(u64 from, u64 empty) {
    u64 found = 0;
    for (; from; from &= from - 1) found |= jumps[lowest(from)];
    return found & empty;
}

static u64 flood(int at, u64 empty) {
    u64 reached = 0, edge = jumps[at] & empty;
    while (edge) {
        reached |= edge;
        edge = in_two(edge, empty) & ~reached;
    }
    return reached;
}

/* The length of the longest path, or any length of `enough` or more. */
static int longest(int at, u64 empty, int enough) {
    int best = 0;
    for (u64 moves = jumps[at] & empty; moves && best < enough; moves &= moves - 1) {
        int square = lowest(moves);
        int length = 1 + longest(square, empty & ~(1ull << square), enough - 1);
        if (length > best) best = length;
    }
    return best;
}

/* No path is longer: it changes colour with every move. */
static int most_moves(int at, u64 region) {
    int other_colour = count(odd >> at & 1 ? region & ~odd : region & odd), same = count(region) - other_colour;
    return 2 * other_colour < 2 * same + 1 ? 2 * other_colour : 2 * same + 1;
}

static int ended(void) {
    if (nodes >= limit) return stopped = 1;
    next_look = nodes + 1024 < limit ? nodes + 1024 : limit;
    return 0;
}

static int wins(u64 empty, int mover, int other, key k) {
    int size = count(empty), remembered = size >= table_from;
    if (remembered) {
        int known = fact(k);
        if (known) return known == 2;
    }
    u64 moves = jumps[mover] & empty, theirs = jumps[other] & empty;
    if (size <= partition || size <= bound) {
        u64 mine = flood(mover, empty);
        if (!(mine & theirs)) {
            u64 yours = flood(other, empty);
            if (!(mine & yours)) {
                int most_mine = most_moves(mover, mine), most_yours = most_moves(other, yours), won = -1;
                if (size <= partition) {
                    int length = longest(mover, mine, most_yours + 1);
                    won = length > most_yours || length > longest(other, yours, length);
                } else if (most_mine <= 1 || most_yours == 0) {
                    won = most_mine > most_yours;
                }
                if (won >= 0) {
                    if (remembered) note(k, won ? 2 : 1, 0);
                    return won;
                }
            }
        }
    }
    int attacking = (odd >> mover & 1) == (odd >> other & 1);
    i64 ranked[8];
    key keys[8];
    int found = 0;
    for (; moves; moves &= moves - 1) {
        int square = lowest(moves);
        u64 left = empty & ~(1ull << square), replies = theirs & ~(1ull << square), mine = jumps[square] & left;
        if (mistakes && (!mine || (!(mine & (mine - 1)) && (mine & replies)))) continue;
        i64 rank = 0;
        if (order == 1) rank = count(mine) - 16 * count(replies);
        if (order >= 2) rank = 4 * count(mine) - 8 * count(replies);
        if (order == 5 && !attacking) rank = -4 * count(mine) - 8 * count(replies);
        if ((order == 3 || (order == 4 && attacking)) && size >= rich)
            rank += 3 * (count(in_two(mine, left)) - count(in_two(replies, left)));
        keys[found] = find_key(left, other, square);
        if (fetch && size > table_from) __builtin_prefetch(table + keys[found].index * 4);
        i64 packed = rank * (1 << 19) + (square << 8 | found);
        int at = found++;
        for (; at > 0 && ranked[at - 1] < packed; at--) ranked[at] = ranked[at - 1];
        ranked[at] = packed;
    }
    i64 before = nodes;
    int won = 0;
    if (cutoffs && size >= cutoffs)
        for (int at = 0; at < found && !won; at++) won = fact(keys[ranked[at] & 255]) == 1;
    for (int at = 0; at < found && !won; at++) {
        int square = (int)(ranked[at] >> 8 & 255);
        if (nodes >= next_look && ended()) return 0;
        nodes++;
        u64 left = empty & ~(1ull << square);
        if (!mistakes) {
            u64 replies = jumps[other] & left, mine = jumps[square] & left;
            if (!replies) { won = 1; break; }
            if (!mine || (!(mine & (mine - 1)) && (mine & replies))) continue;
        }
        won = !wins(left, other, square, keys[ranked[at] & 255]);
        if (stopped) return 0;
    }
    if (remembered) {
        i64 spent = nodes - before;
        int work = 0;
        for (; spent > 0 && work < 15; spent >>= 2) work++;
        note(k, won ? 2 : 1, work);
    }
    return won;
}

int main(int argc, char **argv) {
    static const int jump[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    static const struct {
        const char *name;
        int *value;
    } options[] = {{"order", &order},     {"mistakes", &mistakes},   {"rich", &rich},  {"table", &table_from}, {"fetch", &fetch},
                   {"cutoffs", &cutoffs}, {"partition", &partition}, {"bound", &bound}};
    if (argc < 4) return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]);
    bits = atoi(argv[3]);
    squares = width * height;
    for (int i = 4; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        for (size_t o = 0; value && o < sizeof options / sizeof *options; o++)
            if (!strncmp(argv[i], options[o].name, (size_t)(value - argv[i]))) *options[o].value = atoi(value + 1);
    }
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            if ((row + column) & 1) odd |= 1ull << (row * width + column);
            for (int k = 0; k < 8; k++) {
                int r = row + jump[k][0], c = column + jump[k][1];
                if (r >= 0 && r < height && c >= 0 && c < width) jumps[row * width + column] |= 1ull << (r * width + c);
            }
        }
    size_t size = ((size_t)32) << bits;
    table = aligned_alloc(1 << 21, size < 1 << 21 ? 1 << 21 : size);
    unsigned long long empty;
    int mover, other;
    while (scanf("%llu %d %d", &empty, &mover, &other) == 3) {
        struct timespec began, finished;
        memset(table, 0, size);
        nodes = next_look = stopped = 0;
        limit = INT64_MAX / 2;
        clock_gettime(CLOCK_MONOTONIC, &began);
        u64 moves = jumps[mover] & empty, theirs = jumps[other] & empty;
        int won;
        if (!moves) won = 0;
        else if (!theirs || (count(theirs) == 1 && (theirs & moves))) won = 1;
        else won = wins(empty, mover, other, find_key(empty, mover, other));
        clock_gettime(CLOCK_MONOTONIC, &finished);
        double seconds = (double)(finished.tv_sec - began.tv_sec) + (double)(finished.tv_nsec - began.tv_nsec) * 1e-9;
        printf("%d %lld %.9f\n", won, (long long)nodes, seconds);
    }
    return 0;
}
