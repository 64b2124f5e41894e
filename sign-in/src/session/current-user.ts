import type { Emitter } from '../events.ts'
import type { UserStore } from '../storage/user-store.ts'
import { readUser, type User, writeUser } from '../user.ts'
import type { Expiry } from './expiry.ts'
import { createTabs, type TabMessage } from './tabs.ts'

/** Who is signed in: keeps store, expiry, events and the other tabs in step. */
export interface CurrentUser {
  /** Whoever is stored. */
  get: () => User | null
  /** Stores a user that was signed in, renewed or changed, and says so. */
  accept: (user: User) => void
  /** Stores a user without saying so. */
  keep: (user: User) => void
  /** `accept`, for one that `refreshToken` was used for: tabs that hold the same token have been told when it resolves. */
  acceptRenewed: (user: User, refreshToken: string) => Promise<void>
  /** Removes the user here and in tabs where the same person is signed in. */
  remove: () => void
  close: () => void
}

/** `name` is what the tabs of this client have in common. */
export function createCurrentUser(store: UserStore, events: Emitter, expiry: Expiry, name: string): CurrentUser {
  let isClosed = false
  const accept = (user: User) => {
    store.save(user)
    if (!isClosed) expiry.watch(user)
    events.emit('userLoaded', user)
  }
  const drop = () => {
    store.remove()
    expiry.cancel()
    events.emit('userUnloaded')
  }
  const takeOver = (refreshToken: string, renewed: User | null) => {
    const { refresh_token } = store.load() ?? {}
    const isSame = refresh_token === refreshToken || refresh_token === renewed?.refresh_token
    if (renewed && refresh_token && isSame) accept(renewed)
  }
  const hear = (message: TabMessage) => {
    if (message.kind === 'renewed') takeOver(message.refreshToken, readUser(message.user))
    else if (store.load()?.profile.sub === message.sub) drop()
  }
  const tabs = createTabs(name, hear)

  return {
    get: store.load,
    accept,
    keep: store.save,
    acceptRenewed: (user, refreshToken) => {
      accept(user)
      return tabs.tell({ kind: 'renewed', refreshToken, user: writeUser(user) })
    },
    remove: () => {
      const sub = store.load()?.profile.sub
      drop()
      if (sub) void tabs.tell({ kind: 'removed', sub })
    },
    close: () => {
      isClosed = true
      expiry.cancel()
      tabs.close()
    },
  }
}
