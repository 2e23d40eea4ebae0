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

/* What a view holds, each a parameter of its own, as compiled heuristics take it; then the player and the parameters. */
#define GAME                                                                                                        \
    const uint64_t *jumps, uint64_t empty, int64_t first, int64_t second, int64_t active, int64_t move_count,       \
        int64_t *control, int64_t player, double p0, double p1, double p2, double p3, double p4, double p5,         \
        double p6, double p7

typedef struct {
    uint64_t empty;
    int64_t first, second, active, player;
} position;

static uint64_t jump_table[65];

static double improved(GAME) {
    (void)move_count, (void)control, (void)p0, (void)p1, (void)p2, (void)p3, (void)p4, (void)p5, (void)p6, (void)p7;
    uint64_t mine = jumps[player == 1 ? first : second] & empty;
    uint64_t theirs = jumps[player == 1 ? second : first] & empty;
    if (!(player == active ? mine : theirs)) return player == active ? -INFINITY : INFINITY;
    return (double)(__builtin_popcountll(mine) - __builtin_popcountll(theirs));
}

/* volatile: the compiler must not see through the pointer */
static double (*volatile heuristic)(GAME) = improved;

int main(int argc, char **argv) {
    static const int jump[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    static position positions[1024];
    static double values[1024];
    static int64_t control[16];
    int count = 0, rounds = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long long empty;
    long long first, second, active, player;
    for (int row = 0; row < 7; row++)
        for (int column = 0; column < 7; column++)
            for (int k = 0; k < 8; k++) {
                int r = row + jump[k][0], c = column + jump[k][1];
                if (r >= 0 && r < 7 && c >= 0 && c < 7) jump_table[row * 7 + column] |= (uint64_t)1 << (r * 7 + c);
            }
    while (count < 1024 && scanf("%llu %lld %lld %lld %lld", &empty, &first, &second, &active, &player) == 5) {
        positions[count++] = (position){empty, first, second, active, player};
    }
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < count; i++) {
            control[0] = 10000;
            control[3] = 21000;
            const position *p = &positions[i];
            values[i] = heuristic(jump_table, p->empty, p->first, p->second, p->active, 0, control, p->player, 0, 0, 0, 0,
                                  0, 0, 0, 0);
        }
    clock_gettime(CLOCK_MONOTONIC, &ended);
    double seconds = (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) * 1e-9;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    printf("%.17g %.12g\n", sum, seconds / ((double)rounds * count));
    return 0;
}
