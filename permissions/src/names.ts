/** What each of these is made of, for whoever gets one wrong. */
export const nameRules = {
  type: '3 to 64 of a to z, 0 to 9 and _, first a letter, at the end no _',
  relation: '3 to 64 of a to z, 0 to 9 and _, first a letter, at the end no _',
  caveat: 'up to 128 letters, digits and _',
  id: '1 to 1024 of A to Z, a to z, 0 to 9 and / _ | - = +',
} as const

/** A name as it may stand in a message, however long it is. */
export const quoted = (name: string): string => `\`${name.length > 64 ? `${name.slice(0, 64)}…` : name}\``

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
