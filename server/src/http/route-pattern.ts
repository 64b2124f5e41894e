/** Converts a path of the contract to a router pattern: `{name}` becomes `:name`, and `{name...}` matches the rest. */
export const toRoutePattern = (path: string): string =>
  path.replace(/\{(\w+)\.\.\.\}/g, ':$1{.+}').replace(/\{(\w+)\}/g, ':$1')
