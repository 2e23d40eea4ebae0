/* Fixed-depth alpha-beta with the heuristic `improved`, to measure the compiled search against.
 *
 * The same algorithm: plain alpha-beta, moves in ascending order, last ply in the loop, nodes counted against a limit,
 * principal variation kept, the heuristic for the player who searches behind a function pointer (with -DINLINE: called
 * directly, so that the compiler can inline it).
 *
 * usage: alphabeta WIDTH HEIGHT MOVER OTHER DEPTH ROUNDS; prints nodes, value and the seconds of the fastest round.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef WIDE
typedef unsigned __int128 squares;
static inline int count(squares s) {
    return __builtin_popcountll((uint64_t)s) + __builtin_popcountll((uint64_t)(s >> 64));
}
static inline int lowest(squares s) {
    return (uint64_t)s ? __builtin_ctzll((uint64_t)s) : 64 + __builtin_ctzll((uint64_t)(s >> 64));
}
#else
typedef uint64_t squares;
static inline int count(squares s) { return __builtin_popcountll(s); }
static inline int lowest(squares s) { return __builtin_ctzll(s); }
#endif

#define ROW 130
#define PLY 0x1p1001
#define LARGEST 0x1p1000

/* What a view holds, each a parameter of its own, as compiled heuristics take it; then the player and the parameters. */
#define GAME                                                                                                        \
    const squares *jumps, squares empty, int64_t first, int64_t second, int64_t active, int64_t move_count,         \
        int64_t *control, int64_t player, double p0, double p1, double p2, double p3, double p4, double p5,         \
        double p6, double p7

static double improved(GAME) {
    (void)move_count, (void)control, (void)p0, (void)p1, (void)p2, (void)p3, (void)p4, (void)p5, (void)p6, (void)p7;
    squares mine = jumps[player == 1 ? first : second] & empty;
    squares theirs = jumps[player == 1 ? second : first] & empty;
    if (!(player == active ? mine : theirs)) return player == active ? -INFINITY : INFINITY;
    return (double)(count(mine) - count(theirs));
}

typedef struct {
    double (*heuristic)(GAME);
    double params[8];
    const squares *jumps;
    int64_t nodes, next, limit, stopped, searcher, parity, count_base, horizon;
    int64_t control[16];
    uint8_t lines[ROW * ROW];
} block;

static squares jump_table[129];

static int ended(block *b) {
    if (b->nodes >= b->limit) return b->stopped = 1, 1;
    b->next = b->nodes + 4096 < b->limit ? b->nodes + 4096 : b->limit;
    return 0;
}

static inline int step(block *b) {
    if (b->nodes >= b->next && ended(b)) return 1;
    b->nodes++;
    return 0;
}

static inline double lost(const block *b, int64_t depth) { return (double)(b->count_base - depth - 1024) * PLY; }

static inline double leaf(block *b, squares empty, int64_t mover, int64_t other) {
    if (!b->horizon && !(b->jumps[mover] & empty)) return lost(b, 0);
    int64_t active = 1 + (b->parity & 1);
    const double *p = b->params;
    double value =
#ifdef INLINE
        improved
#else
        b->heuristic
#endif
        (b->jumps, empty, active == 1 ? mover : other, active == 1 ? other : mover, active, b->count_base, b->control,
         b->searcher, p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
    if (!(value >= -LARGEST && value <= LARGEST)) {
        if (value > LARGEST) value = LARGEST;
        else if (value < -LARGEST) value = -LARGEST;
        else abort();
    }
    return active == b->searcher ? value : -value;
}

static void extend_line(block *b, int64_t depth, int square) {
    uint8_t *here = b->lines + depth * ROW, *below = here - ROW;
    int length = depth > 1 ? below[0] : 0;
    here[0] = (uint8_t)(length + 1);
    here[1] = (uint8_t)square;
    for (int at = 0; at < length; at++) here[2 + at] = below[1 + at];
}

static double alphabeta(block *b, squares empty, int64_t mover, int64_t other, int64_t depth, double alpha, double beta) {
    squares moves = b->jumps[mover] & empty;
    b->lines[depth * ROW] = 0;
    if (!moves) return lost(b, depth);
    double best = -INFINITY;
    for (; moves; moves &= moves - 1) {
        if (step(b)) return best;
        int square = lowest(moves);
        squares left = empty & ~((squares)1 << square);
        double value;
        if (depth == 1) {
            value = -leaf(b, left, other, square);
        } else {
            value = -alphabeta(b, left, other, square, depth - 1, -beta, -alpha);
            if (b->stopped) return best;
        }
        if (value > best) {
            best = value;
            if (value > alpha) {
                if (value >= beta) return value;
                alpha = value;
                extend_line(b, depth, square);
            }
        }
    }
    return best;
}

int main(int argc, char **argv) {
    static const int jump[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    if (argc != 7) return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]), mover = atoi(argv[3]), other = atoi(argv[4]);
    int depth = atoi(argv[5]), rounds = atoi(argv[6]);
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++)
            for (int k = 0; k < 8; k++) {
                int r = row + jump[k][0], c = column + jump[k][1];
                if (r >= 0 && r < height && c >= 0 && c < width)
                    jump_table[row * width + column] |= (squares)1 << (r * width + c);
            }
    squares empty = 0;
    for (int square = 0; square < width * height; square++)
        if (square != mover && square != other) empty |= (squares)1 << square;
    static block b;
    /* volatile: the compiler must not see through the pointer */
    static double (*volatile chosen)(GAME) = improved;
    double fastest = INFINITY, value = 0;
    for (int round = 0; round < rounds; round++) {
        struct timespec began, finished;
        clock_gettime(CLOCK_MONOTONIC, &began);
        b.heuristic = chosen;
        b.jumps = jump_table;
        b.nodes = b.next = b.stopped = b.horizon = 0;
        b.limit = INT64_MAX / 2;
        b.searcher = 1;
        b.parity = depth;
        b.count_base = 2 + depth;
        value = alphabeta(&b, empty, mover, other, depth, -INFINITY, INFINITY);
        clock_gettime(CLOCK_MONOTONIC, &finished);
        double seconds = (double)(finished.tv_sec - began.tv_sec) + (double)(finished.tv_nsec - began.tv_nsec) * 1e-9;
        if (seconds < fastest) fastest = seconds;
    }
    printf("%lld %.17g %.12g\n", (long long)b.nodes, value, fastest);
    return 0;
}
