import { ApiError } from '@passport/contract/call'
import { expect, test } from 'vitest'
import { findFinalError } from './final-errors.ts'

const createError = (status: number, code: string, detail = 'A detail.') =>
  new ApiError(new Response(null, { status }), '', { code, detail, status, traceId: '0af7' })

test.for([
  [404, 'join-not-found', 'Invitation not found'],
  [409, 'join-used', 'This invitation has reached its limit'],
  [410, 'join-expired', 'This invitation has expired'],
  [410, 'join-revoked', 'This invitation was revoked'],
  [403, 'wrong-email', 'This invitation is for someone else'],
  [403, 'wrong-domain', 'This invitation is restricted'],
  [403, 'inviter-may-not', 'This invitation is no longer valid'],
] as const)('%i %s has the title “%s”', ([status, code, title]) => {
  expect(findFinalError(createError(status, code))?.title).toBe(title)
})

test('wrong-domain has the detail of the server, which names the domains', () => {
  expect(findFinalError(createError(403, 'wrong-domain', 'It is for contoso.example.'))?.detail).toBe(
    'It is for contoso.example.',
  )
})

test.for([createError(500, 'internal'), createError(429, 'too-many-requests'), new Error('no network'), null])(
  'returns undefined for a temporary failure: %s',
  (error) => {
    expect(findFinalError(error)).toBeUndefined()
  },
)
