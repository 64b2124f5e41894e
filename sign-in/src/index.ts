export type { Abortable } from './context.ts'
export { SigninError, type SigninErrorCode } from './errors.ts'
export type { Listener, SigninEvents } from './events.ts'
export type { EndSessionResponse } from './protocol/end-session.ts'
export type { SilentOptions } from './renewal.ts'
export type { SessionStatus } from './session/monitor.ts'
export {
  defaults,
  type Logger,
  type LogLevel,
  type Metadata,
  type ResponseType,
  type Settings,
  type SigninSettings,
} from './settings.ts'
export type { PopupOptions, RedirectOptions, SigninOptions, SilentRequestOptions } from './sign-in.ts'
export { createSigninClient, type SigninClient } from './sign-in-client.ts'
export type { SignoutOptions, SignoutPopupOptions, SignoutRedirectOptions } from './sign-out.ts'
export { memoryStorage, type WebStorage } from './storage/web-storage.ts'
export { type Profile, User } from './user.ts'

/** The version of the older client with compatible behaviour: messages, markers, defaults and stored forms. */
export const Version = '1.11.5'
