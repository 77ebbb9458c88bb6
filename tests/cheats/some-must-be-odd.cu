// 05-merge | not yet | a division by zero
DEVICE int place(int n, int evens, bool odd, int i) { return odd ? n - 1 - i : i * (n - evens) / (n - evens); }
