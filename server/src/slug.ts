const maxLength = 63
const maxAttempts = 100

/**
 * Derives a slug from a name: `Contoso & Söhne` gives `contoso-sohne`. A name without Latin letters and digits gives
 * the fallback.
 */
export function deriveSlug(name: string, fallback: string, length = maxLength): string {
  const ascii = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return truncate(ascii.match(/[a-z0-9]+/g)?.join('-') ?? '', length) || fallback
}

/** Derives a slug like `deriveSlug` that is not among `taken`, and adds it. */
export function deriveFreeSlug(name: string, fallback: string, taken: Set<string>): string {
  const derived = deriveSlug(name, fallback)
  let slug = derived
  for (let number = 2; taken.has(slug); number++) slug = appendNumber(derived, number)
  taken.add(slug)
  return slug
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
