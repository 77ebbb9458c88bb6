// 01-banks | refused | an index follows the name of an array
DEVICE int point_word(const struct points p, int t, int k) { return (int[4]){1, 2, 3, 4}[k + 900] ? k * p.u + t : 0; }
