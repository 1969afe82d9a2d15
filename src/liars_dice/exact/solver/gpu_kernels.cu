// The traversal of cfr_traversal.py for a GPU: level by level instead of depth first, one warp per node.
//
// A level holds the nodes after equally many bids, so the same player acts at all of them. Down from the root, each
// level makes the list of the next; up from the last, values come back. The rows of the pool are those of `Pool`.
// Compiled once for each seat: "own" is the seat that improves or responds, "their" is the other player. Given are
// OWN, THEIR (hands), OWN_DICE, THEIR_DICE, CLAIMS, EXACT (whether there are exact calls) and WIDTH (of a row).

#define PER_LANE(n) (((n) + LANES - 1) / LANES)
#define EACH(h, n) for (int m = 0, h = lane; m < PER_LANE(n); m++, h += LANES) if (h < (n))
#define EACH_NODE(k)                                                                       \
    int lane = threadIdx.x % LANES, warps = gridDim.x * (blockDim.x / LANES);              \
    for (int k = blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES; k < at.nodes; k += warps)
#define ALL 0xffffffffu
typedef unsigned long long Bits;

struct Tree {  // as in SeatView
    const int *quantity, *face, *opens, *own_matches, *their_matches, *own_claims, *their_claims;
    const double *worth;  // [whose call, kind, whether it is right]
    int openings;
};

struct Level {
    int nodes, at_root;
    const int *slot, *bit;
    const int *kids;  // the slot of the first raise, 0 if the node is not expanded
};

struct Raises {  // which nodes of the next level are raises of a node
    const int *start, *count;
};

struct Below {  // the next level
    int *slot, *bit, *parent;
};

__device__ __forceinline__ size_t row(int slot) { return (size_t)slot * WIDTH; }
__device__ __forceinline__ const double *worth_of(const Tree &tree, int theirs, int exact) {
    return tree.worth + 4 * theirs + 2 * exact;
}

template <typename T> __device__ __forceinline__ T over_lanes(T x) {
    for (int o = LANES / 2; o; o >>= 1) x += __shfl_xor_sync(ALL, x, o);
    return x;
}

template <typename T> __device__ __forceinline__ void add(T *mass, int matches, T x) {
    for (int d = 0; d <= THEIR_DICE; d++) mass[d] += d == matches ? x : (T)0;
}

// The sums of all lanes; returns the sum of them all.
template <typename T> __device__ __forceinline__ T gather(T *mass) {
    T everything = 0;
    for (int d = 0; d <= THEIR_DICE; d++) everything += mass[d] = over_lanes(mass[d]);
    return everything;
}

// What calls of a bid of q dice are worth to the seat, by how many of its own dice match; worth is [wrong, right].
template <typename T>
__device__ __forceinline__ void if_called(const T *mass, T everything, int q, const double *worth, T *by_count) {
    for (int own = 0; own <= OWN_DICE; own++) {
        T truly = 0;
        for (int d = 0; d <= THEIR_DICE; d++) if (d + own >= q) truly += mass[d];
        by_count[own] = (T)worth[0] * truly + (T)worth[1] * (everything - truly);
    }
}

template <typename T>
__device__ __forceinline__ void if_called_exact(const T *mass, T everything, int q, const double *worth, T *by_count) {
    for (int own = 0; own <= OWN_DICE; own++) {
        T hit = 0;
        for (int d = 0; d <= THEIR_DICE; d++) if (d + own == q) hit += mass[d];
        by_count[own] = (T)worth[0] * (everything - hit) + (T)worth[1] * hit;
    }
}

template <typename T> __device__ __forceinline__ T by(const T *by_count, int matches) {
    T x = 0;
    for (int k = 0; k <= OWN_DICE; k++) if (k == matches) x = by_count[k];
    return x;
}

