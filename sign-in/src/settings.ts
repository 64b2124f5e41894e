import type { JWK } from 'jose'
import type { AuthorizationServer } from 'oauth4webapi'
import { SigninError, signinError } from './errors.ts'
import type { WebStorage } from './storage/web-storage.ts'

/** The provider's metadata (OpenID Connect Discovery 1.0, section 3; RFC 8414). */
export type Metadata = AuthorizationServer

/**
 * `code` is the authorization code flow with PKCE. `id_token` requests only an ID token in the fragment, for session
 * queries. Access tokens in the URL are not supported (RFC 9700, section 2.1.2).
 */
export type ResponseType = 'code' | 'id_token'

/** The log level: logs the messages of a level and of those before it. */
export type LogLevel = 'none' | 'error' | 'warn' | 'info' | 'debug'

/** Receives the messages of a client; missing methods discard theirs. */
export type Logger = { [Level in Exclude<LogLevel, 'none'>]?: (...data: unknown[]) => void }

const table = {
  response_type: 'code' as ResponseType,
  scope: 'openid',
  /** Loads the claims of the user-info endpoint into the profile. */
  loadUserInfo: true,
  /** Omits the claims that only protect the ID token, such as `exp` and `nonce`, from the profile. */
  filterProtocolClaims: true,
  /** Merges object claims instead of keeping both in a list. */
  mergeClaims: false,
  /** Renews when the access token is about to expire. */
  automaticSilentRenew: false,
  /** Rejects a silent sign-in of another user with `login_required`. */
  validateSubOnSilentRenew: false,
  /** Sends the ID token as `id_token_hint` in silent requests. */
  includeIdTokenInSilentRenew: true,
  /** Watches the provider's session while a user is signed in. */
  monitorSession: true,
  /** Watches the session without a signed-in user too. */
  monitorAnonymousSession: false,
  /** Revokes the tokens before signing out. */
  revokeAccessTokenOnSignout: false,
  /** Sends a sign-out by redirect, or by a form that keeps the ID token out of URLs. */
  postLogout: 'redirect' as 'redirect' | 'form',
  /** Stops watching the session when the provider's frame responds with `error`. */
  stopCheckSessionOnError: true,
  /** The timeout of a hidden frame, ms. */
  silentRequestTimeout: 10_000,
  /** The timeout of a call to the provider, ms. */
  requestTimeout: 10_000,
  /** The interval of the check for a closed popup, ms. */
  popupCheckInterval: 500,
  popupWindowFeatures: 'location=no,toolbar=no,width=500,height=500,left=100,top=100;',
  popupWindowTarget: '_blank',
  /**
   * Whether the provider isolates its pages (COOP), which makes an open popup look closed. It is then not polled: only
   * a response or the caller's signal ends the wait.
   */
  popupIsolated: false,
  /** The lead time of `accessTokenExpiring`, s. */
  accessTokenExpiringNotificationTime: 60,
  /** The interval of the checks with the provider's session frame, ms. */
  checkSessionInterval: 2000,
  /** The age at which a request without a response is discarded, s. */
  staleStateAge: 900,
  /** The tolerated difference between the clocks of provider and browser, s; a larger one causes a warning. */
  clockSkew: 300,
  /** Binds tokens to a key that cannot leave this browser (RFC 9449). */
  dpop: false,
  /** `info` logs events and failed calls, `debug` also the requests, without tokens. */
  logLevel: 'warn' as LogLevel,
}

/** The default of every setting. `ms` are milliseconds, `s` seconds. */
export const defaults: Readonly<typeof table> = Object.freeze(table)

/** Authorization request parameters, set in the settings or per call (OpenID Connect Core, section 3.1.2.1). */
export interface RequestParameters {
  response_type?: ResponseType
  /** Where the response is placed; by default `query` for code and `fragment` for id_token. */
  response_mode?: 'query' | 'fragment'
  scope?: string
  prompt?: string
  display?: string
  /** s */
  max_age?: number
  ui_locales?: string
  acr_values?: string
  resource?: string
  /** Additional parameters of the authorization and end-session requests; those of a call replace the settings'. */
  extraQueryParams?: Record<string, string>
  /** Additional parameters of the code exchange; a renewal sends only those of its own call. */
  extraTokenParams?: Record<string, string>
}

