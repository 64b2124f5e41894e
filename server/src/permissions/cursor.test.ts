import { PermissionFault } from '@passport/permissions/fault'
import { expect, test } from 'vitest'
import { askForPage } from './cursor.ts'

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
] as const)('of who asks for %j the next page is asked for as %j, and the first as they say', async ([asked, then]) => {
  expect(await askForPage('page', asked, async (consistency) => consistency)).toEqual(then)
  expect(await askForPage(undefined, asked, async (consistency) => consistency)).toEqual(asked)
})

test('a moment that is no more is told of the cursor, and anything else as it is', async () => {
  const failing = (code: 'token-invalid' | 'not-caught-up') => () =>
    Promise.reject(new PermissionFault(code, 'No.', 'consistency.token'))
  await expect(askForPage('page', undefined, failing('token-invalid'))).rejects.toMatchObject({
    code: 'cursor-mismatch',
    field: 'cursor',
  })
  await expect(askForPage('page', undefined, failing('not-caught-up'))).rejects.toMatchObject({ code: 'not-caught-up' })
})