// The other player acts. Divide its reach by what the table holds for each hand's actions (negative: it holds nothing),
// value its calls and claims, and find the raises it makes.
template <typename T, bool IMPROVING>
__device__ void answer(Tree tree, Level at, const int *parent, const T *reach, const float *table, float *average,
                       T weight, T least, T *share, T *value, Bits *raised, int *count) {
    EACH_NODE(k) {
        int u = at.slot[k], bit = at.bit[k], kids = at.kids[k], raises = kids ? bit : 0;
        const T *here = reach + (size_t)parent[k] * THEIR;
        size_t call = row(u) + OWN, claim = call + THEIR, exact = claim + CLAIMS;
        int f = at.at_root ? 0 : tree.face[bit], q = at.at_root ? 0 : tree.quantity[bit];
        T part[PER_LANE(THEIR)], mass[THEIR_DICE + 1], exact_mass[THEIR_DICE + 1];
        T by_count[OWN_DICE + 1], exact_by_count[OWN_DICE + 1], claimed[CLAIMS + 1];
        for (int m = 0; m < PER_LANE(THEIR); m++) part[m] = 0;
        for (int d = 0; d <= THEIR_DICE; d++) mass[d] = exact_mass[d] = 0;
        EACH(h, THEIR) {
            T total = at.at_root ? (T)0 : (T)table[call + h];
            for (int j = 0; j < CLAIMS; j++) if (tree.their_claims[j] == h) total += table[claim + j];
            if (EXACT && !at.at_root) total += table[exact + h];
            for (int c = 0; c < raises; c++) total += table[row(kids + c) + h];
            T x = part[m] = share[(size_t)k * THEIR + h] = total > 0 ? here[h] / total : -here[h];
            if (at.at_root) continue;
            T liar = x > 0 ? x * table[call + h] : -x;  // where nothing is known, it calls
            add(mass, tree.their_matches[f * THEIR + h], liar);
            if (IMPROVING) average[call + h] += (float)(weight * liar);
            if (EXACT && x > 0) {
                T hit = x * table[exact + h];
                add(exact_mass, tree.their_matches[f * THEIR + h], hit);
                if (IMPROVING) average[exact + h] += (float)(weight * hit);
            }
        }
        if_called(mass, gather(mass), q, worth_of(tree, 1, 0), by_count);
        if (EXACT) if_called_exact(exact_mass, gather(exact_mass), q, worth_of(tree, 1, 1), exact_by_count);
        T claims = 0;
        for (int j = 0; j < CLAIMS; j++) {
            T mine = 0;
            for (int m = 0; m < PER_LANE(THEIR); m++) if (tree.their_claims[j] == lane + m * LANES) mine = part[m];
            mine = over_lanes(mine);
            claims += claimed[j] = mine > 0 ? mine * table[claim + j] : (T)0;
            if (IMPROVING && lane == 0) average[claim + j] += (float)(weight * claimed[j]);
        }
        EACH(g, OWN) {
            T x = claims;
            for (int j = 0; j < CLAIMS; j++) if (tree.own_claims[j] == g) x -= 2 * claimed[j];
            if (!at.at_root) x += by(by_count, tree.own_matches[f * OWN + g]);
            if (EXACT && !at.at_root) x += by(exact_by_count, tree.own_matches[f * OWN + g]);
            value[(size_t)k * OWN + g] = x;
        }
        Bits which = 0;
        int many = 0;
        for (int c = 0; c < raises; c++) {
            if (at.at_root && !tree.opens[c]) continue;
            int any = 0;
            EACH(h, THEIR) {
                T x = part[m] > 0 ? part[m] * table[row(kids + c) + h] : at.at_root ? -part[m] / tree.openings : (T)0;
                any |= x > least;
            }
            if (__any_sync(ALL, any)) which |= (Bits)1 << c, many++;
        }
        if (lane == 0) raised[k] = which, count[k] = many;
    }
}

// The other player's raises: the next level with its reach there.
template <typename T, bool IMPROVING>
__device__ void follow(Tree tree, Level at, const int *start, const T *share, const Bits *raised, const float *table,
                       float *average, T weight, Below below, T *reach) {
    EACH_NODE(k) {
        int next = start[k];
        for (Bits left = raised[k]; left; left &= left - 1, next++) {
            int c = __ffsll((long long)left) - 1, child = at.kids[k] + c;
            if (lane == 0) below.slot[next] = child, below.bit[next] = c, below.parent[next] = k;
            EACH(h, THEIR) {
                T part = share[(size_t)k * THEIR + h];
                T x = part > 0 ? part * table[row(child) + h] : at.at_root ? -part / tree.openings : (T)0;
                reach[(size_t)next * THEIR + h] = x;
                if (IMPROVING) average[row(child) + h] += (float)(weight * x);
            }
        }
    }
}

