import type { DPoPHandle } from 'oauth4webapi'
import { signinCallback, signoutCallback } from './callback.ts'
import type { Abortable, Context } from './context.ts'
import { toSigninError } from './errors.ts'
import { createEmitter, type Emitter } from './events.ts'
import { createClockCheck } from './protocol/clock-check.ts'
import type { EndSessionResponse } from './protocol/end-session.ts'
import { createProvider } from './protocol/provider.ts'
import { renew, type SilentOptions } from './renewal.ts'
import { revokeTokens } from './revocation.ts'
import { type AutomaticRenewal, createAutomaticRenewal } from './session/automatic-renewal.ts'
import { createCurrentUser } from './session/current-user.ts'
import { createExpiry, type Expiry } from './session/expiry.ts'
import { type MonitoredSession, monitorSession, type SessionStatus } from './session/monitor.ts'
import { isBrowser, onWake } from './session/wake.ts'
import { querySessionStatus } from './session-query.ts'
import { resolveSettings, type Settings, type SigninSettings } from './settings.ts'
import { shareCalls } from './share-calls.ts'
import {
  type PopupOptions,
  type RedirectOptions,
  type SilentRequestOptions,
  signinPopup,
  signinRedirect,
} from './sign-in.ts'
import { type SignoutPopupOptions, type SignoutRedirectOptions, signoutPopup, signoutRedirect } from './sign-out.ts'
import { isRedirect } from './storage/pending-state.ts'
import { createStateStore } from './storage/state-store.ts'
import { createUserStore } from './storage/user-store.ts'
import { memoryStorage, openStorage, type WebStorage } from './storage/web-storage.ts'
import type { User } from './user.ts'

/** A client of an OpenID Connect provider that signs in and keeps the session. Every rejection is a `SigninError`. */
export interface SigninClient extends Pick<Emitter, 'on'> {
  readonly settings: Readonly<Settings>
  /** Redirects to the provider; the response arrives at `redirect_uri`, whose page calls `signinCallback`. */
  signinRedirect: (options?: RedirectOptions) => Promise<void>
  /** Signs in with a popup. Call it directly in a click handler, or the browser blocks it. */
  signinPopup: (options?: PopupOptions) => Promise<User>
  /**
   * Renews the tokens without interaction: with the refresh token, or else in a hidden frame. Concurrent calls share
   * the outcome if their options are the same. Resolves with null if the user was removed in between.
   */
  signinSilent: (options?: SilentOptions) => Promise<User | null>
  /**
   * Handles the response at every redirect URL. Resolves with the user after a redirect, and with undefined in popups
   * and frames, which only forward the response. Concurrent calls with one response share the outcome; a later one
   * rejects with `state_already_used`.
   */
  signinCallback: (url?: string, options?: Abortable) => Promise<User | undefined>
  /** Removes the user, then redirects to the provider to sign out there too. */
  signoutRedirect: (options?: SignoutRedirectOptions) => Promise<void>
  signoutPopup: (options?: SignoutPopupOptions) => Promise<EndSessionResponse>
  /** Handles the response at `post_logout_redirect_uri`. */
  signoutCallback: (url?: string) => Promise<EndSessionResponse | undefined>
  /** Resolves with the stored user; emits no `userLoaded`. */
  getUser: () => Promise<User | null>
  /** Signs out here and in other tabs, but not at the provider. */
  removeUser: () => Promise<void>
  /** Revokes opaque access tokens and refresh tokens (RFC 7009), and stores the user without them. */
  revokeTokens: (options?: Abortable) => Promise<void>
  /** Queries the provider's session. Resolves with undefined if the provider reports none. */
  querySessionStatus: (options?: SilentRequestOptions) => Promise<SessionStatus | undefined>
  /** Discards requests of at least `staleStateAge`; this also runs at startup and at every request. */
  clearStaleState: () => Promise<void>
  startSilentRenew: () => void
  stopSilentRenew: () => void
  /**
   * Creates proofs for the user's access token (RFC 9449, section 7), for `protectedResourceRequest` of `oauth4webapi`.
   * Undefined unless the setting `dpop` is on.
   */
  dpop: () => Promise<DPoPHandle | undefined>
  /** Stops timers, listeners and frames. The user stays stored. */
  close: () => void
}

/**
 * Creates a client for one authority and one client id. Throws `no_authority`, `no_client_id`,
 * `unsupported_response_type` and `unsupported_setting`. On a server it has no user and does nothing by itself.
 */
