/* The heuristic `improved` in C, called through a function pointer, to measure the compiled one against.
 *
 * Reads positions from standard input, one per line: EMPTY FIRST SECOND ACTIVE PLAYER (7x7, both knights placed);
 * usage: improved ROUNDS. Prints the sum of all values and the seconds per call.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    const uint64_t *jumps;
    uint64_t empty;
    int64_t first, second, active, move_count;
    int64_t *control;
} game;

typedef struct {
    double params[8];
} parameters;

static uint64_t jumps[65];

static inline uint64_t moves_of(const game *g, int64_t player) {
    return g->jumps[player == 1 ? g->first : g->second] & g->empty;
}

static double improved(game g, int64_t player, parameters params) {
    (void)params;
    if (!moves_of(&g, g.active)) return player == g.active ? -INFINITY : INFINITY;
    return (double)(__builtin_popcountll(moves_of(&g, player)) - __builtin_popcountll(moves_of(&g, 3 - player)));
}

/* volatile: the compiler must not see through the pointer */
static double (*volatile heuristic)(game, int64_t, parameters) = improved;

int main(int argc, char **argv) {
    static const int jump[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    static game games[1024];
    static int64_t players[1024];
    static double values[1024];
    static int64_t control[16];
    int count = 0, rounds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long long empty;
    long long first, second, active, player;
    for (int row = 0; row < 7; row++)
        for (int column = 0; column < 7; column++)
            for (int k = 0; k < 8; k++) {
                int r = row + jump[k][0], c = column + jump[k][1];
                if (r >= 0 && r < 7 && c >= 0 && c < 7) jumps[row * 7 + column] |= (uint64_t)1 << (r * 7 + c);
            }
    while (count < 1024 && scanf("%llu %lld %lld %lld %lld", &empty, &first, &second, &active, &player) == 5) {
        games[count] = (game){jumps, empty, first, second, active, 0, control};
        players[count++] = player;
    }
    parameters params = {{0}};
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            control[0] = 10000;
            control[3] = 21000;
            values[i] = heuristic(games[i], players[i], params);
        }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) * 1e-9;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    printf("%.17g %.12g\n", sum, seconds / ((double)rounds * count));
    return 0;
}
