import type { DPoPHandle } from 'oauth4webapi'
import { signinCallback, signoutCallback } from './callback.ts'
import type { Abortable, Context } from './context.ts'
import { createEmitter, type Emitter } from './events.ts'
import { createClockCheck } from './protocol/clock-check.ts'
import type { EndSessionResponse } from './protocol/end-session.ts'
import { createProvider } from './protocol/provider.ts'
import { renew, type SilentOptions } from './renewal.ts'
import { revokeTokens } from './revocation.ts'
import { type AutomaticRenewal, createAutomaticRenewal } from './session/automatic-renewal.ts'
import { createCurrentUser } from './session/current-user.ts'
import { createExpiry, type Expiry } from './session/expiry.ts'
import { monitorSession, type SessionStatus } from './session/monitor.ts'
import { onWake } from './session/wake.ts'
import { querySessionStatus } from './session-query.ts'
import { resolveSettings, type Settings, type SigninSettings } from './settings.ts'
import { shareCalls } from './share-calls.ts'
import { type RedirectOptions, type SigninOptions, signinPopup, signinRedirect } from './sign-in.ts'
import { type SignoutOptions, type SignoutRedirectOptions, signoutPopup, signoutRedirect } from './sign-out.ts'
import { isRedirect } from './storage/pending-state.ts'
import { createStateStore } from './storage/state-store.ts'
import { createUserStore } from './storage/user-store.ts'
import type { User } from './user.ts'

/** A client of an OpenID Connect provider that signs in and keeps the session. Every rejection is a `SigninError`. */
export interface SigninClient extends Pick<Emitter, 'on'> {
  readonly settings: Readonly<Settings>
  /** Redirects to the provider; the response arrives at `redirect_uri`, whose page calls `signinCallback`. */
  signinRedirect: (options?: RedirectOptions) => Promise<void>
  /** Signs in with a popup. Call it directly in a click handler, or the browser blocks it. */
  signinPopup: (options?: SigninOptions) => Promise<User>
  /**
   * Renews the tokens without interaction: with the refresh token, or else in a hidden frame. Concurrent calls share
   * the outcome. Resolves with null if the user was removed in between.
   */
  signinSilent: (options?: SilentOptions) => Promise<User | null>
  /**
   * Handles the response at every redirect URL. Resolves with the user after a redirect, and with undefined in popups
   * and frames, which only forward the response. Concurrent calls with one response share the outcome; a later one
   * rejects with `state_already_used`.
   */
  signinCallback: (address?: string, options?: Abortable) => Promise<User | undefined>
  /** Removes the user, then redirects to the provider to sign out there too. */
  signoutRedirect: (options?: SignoutRedirectOptions) => Promise<void>
  signoutPopup: (options?: SignoutOptions) => Promise<EndSessionResponse>
  /** Handles the response at `post_logout_redirect_uri`. */
  signoutCallback: (address?: string) => Promise<EndSessionResponse | undefined>
  /** Resolves with the stored user; emits no `userLoaded`. */
  getUser: () => Promise<User | null>
  /** Signs out here and in other tabs, but not at the provider. */
  removeUser: () => Promise<void>
  /** Revokes opaque access tokens and refresh tokens (RFC 7009), and stores the user without them. */
  revokeTokens: (options?: Abortable) => Promise<void>
  /** Queries the provider's session. Resolves with undefined if the provider reports none. */
  querySessionStatus: (options?: SigninOptions) => Promise<SessionStatus | undefined>
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

/** Creates a client for one authority and one client id. Throws `no_authority` and `unsupported_response_type`. */
export function createSigninClient(input: SigninSettings): SigninClient {
  const settings = resolveSettings({ logger: console, ...input })
  const events = createEmitter()
  const { expiry, context } = createContext(settings, events)
  const { currentUser, states, provider } = context
  const renewOnce = shareCalls(
    () => 'renewal',
    (options: SilentOptions) => renew(context, options),
  )
  const renewal = createAutomaticRenewal(events, currentUser.get, () => renewOnce({}))
  const query = (options: SigninOptions = {}) => querySessionStatus(context, options)
  const stop = isForwardingPage(context) ? () => {} : startBackgroundWork({ context, events, expiry, renewal, query })

  return {
    settings,
    on: events.on,
    signinRedirect: (options = {}) => signinRedirect(context, options),
    signinPopup: (options = {}) => signinPopup(context, options),
    signinSilent: (options = {}) => renewOnce(options),
    signinCallback: sharedCallback((address, options: Abortable) => signinCallback(context, address, options)),
    signoutRedirect: (options = {}) => signoutRedirect(context, options),
    signoutPopup: (options = {}) => signoutPopup(context, options),
    signoutCallback: sharedCallback((address) => signoutCallback(context, address)),
    getUser: async () => {
      const user = currentUser.get()
      if (user) expiry.watch(user)
      return user
    },
    removeUser: async () => currentUser.remove(),
    revokeTokens: (options = {}) => revokeTokens(context, options),
    querySessionStatus: query,
    clearStaleState: async () => states.sweep(),
    startSilentRenew: renewal.start,
    stopSilentRenew: renewal.stop,
    dpop: provider.dpop,
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
}

/** Starts the background work of a client; returns a function that stops it. */
function startBackgroundWork({
  context: { settings, currentUser, provider },
  events,
  expiry,
  renewal,
  query,
}: BackgroundWork): () => void {
  const user = currentUser.get()
  if (user) expiry.watch(user)
  if (settings.automaticSilentRenew) renewal.start()
  const monitored = { settings, events, query, user, metadata: provider.metadata }
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
  const { authority, client_id, staleStateAge, userStore = sessionStorage, stateStore = localStorage } = settings
  const name = `${authority}:${client_id}`
  const expiry = createExpiry(events, settings.accessTokenExpiringNotificationTime)
  const usedKey = `oidc.used:${name}`
  const states = createStateStore(stateStore, userStore, usedKey, staleStateAge)
  states.sweep()
  events.on('userUnloaded', () => userStore.removeItem(usedKey))
  const currentUser = createCurrentUser(createUserStore(userStore, authority, client_id), events, expiry, name)
  const provider = createProvider(settings)
  const context: Context = { settings, provider, currentUser, states, checkClock: createClockCheck(settings) }
  return { expiry, context }
}

/** Whether this page only forwards a response: it must not start background work. */
function isForwardingPage({ states }: Context): boolean {
  const id = states.findId(location.href)
  const state = id && states.peek(id)
  return Boolean(state && !isRedirect(state))
}

/** Frameworks that run effects twice call twice with one response. */
function sharedCallback<Result>(work: (address: string, options: Abortable) => Promise<Result>) {
  const share = shareCalls(
    ({ address }: { address: string }) => address,
    ({ address, options }: { address: string; options: Abortable }) => work(address, options),
  )
  return (address = location.href, options: Abortable = {}): Promise<Result> => share({ address, options })
}
