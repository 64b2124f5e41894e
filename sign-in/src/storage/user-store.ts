import { readUser, type User, writeUser } from '../user.ts'
import type { WebStorage } from './web-storage.ts'

/** The store of the user of one authority and one client. */
export interface UserStore {
  load: () => User | null
  save: (user: User) => void
  remove: () => void
}

/** The key includes both, which separates the users of different providers. */
export function createUserStore(storage: WebStorage, authority: string, clientId: string): UserStore {
  const key = `oidc.user:${authority}:${clientId}`
  return {
    load: () => readUser(storage.getItem(key)),
    save: (user) => storage.setItem(key, writeUser(user)),
    remove: () => storage.removeItem(key),
  }
}
