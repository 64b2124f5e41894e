import type { SigninError } from './errors.ts'
import type { User } from './user.ts'

/** What happens to a client's user, and what its listeners are given. */
export interface SigninEvents {
  /** Somebody signed in, or the tokens were renewed or revoked. */
  userLoaded: [user: User]
  /** The user was removed, here or in another tab. */
  userUnloaded: []
  /** The access token expires within `accessTokenExpiringNotificationTime`. */
  accessTokenExpiring: []
  accessTokenExpired: []
  /** An automatic renewal failed; the user is still there. */
  silentRenewError: [error: SigninError]
  /** At the provider somebody signed in while nobody was signed in here. */
  userSignedIn: []
  /** The person signed out at the provider, or somebody else signed in; the user here is left to the application. */
  userSignedOut: []
  /** The same person has another session at the provider. */
  userSessionChanged: []
}

/** What is called when an event happens. */
export type Listener<Name extends keyof SigninEvents> = (...told: SigninEvents[Name]) => void

/** Tells listeners what happens. */
export interface Emitter {
  /** Adds a listener; one that is added twice is called twice. The answer removes it again. */
  on: <Name extends keyof SigninEvents>(name: Name, listener: Listener<Name>) => () => void
  /** Calls the listeners in order. One that throws is reported as an uncaught error and does not stop the others. */
  emit: <Name extends keyof SigninEvents>(name: Name, ...told: SigninEvents[Name]) => void
}

/** Its listeners are a list, in the order in which they were added. */
export function createEmitter(): Emitter {
  let added: { name: keyof SigninEvents; listener: unknown }[] = []
  return {
    on: (name, listener) => {
      const entry = { name, listener }
      added = [...added, entry]
      return () => {
        added = added.filter((other) => other !== entry)
      }
    },
    emit: (name, ...told) => {
      for (const entry of added) {
        if (entry.name !== name) continue
        try {
          ;(entry.listener as Listener<typeof name>)(...told)
        } catch (error) {
          reportError(error)
        }
      }
    },
  }
}