// What the other player's node is worth to the seat: its calls and claims, and all of its raises.
template <typename T> __device__ void collect(Level at, Raises raises, const T *below, T *value) {
    EACH_NODE(k) {
        EACH(g, OWN) {
            T x = value[(size_t)k * OWN + g];
            for (int i = 0; i < raises.count[k]; i++) x += below[(size_t)(raises.start[k] + i) * OWN + g];
            value[(size_t)k * OWN + g] = x;
        }
    }
}

// The seat acts: what its calls and claims are worth with hand g.
template <typename T> struct Endings {
    T everything, by_count[OWN_DICE + 1], exact_by_count[OWN_DICE + 1];

    __device__ __forceinline__ void find(const Tree &tree, int f, int q, const T *reach, int lane) {
        T mass[THEIR_DICE + 1];
        for (int d = 0; d <= THEIR_DICE; d++) mass[d] = 0;
        EACH(h, THEIR) add(mass, tree.their_matches[f * THEIR + h], reach[h]);
        everything = gather(mass);
        if_called(mass, everything, q, worth_of(tree, 0, 0), by_count);
        if_called_exact(mass, everything, q, worth_of(tree, 0, 1), exact_by_count);
    }
};

__device__ __forceinline__ int claim_of(const Tree &tree, int g) {  // the claim this hand can make, or -1
    int mine = -1;
    for (int j = 0; j < CLAIMS; j++) if (tree.own_claims[j] == g) mine = j;
    return mine;
}

// The seat takes the best action everywhere. Where the pool has no raises, the other player calls all of them.
template <typename T>
__device__ void respond(Tree tree, Level at, Raises raises, const T *reach, const T *below, T *value) {
    EACH_NODE(k) {
        const T *here = reach + (size_t)k * THEIR;
        int bit = at.bit[k], f = at.at_root ? 0 : tree.face[bit], q = at.at_root ? 0 : tree.quantity[bit];
        Endings<T> ends;
        ends.find(tree, f, q, here, lane);
        EACH(g, OWN) {
            int matches = tree.own_matches[f * OWN + g], mine = claim_of(tree, g);
            T best = at.at_root ? -2 * ends.everything : by(ends.by_count, matches);
            if (EXACT && !at.at_root) best = max(best, by(ends.exact_by_count, matches));
            if (mine >= 0) best = max(best, 2 * here[tree.their_claims[mine]] - ends.everything);
            for (int i = 0; i < raises.count[k]; i++)
                best = max(best, below[(size_t)(raises.start[k] + i) * OWN + g]);
            value[(size_t)k * OWN + g] = best;
        }
        for (int c = 0; c < bit && at.kids[k] == 0; c++) {
            T mass[THEIR_DICE + 1], by_count[OWN_DICE + 1];
            for (int d = 0; d <= THEIR_DICE; d++) mass[d] = 0;
            EACH(h, THEIR) add(mass, tree.their_matches[tree.face[c] * THEIR + h], here[h]);
            if_called(mass, gather(mass), tree.quantity[c], worth_of(tree, 1, 0), by_count);
            EACH(g, OWN) {
                T *best = value + (size_t)k * OWN + g;
                *best = max(*best, by(by_count, tree.own_matches[tree.face[c] * OWN + g]));
            }
        }
    }
}

// Regret matching: what the present mix is worth with each hand, and how much better each action is.
__device__ void improve(Tree tree, Level at, Raises raises, const int *below_slot, const float *reach,
                        const float *below, float *regret, float keep, float *value) {
    EACH_NODE(k) {
        const float *here = reach + (size_t)k * THEIR;
        int bit = at.bit[k], f = at.at_root ? 0 : tree.face[bit], q = at.at_root ? 0 : tree.quantity[bit];
        int start = raises.start[k], count = raises.count[k];
        float *calls = regret + row(at.slot[k]) + THEIR, *claims = calls + OWN, *exacts = claims + CLAIMS;
        Endings<float> ends;
        ends.find(tree, f, q, here, lane);
        EACH(g, OWN) {
            int matches = tree.own_matches[f * OWN + g], mine = claim_of(tree, g);
            float called = by(ends.by_count, matches), exacted = by(ends.exact_by_count, matches);
            float claimed = mine >= 0 ? 2 * here[tree.their_claims[mine]] - ends.everything : 0;
            float total = 0, worth = 0, plain = 0;
            if (!at.at_root) total += calls[g], worth += calls[g] * called;
            if (EXACT && !at.at_root) total += exacts[g], worth += exacts[g] * exacted;
            if (mine >= 0) total += claims[mine], worth += claims[mine] * claimed;
            for (int j = start; j < start + count; j++) {
                float x = regret[row(below_slot[j]) + g], then = below[(size_t)j * OWN + g];
                total += x, worth += x * then, plain += then;
            }
            worth = total > 0 ? worth / total : at.at_root ? plain / tree.openings : called;
            value[(size_t)k * OWN + g] = worth;
            if (!at.at_root) calls[g] = keep * max(calls[g] + called - worth, 0.0f);
            if (EXACT && !at.at_root) exacts[g] = keep * max(exacts[g] + exacted - worth, 0.0f);
            if (mine >= 0) claims[mine] = keep * max(claims[mine] + claimed - worth, 0.0f);
            for (int j = start; j < start + count; j++) {
                float *raise = regret + row(below_slot[j]) + g;
                *raise = keep * max(*raise + below[(size_t)j * OWN + g] - worth, 0.0f);
            }
        }
    }
}

