/** Returns the cursor in the path of the next page. */
export const parseNextCursor = (next: string): string | undefined =>
  new URLSearchParams(next.slice(next.indexOf('?'))).get('after') ?? undefined
