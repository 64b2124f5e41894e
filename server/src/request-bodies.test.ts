import { endpoints } from '@passport/contract/api'
import type { Endpoint } from '@passport/contract/endpoint'
import { describe, expect, test } from 'vitest'
import { createParser } from './http/parse.ts'
import type { Problem } from './http/problem.ts'

const bodies = [...endpoints].flatMap(([name, endpoint]) =>
  endpoint.body?.type === 'application/json' ? [{ name, endpoint, kind: endpoint.body.kind }] : [],
)

/** Parses a body as the server does; returns its errors as `field code`. */
async function listErrors(endpoint: Endpoint, body: unknown): Promise<string[]> {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  const headers = {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'idempotency-key': 'key',
  }
  const path = endpoint.path.replace(/\{\w+(\.\.\.)?\}/g, 'terms')
  const parsing = createParser(endpoint)({ path, query: '', headers, readBody: async () => bytes.buffer })
  const problem = await parsing.then(
    () => undefined,
    (problem: Problem) => problem,
  )
  return (problem?.errors ?? []).map(({ field, code }) => `${field} ${code}`)
}

describe('an unknown member', () => {
  test.for(bodies)('of the $kind $name is refused only in an action', async ({ endpoint, kind }) => {
    const errors = await listErrors(endpoint, { unknownMember: 1 })
    expect(errors.includes('body unrecognized-keys')).toBe(kind === 'action')
  })
})
