// The traversal of cfr_traversal.py for a GPU: level by level instead of depth first, one warp per node.
//
// Nodes are numbers with a one for every bit bid, and rows are laid out by them: the player who made the last bid, and
// the one who acts, both have row s >> 1, since the lowest bit follows from the others and from whose turn it is. Down
// from the root, each level's list of nodes that are reached is made by the levels above it; up from the leaves, values
// come back. Compiled once for each seat, with RUNGS, SEAT, OWN, THEIR (hands), OWN_DICE, THEIR_DICE and CLAIMS given.

#define PER_LANE(n) (((n) + LANES - 1) / LANES)
#define EACH(h, n) for (int m = 0, h = lane; m < PER_LANE(n); m++, h += LANES) if (h < (n))
#define ALL 0xffffffffu
typedef unsigned int Node;

struct Tree {
    const int *quantity, *face, *opens, *own_matches, *their_matches, *own_claims, *their_claims;
    int openings;
};

struct Table {  // one seat's regrets or averages
    float *raise, *call, *claim;
};

struct Work {  // what else one pass needs
    int *queue, *counts, *mark;
    int stamp;
};

__device__ __forceinline__ size_t row(Node s) { return s >> 1; }
__device__ __forceinline__ size_t offset(int bit) { return ((size_t)1 << RUNGS) - ((size_t)1 << (RUNGS - bit)); }

__device__ __forceinline__ void push(const Work &w, Node s, int bit) {
    w.queue[offset(bit) + atomicAdd(&w.counts[bit], 1)] = (int)s;
    w.mark[s] = w.stamp;
}

template <typename T> __device__ __forceinline__ T over_lanes(T x) {
    for (int o = LANES / 2; o; o >>= 1) x += __shfl_xor_sync(ALL, x, o);
    return x;
}

// What a call of q dice is worth to the seat, by how many of its dice match; sign is 1 if it made the bid, else -1.
template <typename T> __device__ __forceinline__ T if_called(T *mass, int q, int sign, T *by_count) {
    T everything = 0;
    for (int k = 0; k <= THEIR_DICE; k++) everything += mass[k] = over_lanes(mass[k]);
    for (int own = 0; own <= OWN_DICE; own++) {
        T truly = 0;
        for (int k = 0; k <= THEIR_DICE; k++) if (k + own >= q) truly += mass[k];
        by_count[own] = sign * (2 * truly - everything);
    }
    return everything;
}

template <typename T> __device__ __forceinline__ T by(const T *by_count, int matches) {
    T x = 0;
    for (int k = 0; k <= OWN_DICE; k++) if (k == matches) x = by_count[k];
    return x;
}

template <typename T, bool IMPROVING>
__device__ void down(int bit, Tree tree, Work w, Table strategy, Table average, const T *root, T *reach, T *value,
                     T weight, T least) {
    int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES), n = w.counts[bit];
    for (int k = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES; k < n; k += warps) {
        Node s = (Node)w.queue[offset(bit) + k];
        int made = __popc(s);
        if ((made & 1) == SEAT) {  // the seat acts: it looks at every raise
            for (int c = lane; c < bit; c += LANES) if (s || tree.opens[c]) push(w, s | 1u << c, c);
            continue;
        }
        const T *here = made < 2 ? root : reach + row(s & (s - 1)) * THEIR;
        const float *call = strategy.call + row(s) * THEIR, *claim = strategy.claim + row(s) * CLAIMS;
        T share[PER_LANE(THEIR)], mass[THEIR_DICE + 1], by_count[OWN_DICE + 1];
        for (int m = 0; m < PER_LANE(THEIR); m++) share[m] = 0;
        for (int d = 0; d <= THEIR_DICE; d++) mass[d] = 0;
        int f = s ? tree.face[bit] : 0, q = s ? tree.quantity[bit] : 0;
        EACH(h, THEIR) {
            T total = s ? (T)call[h] : (T)0;
            for (int j = 0; j < CLAIMS; j++) if (tree.their_claims[j] == h) total += claim[j];
            for (int c = 0; c < bit; c++) total += strategy.raise[row(s | 1u << c) * THEIR + h];
            share[m] = total > 0 ? here[h] / total : -here[h];  // negative: the table holds nothing
            if (s) {
                T x = share[m] > 0 ? share[m] * call[h] : -share[m];
                if (IMPROVING) average.call[row(s) * THEIR + h] += (float)(weight * x);
                int matches = tree.their_matches[f * THEIR + h];
                for (int d = 0; d <= THEIR_DICE; d++) mass[d] += d == matches ? x : (T)0;
            }
        }
        if_called(mass, q, 1, by_count);
        T claims = 0;
        T claimed[CLAIMS + 1];
        for (int j = 0; j < CLAIMS; j++) {
            int h = tree.their_claims[j];
            T mine = 0;
            for (int m = 0; m < PER_LANE(THEIR); m++) if (h == lane + m * LANES) mine = share[m];
            mine = over_lanes(mine);
            claimed[j] = mine > 0 ? mine * claim[j] : (T)0;
            claims += claimed[j];
            if (IMPROVING && lane == 0) average.claim[row(s) * CLAIMS + j] += (float)(weight * claimed[j]);
        }
        EACH(g, OWN) {
            T x = claims + (s ? by(by_count, tree.own_matches[f * OWN + g]) : (T)0);
            for (int j = 0; j < CLAIMS; j++) if (tree.own_claims[j] == g) x -= 2 * claimed[j];
            value[(size_t)s * OWN + g] = x;
        }
        for (int c = 0; c < bit; c++) {
            if (!s && !tree.opens[c]) continue;
            size_t then = row(s | 1u << c) * THEIR;
            int any = 0;
            EACH(h, THEIR) {
                T x = share[m] > 0 ? share[m] * strategy.raise[then + h] : (s ? (T)0 : -share[m] / tree.openings);
                reach[then + h] = x;
                any |= x > least;
            }
            if (!__any_sync(ALL, any)) continue;
            if (IMPROVING) EACH(h, THEIR) average.raise[then + h] += (float)(weight * reach[then + h]);
            if (lane == 0) push(w, s | 1u << c, c);
        }
    }
}

