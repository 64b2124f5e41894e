/** A definition: words of 3 to 64 characters, with prefixes before slashes; at most 128 in all. */
export function isTypeName(name: string): boolean {
  return name.length <= 128 && /^([a-z][a-z0-9_]{1,61}[a-z0-9]\/)*[a-z][a-z0-9_]{1,62}[a-z0-9]$/.test(name)
}

/** A relation or a permission, 3 to 64 characters. */
export function isRelationName(name: string): boolean {
  return /^[a-z][a-z0-9_]{1,62}[a-z0-9]$/.test(name)
}

/** A caveat, up to 128 characters. */
export function isCaveatName(name: string): boolean {
  return /^[a-zA-Z0-9_][a-zA-Z0-9/_|-]{0,127}$/.test(name)
}

/** An object, up to 1024 characters. `*` is none. */
export function isObjectId(id: string): boolean {
  return id.length <= 1024 && /^[a-zA-Z0-9/_|\-=+]+$/.test(id)
}
