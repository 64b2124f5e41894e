import type { Action } from '@passport/contract/audit'
import type { TestService, Who } from '../test-service.ts'

/** A call of an endpoint that changes something. */
export interface Sample {
  /** Who asks; ada, where it does not say. */
  as?: Who
  /** Makes what is to be changed, and says what to send. */
  sends: (service: TestService) => Promise<Parts> | Parts
  /** What the call leaves, and which sides of the change it tells. */
  leaves: [Action, 'before' | 'after' | 'both' | 'neither'][]
}
export interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}
