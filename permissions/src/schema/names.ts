/** The syntax of each kind of name, as error messages describe it. */
export const nameRules = {
  type: '3 to 64 characters a to z, 0 to 9 and _, starting with a letter and not ending with _',
  relation: '3 to 64 characters a to z, 0 to 9 and _, starting with a letter and not ending with _',
  caveat: 'up to 128 letters, digits and _',
  id: '1 to 1024 characters A to Z, a to z, 0 to 9 and / _ | - = +',
} as const

/** Quotes and truncates a name for a message. */
export const quoteName = (name: string): string => `\`${name.length > 64 ? `${name.slice(0, 64)}…` : name}\``

/** Reports whether a type name is valid: a name of 3 to 64 characters, after prefixes with slashes, 128 in total. */
export function isTypeName(name: string): boolean {
  return name.length <= 128 && /^([a-z][a-z0-9_]{1,61}[a-z0-9]\/)*[a-z][a-z0-9_]{1,62}[a-z0-9]$/.test(name)
}

/** Reports whether the name of a relation or permission is valid: 3 to 64 characters. */
export function isRelationName(name: string): boolean {
  return /^[a-z][a-z0-9_]{1,62}[a-z0-9]$/.test(name)
}

/** Reports whether a caveat name is valid: up to 128 characters. */
export function isCaveatName(name: string): boolean {
  return /^[a-zA-Z0-9_][a-zA-Z0-9/_|-]{0,127}$/.test(name)
}

/** Reports whether an object id is valid: up to 1024 characters. `*` is not valid. */
export function isObjectId(id: string): boolean {
  return id.length <= 1024 && /^[a-zA-Z0-9/_|\-=+]+$/.test(id)
}
