import { expect, test } from 'vitest'
import { Problem } from './problem.ts'

const bodyOf = (problem: Problem) => problem.toBody('https://id.example', '/', 'trace')
const faults = (count: number, message: string) =>
  Array.from({ length: count }, (_, index) => ({ field: `members[${index}]`, code: 'not-found', message }))

test('truncates long texts', () => {
  const { detail, errors } = bodyOf(
    new Problem(404, 'x', 'x'.repeat(100_000), { errors: faults(1, 'y'.repeat(100_000)) }),
  )
  expect([detail?.length, errors?.[0]?.message.length]).toEqual([2001, 2001])
})

test('has as many errors as fit into 64 KB', () => {
  const body = bodyOf(new Problem(400, 'x', 'Some users do not exist.', { errors: faults(20_000, 'User not found.') }))
  expect(JSON.stringify(body).length).toBeLessThan(64 * 1024)
  expect(body.errors?.length).toBeGreaterThan(200)
  expect(body.detail).toBe('Some users do not exist. More errors are not listed.')
})

test('leaves a short list of errors unchanged', () => {
  const errors = faults(200, 'User not found.')
  expect(bodyOf(new Problem(400, 'x', 'Some users do not exist.', { errors }))).toMatchObject({
    errors,
    detail: 'Some users do not exist.',
  })
})
