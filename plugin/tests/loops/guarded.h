#define GUARDED(X) X(straight) X(some) X(divides) X(backwards) X(strided) X(gathers) X(scans) X(sums) X(invariant)
