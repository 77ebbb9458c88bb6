// 14-bcf-sort | refused | 'bool': the elements of shared arrays are numbers
DEVICE void scan_color(CONTEXT, SHARED_PTR(int) sums, int w, int c)
{
    SHARED_PTR(bool) all = (SHARED_PTR(bool))(sums);
    all[5] = true;
}
