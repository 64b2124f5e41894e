import { ApiError } from '@passport/contract/call'
import { expect, test } from 'vitest'
import { findNameConflict } from './restore.ts'

const createError = (status: number, errors?: { field: string; code: string; message: string }[]) =>
  new ApiError(new Response(null, { status }), '/x', { code: 'x', traceId: 't', ...(errors && { errors }) })
const createConflict = (field: string) => [{ field, code: 'taken', message: 'Already taken.' }]

test.for([
  ['username', 'Username', true],
  ['email', 'Email', true],
  ['slug', 'Slug', false],
  ['name', 'Name', false],
] as const)('returns a taken %s as a conflict', ([field, label, isOptional]) => {
  expect(findNameConflict(createError(409, createConflict(field)))).toEqual({
    field,
    label,
    message: 'Already taken.',
    isOptional,
  })
})

test.for([
  ['a conflict without a name', createError(409)],
  ['a conflict about another field', createError(409, createConflict('orgId'))],
  ['another error', createError(400, createConflict('name'))],
  ['no response', new TypeError('fetch failed')],
] as const)('returns undefined for %s', ([, error]) => {
  expect(findNameConflict(error)).toBeUndefined()
})
