import { createOrg } from '@passport/contract/orgs'
import { writeRelationships } from '@passport/contract/permissions'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { check, createParser } from './parse.ts'

describe('an Idempotency-Key', () => {
  const parse = createParser(createOrg)
  const parseKey = async (key: string) => {
    const body = new TextEncoder().encode('{"name":"x"}')
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      'idempotency-key': key,
    }
    return parse({ path: createOrg.path, query: '', headers, readBody: async () => body.buffer })
  }
  const printable = fc.integer({ min: 32, max: 126 }).map((code) => String.fromCharCode(code))

  test('of 1 to 255 printable ASCII characters is accepted unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: printable, minLength: 1, maxLength: 255 }), async (key) => {
        expect((await parseKey(key)).idempotencyKey).toBe(key)
      }),
    )
  })

  test('that is empty, over 255 characters or not printable ASCII is rejected with 400 at its header', async () => {
    const other = fc.integer({ min: 0, max: 0xffff }).filter((code) => code < 32 || code > 126)
    const broken = fc
      .tuple(fc.string({ unit: printable, maxLength: 254 }), other, fc.nat(254))
      .map(([text, code, offset]) => text.slice(0, offset) + String.fromCharCode(code) + text.slice(offset))
    const long = fc.string({ unit: printable, minLength: 256, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(broken, long, fc.constant('')), async (key) => {
        await expect(parseKey(key)).rejects.toMatchObject({ status: 400, errors: [{ field: 'Idempotency-Key' }] })
      }),
    )
  })
})

describe('unstorable values', () => {
  /** Lists every nested value and key with its path and depth, in document order. */
  function listParts(value: unknown, field: string, depth: number): [string, unknown, number][] {
    const parts: [string, unknown, number][] = [[field, value, depth]]
    if (typeof value !== 'object' || value === null || depth > 64) return parts
    for (const [key, inner] of Object.entries(value)) {
      const isElement = Array.isArray(value)
      if (!isElement) parts.push([field, key, depth])
      parts.push(...listParts(inner, isElement ? `${field}[${key}]` : `${field}.${key}`, depth + 1))
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
    let nested = value
    for (let time = 0; time < times; time++) nested = time % 2 ? [nested] : { in: nested }
    return nested
  })

  test('are reported with their paths, in document order', () => {
    fc.assert(
      fc.property(wrapped, (value) => {
        const errors: { field: string; code: string; message: string }[] = []
        check(z.unknown(), value, errors, 'it')
        const expected = listParts(value, 'it', 1).flatMap(([field, part, depth]) => {
          if (typeof part === 'string')
            return /\0|\ud800(?![\udc00-\udfff])/.test(part) ? [`${field} invalid-text`] : []
          return depth > 64 ? ['it too-deep'] : []
        })
        expect(errors.map(({ field, code }) => `${field} ${code}`)).toEqual(expected.slice(0, 50))
      }),
    )
  })
})

describe('the response is below 20 KB for a body with', () => {
  const repeat = (error: string) => Array(5000).fill(error).join(',')

  test.for([
    ['many errors under one long key', `{"${'K'.repeat(50_000)}":[${repeat('"\\u0000"')}]}`],
    ['elements of the wrong type', `{"name":"x","domains":[${repeat('1')}]}`],
    ['unknown members', `{${Array.from({ length: 5000 }, (_, index) => `"${index}${'k'.repeat(10)}":1`)}}`],
    ['errors under nested keys', `${'{"kkkkkkkkkkkkkkkk":'.repeat(60)}[${repeat('"\\u0000"')}]${'}'.repeat(60)}`],
  ])('%s', async ([, text]) => {
    const body = new TextEncoder().encode(text)
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const problem = await createParser(createOrg)({
      path: createOrg.path,
      query: '',
      headers,
      readBody: async () => body.buffer,
    }).catch((problem) => problem)
    expect(problem).toMatchObject({ status: 400 })
    expect(problem.errors.length).toBeLessThanOrEqual(50)
    expect(
      JSON.stringify(problem.toBody('https://id.example', '/', { traceId: 'trace', requestId: '0af7651916cd' })).length,
    ).toBeLessThan(20_000)
  })
})

describe('a body with many values', () => {
  const parse = async (text: string) => {
    const body = new TextEncoder().encode(text)
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) }
    const before = process.threadCpuUsage()
    const problem = await createParser(writeRelationships)({
      path: writeRelationships.path,
      query: '',
      headers,
      readBody: async () => body.buffer,
    }).catch((problem) => problem)
    return { problem, cpuMs: process.threadCpuUsage(before).user / 1000 }
  }

  test.for([
    ['objects', `[${Array(1_000_000).fill('{}')}]`],
    ['nested arrays', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
  ] as const)('such as %s is rejected before it is parsed', async ([, text]) => {
    const { problem, cpuMs } = await parse(text)
    expect(problem).toMatchObject({
      status: 413,
      code: 'too-large',
      message: 'The body must have at most 200000 values.',
    })
    expect(cpuMs).toBeLessThan(100)
  })

  test('is not rejected for brackets and commas within strings', async () => {
    const { problem } = await parse(`{"updates":[],"unknown":"${',[{\\"'.repeat(100_000)}"}`)
    expect(problem).toMatchObject({ status: 400, errors: [{ code: 'unrecognized-keys' }] })
  })

  test('in too long an array is rejected before its elements are validated', async () => {
    const { problem, cpuMs } = await parse(`{"updates":[${Array(150_000).fill('1')}]}`)
    expect(problem).toMatchObject({
      status: 400,
      errors: [{ field: 'updates', code: 'too-big', message: 'Must have at most 5000 elements.' }],
    })
    expect(cpuMs).toBeLessThan(100)
  })
})
