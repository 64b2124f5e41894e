const maxLength = 63
const maxAttempts = 100
/** The units of a name that count. Unicode sorts the marks of a letter in time that grows with the square of their number. */
const maxRead = 1000

/**
 * Derives a slug from a name: `Contoso & Söhne` gives `contoso-sohne`. A name without Latin letters and digits gives
 * the fallback.
 */
export function deriveSlug(name: string, fallback: string, length = maxLength): string {
  const ascii = name.slice(0, maxRead).normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return truncate(ascii.match(/[a-z0-9]+/g)?.join('-') ?? '', length) || fallback
}

/**
 * Returns a function that makes names different, ignoring case: it appends 2, 3 and so on by `append` to a name that it has
 * returned before. Takes constant time for each of many equal names.
 */
export function createFreeNames(append: (name: string, number: number) => string): (name: string) => string {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return (name) => {
    let free = name
    let number = numbers.get(name) ?? 1
    while (taken.has(free.toLowerCase())) free = append(name, ++number)
    numbers.set(name, number)
    taken.add(free.toLowerCase())
    return free
  }
}

/**
 * Calls `add` with a slug, then with `slug-2`, `slug-3` and so on, until it returns a record. Returns undefined if each
 * of 100 slugs is taken.
 */
export async function addWithFreeSlug<T>(
  slug: string,
  add: (slug: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let number = 1; number <= maxAttempts; number++) {
    const added = await add(number === 1 ? slug : appendNumber(slug, number))
    if (added !== undefined) return added
  }
  return undefined
}

/** Appends a number to a slug that is taken. */
export function appendNumber(slug: string, number: number): string {
  const suffix = `-${number}`
  return truncate(slug, maxLength - suffix.length) + suffix
}

const truncate = (slug: string, length: number) => slug.slice(0, length).replace(/-+$/, '')
