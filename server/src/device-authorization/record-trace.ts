import type { TraceStepName } from '@passport/contract/sign-in-traces'
import type { Services } from '../feature.ts'
import { Problem } from '../http/problem.ts'
import type { Visit } from '../http/visit.ts'
import { Trace } from '../sign-in-traces/trace.ts'
import { normaliseUserCode } from './user-code.ts'

interface TracedCall {
  /** The code as the user typed it. */
  code: string
  userId: string
  visit: Visit
  step: TraceStepName
}

/** Runs a call of the approving user, and records it as a part of the device's sign-in. */
export async function recordDeviceTrace<T>(
  { traces }: Pick<Services, 'traces'>,
  { code, userId, visit, step }: TracedCall,
  run: (trace: Trace) => Promise<T>,
): Promise<T> {
  const trace = new Trace('device-approval', visit).link('device', normaliseUserCode(code)).about({ userId })
  trace.begin(step)
  try {
    const result = await run(trace)
    if (trace.reason === null) trace.pass(step)
    return result
  } catch (error) {
    if (error instanceof Problem) trace.fail(error.code, { message: error.message })
    throw error
  } finally {
    traces.record(trace)
  }
}
