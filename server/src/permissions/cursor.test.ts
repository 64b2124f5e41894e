import { PermissionError } from '@passport/permissions'
import { expect, test } from 'vitest'
import { evaluatePage } from './cursor.ts'

test.for([
  [undefined, { kind: 'atLeastAsFresh', token: 'page' }],
  [{ kind: 'minimizeLatency' }, { kind: 'atLeastAsFresh', token: 'page' }],
  [
    { kind: 'atLeastAsFresh', token: 'before' },
    { kind: 'atLeastAsFresh', token: 'page' },
  ],
  [{ kind: 'fullyConsistent' }, { kind: 'fullyConsistent' }],
  [
    { kind: 'atExactSnapshot', token: 'then' },
    { kind: 'atExactSnapshot', token: 'then' },
  ],
] as const)(
  'with %j, later pages use %j, and the first page uses the request as it is',
  async ([requested, expected]) => {
    expect(await evaluatePage('page', requested, async (consistency) => consistency)).toEqual(expected)
    expect(await evaluatePage(undefined, requested, async (consistency) => consistency)).toEqual(requested)
  },
)

test('reports an invalid token as an invalid cursor, and other errors unchanged', async () => {
  const failing = (code: 'token-invalid' | 'not-caught-up') => () =>
    Promise.reject(new PermissionError(code, 'No.', 'consistency.token'))
  await expect(evaluatePage('page', undefined, failing('token-invalid'))).rejects.toMatchObject({
    code: 'cursor-mismatch',
    field: 'cursor',
  })
  await expect(evaluatePage('page', undefined, failing('not-caught-up'))).rejects.toMatchObject({
    code: 'not-caught-up',
  })
})
