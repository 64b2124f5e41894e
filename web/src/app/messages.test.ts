import { ApiError } from '@passport/contract/call'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { reportFailure } from './messages.ts'

const createError = (status: number) =>
  new ApiError(new Response(null, { status }), '/passport/x', {
    code: 'x',
    detail: `Status ${status}.`,
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    supportCode: '0AF7-6519',
  })

test('a failure of the server is reported with its support code', async () => {
  reportFailure('delete the group', createError(500))
  expect(await screen.findByText("Couldn't delete the group: Status 500. Support code 0AF7-6519")).toBeDefined()
})

test('a rejected request is reported without a support code', async () => {
  reportFailure('delete the role', createError(409))
  expect(await screen.findByText("Couldn't delete the role: Status 409.")).toBeDefined()
})
