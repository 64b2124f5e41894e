/* Small choices stored in this browser. With blocked storage they last until the page is left. */

const fallback = new Map<string, string>()

/** Returns a stored choice, or null. */
export function loadChoice(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return fallback.get(key) ?? null
  }
}

/** Stores a choice; `null` removes it. */
export function storeChoice(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {
    if (value === null) fallback.delete(key)
    else fallback.set(key, value)
  }
}
