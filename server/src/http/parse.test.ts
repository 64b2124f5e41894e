import { createOrg } from '@passport/contract/orgs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parserOf } from './parse.ts'

describe('an Idempotency-Key', () => {
  const parse = parserOf(createOrg)
  const parsed = async (key: string) => {
    const body = new TextEncoder().encode('{"name":"x"}')
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'idempotency-key': key,
    }
    return parse({ path: createOrg.path, query: '', headers, readBody: async () => body.buffer })
  }
  const printable = fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code))

  test('of 1 to 255 printable characters of ASCII is taken as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: printable, minLength: 1, maxLength: 255 }), async (key) => {
        expect((await parsed(key)).idempotencyKey).toBe(key)
      }),
    )
  })

  test('of anything else is refused by its name', async () => {
    const other = fc.integer({ min: 0, max: 0xffff }).filter((code) => code < 32 || code > 126)
    const broken = fc
      .tuple(fc.string({ unit: printable, maxLength: 254 }), other, fc.nat(254))
      .map(([text, code, at]) => text.slice(0, at) + String.fromCharCode(code) + text.slice(at))
    const long = fc.string({ unit: printable, minLength: 256, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(broken, long, fc.constant('')), async (key) => {
        await expect(parsed(key)).rejects.toMatchObject({ status: 400, errors: [{ field: 'Idempotency-Key' }] })
      }),
    )
  })
})
