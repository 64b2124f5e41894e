import type { AuthorizationServer } from 'oauth4webapi'
import { signinError } from './errors.ts'
import type { WebStorage } from './storage/web-storage.ts'

/** The provider's metadata (OpenID Connect Discovery 1.0, section 3; RFC 8414). */
export type Metadata = AuthorizationServer

/**
 * `code` is the authorization code flow with PKCE. `id_token` asks for nothing but an ID token in the fragment; it is
 * there for asking who is signed in. Access tokens in the address are not supported (RFC 9700, section 2.1.2).
 */
export type ResponseType = 'code' | 'id_token'

const table = {
  response_type: 'code' as ResponseType,
  scope: 'openid',
  /** Load the claims of the user-info endpoint into the profile. */
  loadUserInfo: true,
  /** Merge claims that are objects, instead of keeping both as a list. */
  mergeClaims: false,
  /** Renew when the access token is about to expire. */
  automaticSilentRenew: false,
  /** Refuse a silent sign-in of somebody else with `login_required`. */
  validateSubOnSilentRenew: false,
  /** Send the ID token as `id_token_hint` in silent requests. */
  includeIdTokenInSilentRenew: true,
  /** Watch the session at the provider while a user is signed in. */
  monitorSession: true,
  /** Watch it also while nobody is. */
  monitorAnonymousSession: false,
  /** Revoke the tokens before signing out. */
  revokeAccessTokenOnSignout: false,
  /** How the provider is told of a sign-out: by an address, or by a form that keeps the ID token out of addresses. */
  postLogout: 'redirect' as 'redirect' | 'form',
  /** Stop watching the session when the provider's frame answers `error`. */
  stopCheckSessionOnError: true,
  /** How long a hidden frame may take, ms. */
  silentRequestTimeout: 10_000,
  /** How long a call to the provider may take, ms. */
  requestTimeout: 10_000,
  /** How often it is looked whether a popup has been closed, ms. */
  popupCheckInterval: 500,
  popupWindowFeatures: 'location=no,toolbar=no,width=500,height=500,left=100,top=100;',
  popupWindowTarget: '_blank',
  /**
   * Whether the provider isolates its pages (COOP), so that a popup looks closed although it is not. It is then not looked
   * after: only an answer or the signal of the caller ends the wait.
   */
  popupIsolated: false,
  /** How long before its expiry an access token counts as expiring, s. */
  accessTokenExpiringNotificationTime: 60,
  /** How often the provider's session frame is asked, ms. */
  checkSessionInterval: 2000,
  /** After how long a request that got no answer is forgotten, s. */
  staleStateAge: 900,
  /** How far the clocks of provider and browser may be apart, s; more is warned about. */
  clockSkew: 300,
  /** Bind tokens to a key that cannot leave this browser (RFC 9449). */
  dpop: false,
}

/** What holds unless a setting says otherwise: the whole table. `ms` are milliseconds, `s` seconds. */
export const defaults: Readonly<typeof table> = Object.freeze(table)

/** The parameters of an authorization request that settings and single calls can both give (OpenID Connect Core, section 3.1.2.1). */
export interface RequestParameters {
  response_type?: ResponseType
  /** Where the answer is put: `query` for code, `fragment` for id_token, unless told. */
  response_mode?: 'query' | 'fragment'
  scope?: string
  prompt?: string
  display?: string
  /** s */
  max_age?: number
  ui_locales?: string
  acr_values?: string
  resource?: string
  /** Further parameters of the authorization and end-session requests. */
  extraQueryParams?: Record<string, string>
  /** Further parameters of token requests. */
  extraTokenParams?: Record<string, string>
}

/** What a client is made with. All but these three have a default or are optional. */
export interface SigninSettings extends RequestParameters, Partial<Omit<typeof defaults, 'response_type' | 'scope'>> {
  /** The provider's issuer identifier; its metadata is found below it. */
  authority: string
  client_id: string
  redirect_uri?: string
  popup_redirect_uri?: string
  silent_redirect_uri?: string
  post_logout_redirect_uri?: string
  popup_post_logout_redirect_uri?: string
  /** What a session query asks for; otherwise `id_token` where that is the `response_type`, and `code` where it is not. */
  query_status_response_type?: ResponseType
  /** Where the metadata is, if not at the usual place below `authority`. */
  metadataUrl?: string
  /** The metadata itself; then none is fetched. */
  metadata?: Metadata
  /** What to add to the fetched metadata where that says nothing. */
  metadataSeed?: Partial<Metadata>
  /** Where the user is kept; `sessionStorage` unless told. */
  userStore?: WebStorage
  /** Where requests wait for their answer; `localStorage` unless told, because popups must see it too. */
  stateStore?: WebStorage
  /** Where warnings go; the console unless told. */
  logger?: Pick<Console, 'warn'>
}

/** Settings with every default filled in. */
export type Settings = typeof defaults &
  Omit<SigninSettings, keyof typeof defaults> & { query_status_response_type: ResponseType }

/** Fills in the defaults. Throws `no_authority` and `unsupported_response_type`. */
export function resolveSettings(given: SigninSettings): Settings {
  const settings = { ...defaults, ...toldIn(given) } as Settings
  settings.query_status_response_type ??= settings.response_type
  if (!settings.authority && !settings.metadataUrl) throw signinError('no_authority')
  checkResponseType(settings.response_type)
  checkResponseType(settings.query_status_response_type)
  return settings
}

/** Without what is undefined, which must not hide what holds otherwise. */
export const toldIn = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>

/** Throws `unsupported_response_type` for what types cannot keep out. */
export function checkResponseType(responseType: string): void {
  if (responseType !== 'code' && responseType !== 'id_token') throw signinError('unsupported_response_type')
}