export function createSigninClient(input: SigninSettings): SigninClient {
  const settings = resolveSettings(input)
  const { logger } = settings
  const events = createEmitter(logger)
  const { expiry, confirmed, context } = createContext(settings, events)
  const { currentUser, states, provider } = context
  const renewOnce = shareCalls(
    (options) => JSON.stringify(options),
    (options: SilentOptions) => renew(context, options),
  )
  const renewal = createAutomaticRenewal(events, currentUser.get, () => renewOnce({}))
  const query = (options: SilentRequestOptions = {}) => querySessionStatus(context, options)
  let stop = () => {}
  try {
    states.sweep()
    const work = { context, events, expiry, renewal, query, confirmed }
    if (isBrowser() && !isForwardingPage(context)) stop = startBackgroundWork(work)
  } catch (error) {
    // Calls will be rejected; a page without a user must still work.
    logger.error?.('The storage of the browser cannot be used', error)
  }
  /** Logs failures, and turns those of the browser's storage into a `SigninError`. */
  const report =
    <Args extends unknown[], Result>(call: (...args: Args) => Result | Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await call(...args)
      } catch (cause) {
        const error = cause instanceof DOMException ? toSigninError(cause) : cause
        logger.info?.('A call failed', error)
        throw error
      }
    }

  return {
    settings,
    on: events.on,
    signinRedirect: report((options = {}) => signinRedirect(context, options)),
    signinPopup: report((options = {}) => signinPopup(context, options)),
    signinSilent: report((options = {}) => renewOnce(options)),
    signinCallback: report(sharedCallback((url, options) => signinCallback(context, url, options))),
    signoutRedirect: report((options = {}) => signoutRedirect(context, options)),
    signoutPopup: report((options = {}) => signoutPopup(context, options)),
    signoutCallback: report(sharedCallback((url) => signoutCallback(context, url))),
    getUser: report(() => {
      const user = currentUser.get()
      if (user) expiry.watch(user)
      return user
    }),
    removeUser: report(currentUser.remove),
    revokeTokens: report((options = {}) => revokeTokens(context, options)),
    querySessionStatus: report(query),
    clearStaleState: report(states.sweep),
    startSilentRenew: renewal.start,
    stopSilentRenew: renewal.stop,
    dpop: report(provider.dpop),
    close: () => {
      stop()
      renewal.stop()
      currentUser.close()
    },
  }
}

interface BackgroundWork {
  context: Context
  events: Emitter
  expiry: Expiry
  renewal: AutomaticRenewal
  query: () => Promise<SessionStatus | undefined>
  confirmed: MonitoredSession['confirmed']
}

/** Starts the background work of a client; returns a function that stops it. */
function startBackgroundWork({
  context: { settings, currentUser, provider },
  events,
  expiry,
  renewal,
  query,
  confirmed,
}: BackgroundWork): () => void {
  const user = currentUser.get()
  if (user) expiry.watch(user)
  if (settings.automaticSilentRenew) renewal.start()
  const monitored = { settings, events, query, user, confirmed, metadata: provider.metadata }
  const cleanups = [
    settings.monitorSession ? monitorSession(monitored) : () => {},
    events.on('userUnloaded', () => void provider.forgetKeyPair()),
    onWake(() => {
      expiry.check()
      renewal.wake()
    }),
  ]
  return () => {
    for (const cleanup of cleanups) cleanup()
  }
}

function createContext(settings: Settings, events: Emitter) {
  const { authority, client_id } = settings
  const storage = (own: WebStorage | undefined, usual: () => WebStorage) =>
    own ?? openStorage(isBrowser() ? usual : memoryStorage)
  const userStore = storage(settings.userStore, () => sessionStorage)
  const stateStore = storage(settings.stateStore, () => localStorage)
  const name = `${authority}:${client_id}`
  const expiry = createExpiry(events, settings.accessTokenExpiringNotificationTime)
  const usedKey = `oidc.used:${name}`
  const confirmedKey = `oidc.session:${name}`
  const confirmed = {
    read: () => userStore.getItem(confirmedKey),
    write: (sessionState: string) => userStore.setItem(confirmedKey, sessionState),
  }
  events.on('userUnloaded', () => {
    for (const key of [usedKey, confirmedKey]) userStore.removeItem(key)
  })
  const states = createStateStore(stateStore, userStore, usedKey, settings)
  const currentUser = createCurrentUser(createUserStore(userStore, authority, client_id), events, expiry, name)
  const provider = createProvider(settings)
  const context: Context = { settings, provider, currentUser, states, checkClock: createClockCheck(settings) }
  return { expiry, confirmed, context }
}

/** Reports whether this page only forwards a response: it must not start background work. */
function isForwardingPage({ states }: Context): boolean {
  const id = states.findId(location.href)
  const state = id && states.peek(id)
  return Boolean(state && !isRedirect(state))
}

/** Frameworks that run effects twice call twice with one response. */
function sharedCallback<Result>(work: (url: string, options: Abortable) => Promise<Result>) {
  const share = shareCalls(
    ({ url }: { url: string }) => url,
    ({ url, options }: { url: string; options: Abortable }) => work(url, options),
  )
  return (url = location.href, options: Abortable = {}): Promise<Result> => share({ url, options })
}
