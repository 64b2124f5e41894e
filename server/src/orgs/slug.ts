const maxLength = 63

/** Derives a slug from a name: `Contoso & Söhne` gives `contoso-sohne`. */
export function deriveSlug(name: string): string {
  const ascii = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const slug = ascii.match(/[a-z0-9]+/g)?.join('-') ?? ''
  return truncate(slug, maxLength) || 'org'
}

/** Appends a number to a slug that is taken. */
export const appendNumber = (slug: string, number: number): string => {
  const suffix = `-${number}`
  return truncate(slug, maxLength - suffix.length) + suffix
}

const truncate = (slug: string, length: number) => slug.slice(0, length).replace(/-+$/, '')
