import * as audit from '../audit/store.ts'
import type { Services } from '../feature.ts'
import { createAddressFailureCounter } from '../http/counters.ts'
import { subscriberOf } from '../http/visit.ts'

/** Records a failed sign-in in the audit log. */
export type RecordFailedSignIn = (
  event: Omit<audit.AuditEvent, 'action' | 'visit'> & Required<Pick<audit.AuditEvent, 'visit'>>,
  options?: {
    /** Records the failure whatever its network address did before. */
    isAlways?: boolean
  },
) => Promise<void>

/** The maximum number of recorded failures per hour and network address. */
const maxRecordedFailures = 100

/**
 * Creates the function that records failed sign-ins. Anyone can make sign-ins fail and the audit log is append-only, so
 * only the first failures of a network address are recorded.
 */
export function createFailureRecorder({ sql, http }: Pick<Services, 'sql' | 'http'>): RecordFailedSignIn {
  const failures = createAddressFailureCounter(sql, {
    name: 'failed-sign-ins',
    maxFailures: maxRecordedFailures,
    lockSeconds: 3600,
    networkOf: subscriberOf,
  })
  return async (event, { isAlways = false } = {}) => {
    const { visit } = event
    if (!isAlways && !http.isLocal(visit) && (await failures.begin(visit.ip)) !== 0) return
    await audit.record(sql, { action: 'signin.failed', ...event })
  }
}
