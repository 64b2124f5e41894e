import type { SigninError } from './errors.ts'
import type { Logger } from './settings.ts'
import type { User } from './user.ts'

/** The events of a client's user and the arguments of their listeners. */
export interface SigninEvents {
  /** A user signed in, or the tokens were renewed or revoked. */
  userLoaded: [user: User]
  /** The user was removed, here or in another tab. */
  userUnloaded: []
  /** The access token expires within `accessTokenExpiringNotificationTime`. */
  accessTokenExpiring: []
  accessTokenExpired: []
  /** An automatic renewal failed; the user is still there. */
  silentRenewError: [error: SigninError]
  /** A session began at the provider while no user was signed in here. */
  userSignedIn: []
  /** The session at the provider ended or changed to another user; the application decides about the local one. */
  userSignedOut: []
  /** The same user has a new session at the provider. */
  userSessionChanged: []
}

/** A function called on an event. */
export type Listener<Name extends keyof SigninEvents> = (...args: SigninEvents[Name]) => void

/** Dispatches events to listeners. */
export interface Emitter {
  /** Adds a listener; adding it twice calls it twice. Returns a function that removes it. */
  on: <Name extends keyof SigninEvents>(name: Name, listener: Listener<Name>) => () => void
  /**
   * Calls the listeners in order. An error thrown by a listener is reported as uncaught and does not stop the others.
   */
  emit: <Name extends keyof SigninEvents>(name: Name, ...args: SigninEvents[Name]) => void
}

/** Keeps the listeners in a list, in the order of registration. */
export function createEmitter({ info }: Pick<Logger, 'info'> = {}): Emitter {
  let listeners: { name: keyof SigninEvents; listener: unknown }[] = []
  return {
    on: (name, listener) => {
      const entry = { name, listener }
      listeners = [...listeners, entry]
      return () => {
        listeners = listeners.filter((other) => other !== entry)
      }
    },
    emit: (name, ...args) => {
      // Users have tokens, so only errors are logged.
      info?.(name, ...args.filter((value) => value instanceof Error))
      for (const entry of listeners) {
        if (entry.name !== name) continue
        try {
          ;(entry.listener as Listener<typeof name>)(...args)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}
