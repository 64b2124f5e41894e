const maxLength = 63

/** The slug that a name gives: `Contoso & Söhne` is `contoso-sohne`. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const joined = plain.match(/[a-z0-9]+/g)?.join('-') ?? ''
  return trimmed(joined, maxLength) || 'org'
}

/** The slug again with a number, for where it is taken. */
export const numbered = (slug: string, number: number): string => {
  const suffix = `-${number}`
  return trimmed(slug, maxLength - suffix.length) + suffix
}

const trimmed = (slug: string, length: number) => slug.slice(0, length).replace(/-+$/, '')
