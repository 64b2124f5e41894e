/** The part of the browser's `Storage` that is used here; `sessionStorage` and `localStorage` are such. */
export type WebStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/** A storage that is gone with the page, for those who do not want tokens to outlive it. */
export function memoryStorage(): WebStorage {
  const entries = new Map<string, string>()
  return {
    get length() {
      return entries.size
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  }
}

/** All keys. Not `Object.keys`, which finds nothing in storages that are no plain objects. */
export const keysOf = (storage: WebStorage): string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
