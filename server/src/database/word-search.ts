/**
 * What people type in a search box as a query of words by their beginnings, for `search_words @@ to_tsquery('simple', …)`:
 * `Ana Bó` is `ana:* & bo:*`. Where they hold no word it is empty, and finds nothing.
 */
export function wordQuery(text: string): string {
  const words = plainText(text).match(/[\p{L}\p{N}]+/gu)
  return words?.map((word) => `${word}:*`).join(' & ') ?? ''
}

/** As the function `plain_text` of the database does it. */
const plainText = (text: string) =>
  text
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
