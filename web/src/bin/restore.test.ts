import { ApiError } from '@passport/contract/call'
import { expect, test } from 'vitest'
import { takenOf } from './restore.ts'

const refused = (status: number, errors?: { field: string; code: string; message: string }[]) =>
  new ApiError(new Response(null, { status }), '/x', { code: 'x', traceId: 't', ...(errors && { errors }) })
const inTheWay = (field: string) => [{ field, code: 'taken', message: 'Someone has it.' }]

test.for([
  ['username', 'Username', true],
  ['email', 'E-mail', true],
  ['slug', 'Slug', false],
  ['name', 'Name', false],
] as const)('a taken %s may be another one', ([field, label, isOptional]) => {
  expect(takenOf(refused(409, inTheWay(field)))).toEqual({ field, label, message: 'Someone has it.', isOptional })
})

test.for([
  ['a conflict about nothing that has a name', refused(409)],
  ['a conflict about something else', refused(409, inTheWay('orgId'))],
  ['another refusal', refused(400, inTheWay('name'))],
  ['no answer', new TypeError('fetch failed')],
] as const)('%s is told as a failure', ([, error]) => {
  expect(takenOf(error)).toBeUndefined()
})
