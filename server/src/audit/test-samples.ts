import type { Action } from '@passport/contract/audit'
import type { TestService, UserName } from '../test-service.ts'

/** A call of a write endpoint. */
export interface Sample {
  /** The caller; defaults to ada. */
  as?: UserName
  /** Creates the records to change, and returns the request. */
  request: (service: TestService) => Promise<Parts> | Parts
  /** The expected audit events, and which sides of the change they have. */
  events: [Action, 'before' | 'after' | 'both' | 'neither'][]
}
export interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}
