import type { IDToken } from 'openid-client'
import type { Trace } from '../sign-in-traces/trace.ts'
import { listCauses } from './failure.ts'

/** The order in which the protocol library checks an ID token; its signature is last. */
const checked = ['exp', 'iss', 'aud', 'auth_time', 'nonce', 'signature'] as const

const formatTime = (value: unknown) =>
  typeof value === 'number' && Math.abs(value) < 1e11 ? new Date(value * 1000).toISOString() : undefined

/** Returns what a trace shows of a claim. A nonce is the secret of an attempt. */
function format(claim: string, claims: Record<string, unknown>): string | undefined {
  const value = claims[claim]
  if (claim === 'iss') return typeof value === 'string' ? value : undefined
  if (claim === 'aud') return [value].flat().map(String).slice(0, 5).join(', ')
  if (claim === 'exp' || claim === 'auth_time') return formatTime(value)
  return claim === 'nonce' ? 'as sent' : undefined
}

/** Adds the checks of a verified ID token. */
export function traceClaims(trace: Trace, claims: IDToken): void {
  for (const claim of checked)
    if (claim === 'signature') trace.pass('claim-checked', { claim })
    else if (claims[claim] !== undefined) trace.pass('claim-checked', { claim, received: format(claim, claims) })
}

/** Adds the checks of a rejected ID token: the passed ones, and the failed one with both values. */
export function traceFailedClaim(trace: Trace, error: unknown): void {
  const causes = listCauses(error)
  const isSignature = causes.some(({ message }) => /signature|verification key/i.test(message ?? ''))
  const failed = isSignature ? 'signature' : causes.find(({ claim }) => claim !== undefined)?.claim
  const claims = causes.find(({ claims }) => typeof claims === 'object')?.claims
  if (failed === undefined) return
  trace.pass('code-redeemed')
  for (const claim of checked.slice(0, Math.max(0, checked.indexOf(failed as 'exp'))))
    if (claims?.[claim] !== undefined) trace.pass('claim-checked', { claim, received: format(claim, claims) })
  const expected = formatExpected(failed, causes.find(({ expected }) => expected !== undefined)?.expected)
  const received = failed === 'nonce' ? 'another' : claims && format(failed, claims)
  trace.reject('claim-checked', { claim: failed, expected, received })
}

function formatExpected(claim: string, value: unknown): string | undefined {
  if (claim === 'exp') return `after ${new Date().toISOString()}`
  if (claim === 'nonce') return 'as sent'
  return typeof value === 'string' ? value : undefined
}
