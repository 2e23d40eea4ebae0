/* The recursion of knightfall/native/perft.py, to measure it against.
 *
 * usage: perft WIDTH HEIGHT MOVER OTHER DEPTH
 * prints the number of leaves and the seconds it took. -DWIDE: sets of 128 bits.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef WIDE
typedef unsigned __int128 bits;
static inline int count(bits x) {
    return __builtin_popcountll((uint64_t)x) + __builtin_popcountll((uint64_t)(x >> 64));
}
static inline int lowest(bits x) {
    uint64_t low = (uint64_t)x;
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(x >> 64));
}
#else
typedef uint64_t bits;
static inline int count(bits x) { return __builtin_popcountll(x); }
static inline int lowest(bits x) { return __builtin_ctzll(x); }
#endif

static bits jumps[128];

static inline bits single(int square) { return (bits)1 << square; }

static uint64_t perft(bits empty, int mover, int other, int depth) {
    bits moves = jumps[mover] & empty;
    uint64_t leaves = 0;
    if (depth == 2) {
        bits replies = jumps[other] & empty;
        for (; moves; moves &= moves - 1) leaves += count(replies & ~single(lowest(moves)));
        return leaves;
    }
    for (; moves; moves &= moves - 1) {
        int square = lowest(moves);
        leaves += perft(empty & ~single(square), other, square, depth - 1);
    }
    return leaves;
}

int main(int argc, char **argv) {
    static const int jump[8][2] = {{-2, -1}, {-2, 1}, {-1, -2}, {-1, 2}, {1, -2}, {1, 2}, {2, -1}, {2, 1}};
    if (argc != 6) return 2;
    int width = atoi(argv[1]), height = atoi(argv[2]), mover = atoi(argv[3]), other = atoi(argv[4]);
    int depth = atoi(argv[5]);
    bits empty = 0;
    for (int row = 0; row < height; row++)
        for (int column = 0; column < width; column++) {
            empty |= single(row * width + column);
            for (int k = 0; k < 8; k++) {
                int r = row + jump[k][0], c = column + jump[k][1];
                if (r >= 0 && r < height && c >= 0 && c < width)
                    jumps[row * width + column] |= single(r * width + c);
            }
        }
    empty &= ~single(mover) & ~single(other);
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    uint64_t leaves = perft(empty, mover, other, depth);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%llu %.9f\n", (unsigned long long)leaves,
           (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) * 1e-9);
    return 0;
}
