import { expect, test } from 'vitest'
import { type Problem, problem } from './problem.ts'

const bodyOf = (problem: Problem) =>
  problem.toBody('https://id.example', '/', { traceId: 'trace', requestId: '0af7651916cd' })
const createErrors = (count: number, message: string) =>
  Array.from({ length: count }, (_, index) => ({ field: `members[${index}]`, code: 'not-found', message }))

const entry = { meaning: 'Some users do not exist.', remedy: 'Remove them.' }
const unknownUsers = problem(400, 'x', {
  ...entry,
  details: (errors: ReturnType<typeof createErrors>, detail?: string) => ({ errors, ...(detail && { detail }) }),
})

test('a problem truncates long texts', () => {
  const { detail, errors } = bodyOf(unknownUsers(createErrors(1, 'y'.repeat(100_000)), 'x'.repeat(100_000)))
  expect([detail?.length, errors?.[0]?.message.length]).toEqual([2001, 2001])
})

test('a problem omits errors so that its body stays below 64 KiB', () => {
  const body = bodyOf(unknownUsers(createErrors(20_000, 'User not found.')))
  expect(JSON.stringify(body).length).toBeLessThan(64 * 1024)
  expect(body.errors?.length).toBeGreaterThan(200)
  expect(body.detail).toBe('Some users do not exist. More errors are not listed.')
})

test('a problem with few errors lists all of them', () => {
  const errors = createErrors(200, 'User not found.')
  expect(bodyOf(unknownUsers(errors))).toMatchObject({ errors, detail: 'Some users do not exist.' })
})

test('a problem includes the remedy in `detail` only with `showRemedy`', () => {
  expect(bodyOf(problem(404, 'x', entry)())).toMatchObject({ detail: entry.meaning })
  const detail = 'Some users do not exist. Remove them.'
  expect(bodyOf(problem(409, 'x', { ...entry, showRemedy: true, field: 'users' })())).toMatchObject({
    detail,
    errors: [{ field: 'users', code: 'x', message: detail }],
  })
})

test('a problem with `retryAfterSeconds` has the header Retry-After', () => {
  expect(problem(503, 'x', { ...entry, retryAfterSeconds: 5 })().headers).toEqual({ 'Retry-After': '5' })
})

test("a problem's type is the URL of its code's page", () => {
  expect(bodyOf(problem(404, 'group-not-found', entry)()).type).toBe('https://id.example/problems/group-not-found')
})
