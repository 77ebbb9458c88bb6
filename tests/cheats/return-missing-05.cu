// 05-merge | refused | does not compile: .*no return|does not compile: .*control reaches|does not compile: .*does not return
DEVICE int place(int n, int evens, bool odd, int i) { int word = odd ? n - 1 - i : i; }
