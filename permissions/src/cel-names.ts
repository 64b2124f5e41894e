/** The operators and macros that run under names of ours: the library tries seventeen kinds of `<` in a row. */
export const renamed: Readonly<Record<string, string>> = {
  '_<_': '@less',
  '_<=_': '@less_equal',
  '_>_': '@greater',
  '_>=_': '@greater_equal',
  '_[_]': '@index',
}
