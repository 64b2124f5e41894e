/*
 * Small choices that this browser remembers. Where storage is forbidden they hold until the page is left.
 */

const until = new Map<string, string>()

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return until.get(key) ?? null
  }
}

/** Remembers a choice; `null` forgets it. */
export function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    if (value === null) until.delete(key)
    else until.set(key, value)
  }
}
