/** The cursor in the path of the page that follows. */
export const afterOf = (next: string): string | undefined =>
  new URLSearchParams(next.slice(next.indexOf('?'))).get('after') ?? undefined