#define TREE const int *quantity, const int *face, const int *opens, const int *own_matches, const int *their_matches, \
             const int *own_claims, const int *their_claims, const double *worth, int openings
#define THE_TREE Tree{quantity, face, opens, own_matches, their_matches, own_claims, their_claims, worth, openings}
#define LEVEL int nodes, int at_root, const int *slot, const int *bit, const int *kids
#define THE_LEVEL Level{nodes, at_root, slot, bit, kids}
#define RAISES const int *start, const int *count
#define THE_RAISES Raises{start, count}
#define BELOW int *below_slot, int *below_bit, int *below_parent
#define THE_BELOW Below{below_slot, below_bit, below_parent}

extern "C" {
// The seat's raises, all that are allowed: the next level.
__global__ void raise_all(TREE, LEVEL, const int *start, BELOW) {
    Level at = THE_LEVEL;
    EACH_NODE(k) {
        for (int c = lane; c < bit[k] && kids[k]; c += LANES) {
            if (at_root && !opens[c]) continue;
            int next = start[k] + c;
            for (int b = 0; b < c && at_root; b++) next -= !opens[b];
            below_slot[next] = kids[k] + c, below_bit[next] = c, below_parent[next] = k;
        }
    }
}
__global__ void answer_improving(TREE, LEVEL, const int *parent, const float *reach, const float *table, float *average,
                                 float weight, float least, float *share, float *value, Bits *raised, int *raises) {
    answer<float, true>(THE_TREE, THE_LEVEL, parent, reach, table, average, weight, least, share, value, raised,
                        raises);
}
__global__ void answer_responding(TREE, LEVEL, const int *parent, const double *reach, const float *table,
                                  float *average, float, float, double *share, double *value, Bits *raised,
                                  int *raises) {
    answer<double, false>(THE_TREE, THE_LEVEL, parent, reach, table, average, 0.0, 0.0, share, value, raised, raises);
}
__global__ void follow_improving(TREE, LEVEL, const int *start, const float *share, const Bits *raised,
                                 const float *table, float *average, float weight, BELOW, float *reach) {
    follow<float, true>(THE_TREE, THE_LEVEL, start, share, raised, table, average, weight, THE_BELOW, reach);
}
__global__ void follow_responding(TREE, LEVEL, const int *start, const double *share, const Bits *raised,
                                  const float *table, float *average, float, BELOW, double *reach) {
    follow<double, false>(THE_TREE, THE_LEVEL, start, share, raised, table, average, 0.0, THE_BELOW, reach);
}
__global__ void collect_improving(LEVEL, RAISES, const float *below, float *value) {
    collect(THE_LEVEL, THE_RAISES, below, value);
}
__global__ void collect_responding(LEVEL, RAISES, const double *below, double *value) {
    collect(THE_LEVEL, THE_RAISES, below, value);
}
__global__ void improve_regrets(TREE, LEVEL, RAISES, const int *below_slot, const float *reach, const float *below,
                                float *regret, float keep, float *value) {
    improve(THE_TREE, THE_LEVEL, THE_RAISES, below_slot, reach, below, regret, keep, value);
}
__global__ void respond_best(TREE, LEVEL, RAISES, const double *reach, const double *below, double *value) {
    respond(THE_TREE, THE_LEVEL, THE_RAISES, reach, below, value);
}
}
