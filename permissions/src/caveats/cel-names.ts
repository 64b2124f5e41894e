/** The operators and macros that run under our own names: the library tries seventeen overloads of `<` in a row. */
export const ownOperatorNames: Readonly<Record<string, string>> = {
  '_<_': '@less',
  '_<=_': '@less_equal',
  '_>_': '@greater',
  '_>=_': '@greater_equal',
  '_[_]': '@index',
}
