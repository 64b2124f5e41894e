import { ApiError } from '@passport/contract/call'
import { expect, test } from 'vitest'
import { endingOf } from './endings.ts'

const refusal = (status: number, code: string, detail = 'Told so.') =>
  new ApiError(new Response(null, { status }), '', { code, detail, status, traceId: '0af7' })

test.for([
  [404, 'join-not-found', 'There is no such invitation'],
  [409, 'join-used', 'This invitation has been used up'],
  [410, 'join-expired', 'This invitation has expired'],
  [410, 'join-revoked', 'This invitation was withdrawn'],
  [403, 'wrong-email', 'This invitation is for someone else'],
  [403, 'wrong-domain', 'This invitation is for others'],
  [403, 'inviter-may-not', 'This invitation is no longer good'],
] as const)('%i %s says so: %s', ([status, code, title]) => {
  expect(endingOf(refusal(status, code))?.title).toBe(title)
})

test('which domains an invitation is for is told', () => {
  expect(endingOf(refusal(403, 'wrong-domain', 'It is for contoso.example.'))?.what).toBe('It is for contoso.example.')
})

test.for([refusal(500, 'internal'), refusal(429, 'too-many-requests'), new Error('no network'), null])(
  'what may go better next time is no end: %s',
  (error) => {
    expect(endingOf(error)).toBeUndefined()
  },
)
