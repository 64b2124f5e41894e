/** A path of the contract in the router's words: `{name}` is `:name`, and `{name...}` takes what is left. */
export const routePattern = (path: string): string =>
  path.replace(/\{(\w+)\.\.\.\}/g, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1')
