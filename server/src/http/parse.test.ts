import { createOrg } from '@passport/contract/orgs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { check, parserOf } from './parse.ts'

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

describe('what nothing could keep', () => {
  /** Every part of a value with its place, in the order in which it is written. */
  function partsOf(value: unknown, field: string, depth: number): [string, unknown, number][] {
    const parts: [string, unknown, number][] = [[field, value, depth]]
    if (typeof value !== 'object' || value === null || depth > 64) return parts
    for (const [key, inner] of Object.entries(value)) {
      const isElement = Array.isArray(value)
      if (!isElement) parts.push([field, key, depth])
      parts.push(...partsOf(inner, isElement ? `${field}[${key}]` : `${field}.${key}`, depth + 1))
    }
    return parts
  }

  const text = fc.constantFrom('', 'a', 'b', '\0', 'x\ud800', '😀')
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.constantFrom(null, 1, true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(text, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const wrapped = fc.tuple(value, fc.constantFrom(0, 58, 62, 63, 64, 65, 70)).map(([value, times]) => {
    let whole = value
    for (let time = 0; time < times; time++) whole = time % 2 ? [whole] : { in: whole }
    return whole
  })

  test('is told with each place, in the order of the value', () => {
    fc.assert(
      fc.property(wrapped, (value) => {
        const found: { field: string; code: string; message: string }[] = []
        check(z.unknown(), value, found, 'it')
        const expected = partsOf(value, 'it', 1).flatMap(([field, part, depth]) => {
          if (typeof part === 'string')
            return /\0|\ud800(?![\udc00-\udfff])/.test(part) ? [`${field} invalid-text`] : []
          return depth > 64 ? ['it too-deep'] : []
        })
        expect(found.map(({ field, code }) => `${field} ${code}`)).toEqual(expected.slice(0, 50))
      }),
    )
  })
})

describe('the answer to a body with many faults', () => {
  const many = (fault: string) => Array(5000).fill(fault).join(',')

  test.for([
    ['a long key around each', `{"${'K'.repeat(50_000)}":[${many('"\\u0000"')}]}`],
    ['elements of the wrong type', `{"name":"x","domains":[${many('1')}]}`],
    ['unknown members', `{${Array.from({ length: 5000 }, (_, at) => `"${at}${'k'.repeat(10)}":1`)}}`],
    ['nested keys', `${'{"kkkkkkkkkkkkkkkk":'.repeat(60)}[${many('"\\u0000"')}]${'}'.repeat(60)}`],
  ])('is below 20 KB: %s', async ([, text]) => {
    const body = new TextEncoder().encode(text)
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const problem = await parserOf(createOrg)({
      path: createOrg.path,
      query: '',
      headers,
      readBody: async () => body.buffer,
    }).catch((problem) => problem)
    expect(problem).toMatchObject({ status: 400 })
    expect(problem.errors.length).toBeLessThanOrEqual(50)
    expect(JSON.stringify(problem.toBody('https://id.example', '/', 'trace')).length).toBeLessThan(20_000)
  })
})