/** The settings of a client. Only `authority` and `client_id` are required. */
export interface SigninSettings extends RequestParameters, Partial<Omit<typeof defaults, 'response_type' | 'scope'>> {
  /** The provider's issuer identifier, which is also the base of its metadata URL, or the metadata URL itself. */
  authority: string
  client_id: string
  redirect_uri?: string
  popup_redirect_uri?: string
  silent_redirect_uri?: string
  post_logout_redirect_uri?: string
  popup_post_logout_redirect_uri?: string
  /** The response type of a session query; by default `id_token` if that is the `response_type`, otherwise `code`. */
  query_status_response_type?: ResponseType
  /** The URL of the metadata, if not at the usual place below `authority`. */
  metadataUrl?: string
  /** The metadata itself, instead of a request. */
  metadata?: Metadata
  /** Values for fields missing in the fetched metadata. */
  metadataSeed?: Partial<Metadata>
  /** The provider's keys, instead of a request to its `jwks_uri`. */
  signingKeys?: JWK[]
  /** Sends every request to the provider; the browser's `fetch` by default. */
  // biome-ignore lint/suspicious/noExplicitAny: `oauth4webapi` types the body in its own way
  fetch?: (url: string, init: { [Name in keyof RequestInit]: any }) => Promise<Response>
  /** Additional headers of every request to the provider, which has to allow them (CORS). */
  headers?: Record<string, string>
  /** The store of the user; `sessionStorage` by default. */
  userStore?: WebStorage
  /** The store of pending requests; `localStorage` by default, because popups must read it. */
  stateStore?: WebStorage
  /** The console by default. */
  logger?: Logger
}

/** Settings with every default filled in. */
export type Settings = typeof defaults &
  Omit<SigninSettings, keyof typeof defaults> & { query_status_response_type: ResponseType; logger: Logger }

/**
 * Fills in the defaults. Throws `no_authority`, `no_client_id`, `unsupported_response_type` and `unsupported_setting`.
 */
export function resolveSettings(input: SigninSettings): Settings {
  refuseUnsupported(input)
  const settings = { ...defaults, ...omitEmpty(input) } as Settings
  settings.query_status_response_type ??= settings.response_type
  if (!settings.authority && !settings.metadataUrl) throw signinError('no_authority')
  if (!settings.client_id) throw signinError('no_client_id')
  settings.logger = filterLogger(settings)
  checkResponseType(settings.response_type)
  checkResponseType(settings.query_status_response_type)
  return settings
}

/** Omits undefined values and empty strings, which would hide defaults or be sent. */
export const omitEmpty = <T extends object>(values: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== '')) as T

/** Settings of `oidc-client` that would have to change what is sent or accepted. */
const unsupported = [
  'client_secret',
  'client_authentication',
  'clockService',
  'userInfoJwtIssuer',
  'ResponseValidatorCtor',
  'MetadataServiceCtor',
  'redirectNavigator',
  'popupNavigator',
  'iframeNavigator',
]

/** Ignoring such a setting could weaken an application that is moved from `oidc-client`. */
function refuseUnsupported(input: SigninSettings): void {
  const stores = (['userStore', 'stateStore'] as const).filter((name) => input[name] && !input[name].getItem)
  const name = [...unsupported.filter((setting) => setting in omitEmpty(input)), ...stores][0]
  if (name) throw new SigninError(`The setting ${name} is not supported`, { code: 'unsupported_setting' })
}

const levels: LogLevel[] = ['none', 'error', 'warn', 'info', 'debug']

/** Keeps the methods up to the configured level. */
const filterLogger = ({ logger = console, logLevel }: Pick<Settings, 'logLevel'> & { logger?: Logger }): Logger =>
  Object.fromEntries(
    levels
      .slice(1, levels.indexOf(logLevel) + 1)
      .map((level) => [level, (...data: unknown[]) => logger[level as keyof Logger]?.(...data)]),
  )

/** Throws `unsupported_response_type` for values that the type checker cannot exclude. */
export function checkResponseType(responseType: string): void {
  if (responseType !== 'code' && responseType !== 'id_token') throw signinError('unsupported_response_type')
}
