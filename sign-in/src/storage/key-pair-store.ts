const table = 'key-pairs'

/** Keeps a key pair whose private half no script can read (RFC 9449, section 11.1) across page loads. */
export interface KeyPairStore {
  load: () => Promise<CryptoKeyPair | undefined>
  save: (keyPair: CryptoKeyPair) => Promise<void>
  remove: () => Promise<void>
}

/** IndexedDB is the one storage of browsers that takes keys without exporting them. */
export function createKeyPairStore(name: string): KeyPairStore {
  const use = async <T>(mode: IDBTransactionMode, work: (keys: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const opening = indexedDB.open('oidc.dpop')
    opening.onupgradeneeded = () => opening.result.createObjectStore(table)
    const database = await answerOf(opening)
    try {
      return await answerOf(work(database.transaction(table, mode).objectStore(table)))
    } finally {
      database.close()
    }
  }
  return {
    load: () => use('readonly', (keys) => keys.get(name)),
    save: async (keyPair) => void (await use('readwrite', (keys) => keys.put(keyPair, name))),
    remove: () => use('readwrite', (keys) => keys.delete(name)),
  }
}

const answerOf = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
