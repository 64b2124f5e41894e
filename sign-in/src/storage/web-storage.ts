/** The subset of the browser's `Storage` used here; `sessionStorage` and `localStorage` satisfy it. */
export type WebStorage = Pick<Storage, 'length' | 'key' | 'getItem' | 'setItem' | 'removeItem'>

/** A storage that ends with the page, for applications that must not persist tokens. */
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

/** Opens a storage. If the browser forbids that, returns a storage that throws the browser's error on every use. */
export function openStorage(open: () => WebStorage): WebStorage {
  try {
    return open()
  } catch (error) {
    const refuse = () => {
      throw error
    }
    return new Proxy({} as WebStorage, { get: refuse })
  }
}

/** Returns all keys. `Object.keys` finds none in storages that are not plain objects. */
export const keysOf = (storage: WebStorage): string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
