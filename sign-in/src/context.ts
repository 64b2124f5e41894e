import type { ClockCheck } from './protocol/clock-check.ts'
import type { Provider } from './protocol/provider.ts'
import type { CurrentUser } from './session/current-user.ts'
import type { Settings } from './settings.ts'
import type { StateStore } from './storage/state-store.ts'

/** State shared by the flows of one client. */
export interface Context {
  settings: Settings
  provider: Provider
  currentUser: CurrentUser
  states: StateStore
  checkClock: ClockCheck
}

/** The option of an abortable call. When `signal` aborts, the call rejects with `aborted` and has no further effect. */
export interface Abortable {
  signal?: AbortSignal
}
