import type { Emitter } from '../events.ts'
import type { UserStore } from '../storage/user-store.ts'
import { readUser, type User, writeUser } from '../user.ts'
import type { Expiry } from './expiry.ts'
import { createTabs, type TabMessage } from './tabs.ts'

/** The signed-in user: keeps the store, expiry, events and other tabs in sync. */
export interface CurrentUser {
  /** Returns the stored user. */
  get: () => User | null
  /** Stores a user that was signed in, renewed or changed, and emits `userLoaded`. */
  accept: (user: User) => void
  /** Stores a user without an event. */
  save: (user: User) => void
  /** Like `accept`, after `refreshToken` was used; resolves once tabs with the same token have been notified. */
  acceptRenewed: (user: User, refreshToken: string) => Promise<void>
  /** Removes the user here, and in other tabs where the same user is signed in. */
  remove: () => void
  close: () => void
}

/** `name` identifies this client across tabs, which may share the store. */
export function createCurrentUser(store: UserStore, events: Emitter, expiry: Expiry, name: string): CurrentUser {
  /** Whether this tab has a user, as far as its application knows: another tab may have emptied the store. */
  let hasUser = false
  const get = () => {
    const user = store.load()
    hasUser ||= user !== null
    return user
  }
  const save = (user: User) => {
    store.save(user)
    hasUser = true
  }
  const accept = (user: User) => {
    save(user)
    expiry.watch(user)
    events.emit('userLoaded', user)
  }
  const removeLocally = () => {
    store.remove()
    hasUser = false
    expiry.cancel()
    events.emit('userUnloaded')
  }
  const adoptRenewed = (refreshToken: string, renewed: User | null) => {
    const { refresh_token } = store.load() ?? {}
    const isSame = refresh_token === refreshToken || refresh_token === renewed?.refresh_token
    if (renewed && refresh_token && isSame) accept(renewed)
  }
  const handleMessage = (message: TabMessage) => {
    if (message.kind === 'renewed') return adoptRenewed(message.refreshToken, readUser(message.user))
    const user = store.load()
    if (user ? user.profile.sub === message.sub : hasUser) removeLocally()
  }
  const tabs = createTabs(name, handleMessage)

  return {
    get,
    accept,
    save,
    acceptRenewed: (user, refreshToken) => {
      accept(user)
      return tabs.broadcast({ kind: 'renewed', refreshToken, user: writeUser(user) })
    },
    remove: () => {
      const sub = store.load()?.profile.sub
      removeLocally()
      if (sub) void tabs.broadcast({ kind: 'removed', sub })
    },
    close: () => {
      expiry.close()
      tabs.close()
    },
  }
}
