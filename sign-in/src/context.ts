import type { ClockCheck } from './protocol/clock-check.ts'
import type { Provider } from './protocol/provider.ts'
import type { CurrentUser } from './session/current-user.ts'
import type { Settings } from './settings.ts'
import type { StateStore } from './storage/state-store.ts'

/** What the flows of one client share. */
export interface Context {
  settings: Settings
  provider: Provider
  currentUser: CurrentUser
  states: StateStore
  checkClock: ClockCheck
}

/** Lets a call be given up: it then rejects with `aborted`, and changes nothing any more. */
export interface Abortable {
  signal?: AbortSignal
}