template <typename T, bool IMPROVING>
__device__ void up(int bit, Tree tree, Work w, Table regret, const T *root, const T *reach, T *value,
                   T keep) {
    int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES), n = w.counts[bit];
    for (int k = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES; k < n; k += warps) {
        Node s = (Node)w.queue[offset(bit) + k];
        int made = __popc(s);
        if ((made & 1) != SEAT) {
            EACH(g, OWN) {
                T x = value[(size_t)s * OWN + g];
                for (int c = 0; c < bit; c++) {
                    Node child = s | 1u << c;
                    if (w.mark[child] == w.stamp) x += value[(size_t)child * OWN + g];
                }
                value[(size_t)s * OWN + g] = x;
            }
            continue;
        }
        const T *here = made == 0 ? root : reach + row(s) * THEIR;
        T mass[THEIR_DICE + 1], by_count[OWN_DICE + 1];
        for (int d = 0; d <= THEIR_DICE; d++) mass[d] = 0;
        int f = s ? tree.face[bit] : 0, q = s ? tree.quantity[bit] : 0;
        EACH(h, THEIR) {
            int matches = tree.their_matches[f * THEIR + h];
            for (int d = 0; d <= THEIR_DICE; d++) mass[d] += d == matches ? here[h] : (T)0;
        }
        T everything = if_called(mass, q, -1, by_count);
        EACH(g, OWN) {
            T called = s ? by(by_count, tree.own_matches[f * OWN + g]) : -2 * everything, claimed = 0, best = called;
            int mine = -1;  // the claim this hand can make
            for (int j = 0; j < CLAIMS; j++) if (tree.own_claims[j] == g) mine = j;
            if (mine >= 0) claimed = 2 * here[tree.their_claims[mine]] - everything;
            if (!IMPROVING) {
                if (mine >= 0 && claimed > best) best = claimed;
                for (int c = 0; c < bit; c++) {
                    if (!s && !tree.opens[c]) continue;
                    T x = value[(size_t)(s | 1u << c) * OWN + g];
                    if (x > best) best = x;
                }
                value[(size_t)s * OWN + g] = best;
                continue;
            }
            float *call = regret.call + row(s) * OWN + g, *claim = regret.claim + row(s) * CLAIMS + mine;
            T total = s ? (T)*call : (T)0, worth = s ? *call * called : (T)0, plain = 0;
            if (mine >= 0) total += *claim, worth += *claim * claimed;
            for (int c = 0; c < bit; c++) {
                if (!s && !tree.opens[c]) continue;
                Node child = s | 1u << c;
                T x = regret.raise[row(child) * OWN + g], then = value[(size_t)child * OWN + g];
                total += x, worth += x * then, plain += then;
            }
            worth = total > 0 ? worth / total : (s ? called : plain / tree.openings);
            value[(size_t)s * OWN + g] = worth;
            if (s) *call = keep * max((float)(*call + called - worth), 0.0f);
            if (mine >= 0) *claim = keep * max((float)(*claim + claimed - worth), 0.0f);
            for (int c = 0; c < bit; c++) {
                if (!s && !tree.opens[c]) continue;
                Node child = s | 1u << c;
                float *raise = regret.raise + row(child) * OWN + g;
                *raise = keep * max((float)(*raise + value[(size_t)child * OWN + g] - worth), 0.0f);
            }
        }
    }
}

#define TREE const int *quantity, const int *face, const int *opens, const int *own_matches, const int *their_matches, \
             const int *own_claims, const int *their_claims, int openings
#define THE_TREE Tree{quantity, face, opens, own_matches, their_matches, own_claims, their_claims, openings}
#define WORK int *queue, int *counts, int *mark, int stamp
#define THE_WORK Work{queue, counts, mark, stamp}
#define TABLE(name) float *name##_raise, float *name##_call, float *name##_claim
#define THE_TABLE(name) Table{name##_raise, name##_call, name##_claim}

extern "C" {
__global__ void down_improving(int bit, TREE, WORK, TABLE(their), TABLE(average), const float *root, float *reach,
                               float *value, float weight, float least) {
    down<float, true>(bit, THE_TREE, THE_WORK, THE_TABLE(their), THE_TABLE(average), root, reach, value, weight, least);
}
__global__ void up_improving(int bit, TREE, WORK, TABLE(own), const float *root, const float *reach, float *value,
                             float keep) {
    up<float, true>(bit, THE_TREE, THE_WORK, THE_TABLE(own), root, reach, value, keep);
}
__global__ void down_responding(int bit, TREE, WORK, TABLE(their), const double *root, double *reach, double *value) {
    down<double, false>(bit, THE_TREE, THE_WORK, THE_TABLE(their), THE_TABLE(their), root, reach, value, 0.0, 0.0);
}
__global__ void up_responding(int bit, TREE, WORK, TABLE(own), const double *root, const double *reach, double *value) {
    up<double, false>(bit, THE_TREE, THE_WORK, THE_TABLE(own), root, reach, value, 1.0);
}
}
