const table = 'key-pairs'

/** Persists a key pair across page loads; scripts cannot read its private key (RFC 9449, section 11.1). */
export interface KeyPairStore {
  load: () => Promise<CryptoKeyPair | undefined>
  save: (keyPair: CryptoKeyPair) => Promise<void>
  remove: () => Promise<void>
}

/** IndexedDB is the only browser storage that holds keys without exporting them. */
export function createKeyPairStore(name: string): KeyPairStore {
  const withStore = async <T>(mode: IDBTransactionMode, work: (keys: IDBObjectStore) => IDBRequest<T>): Promise<T> => {
    const openRequest = indexedDB.open('oidc.dpop')
    openRequest.onupgradeneeded = () => openRequest.result.createObjectStore(table)
    const database = await awaitRequest(openRequest)
    try {
      return await awaitRequest(work(database.transaction(table, mode).objectStore(table)))
    } finally {
      database.close()
    }
  }
  return {
    load: () => withStore('readonly', (keys) => keys.get(name)),
    save: async (keyPair) => void (await withStore('readwrite', (keys) => keys.put(keyPair, name))),
    remove: () => withStore('readwrite', (keys) => keys.delete(name)),
  }
}

const awaitRequest = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
