import { maxOffset } from '@passport/contract/page'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cursor, decodeCursor, encodeCursor, offsetOf, toPage } from './paging.ts'

const text = fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed() && !text.includes('\0'))

describe('a cursor', () => {
  test('round-trips any sort key', () => {
    fc.assert(
      fc.property(text, text, (key, id) => {
        expect(decodeCursor(encodeCursor([key, id]))).toEqual([key, id])
      }),
    )
  })

  test('that is forged is rejected with 400 cursor-invalid, or decodes to two strings', () => {
    const forged = [
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
      fc.constant(encodeCursor(['a\0', 'b'])),
    ]
    fc.assert(
      fc.property(fc.oneof(...forged), (after) => {
        const invalidCursor = expect.objectContaining({ status: 400, code: 'cursor-invalid' })
        try {
          expect(decodeCursor(after)?.map((part) => typeof part)).toEqual(['string', 'string'])
        } catch (error) {
          expect(error).toEqual(invalidCursor)
        }
      }),
    )
    expect(() => decodeCursor(encodeCursor(['a\0', 'b']))).toThrow('Invalid cursor.')
  })
})

describe('a page', () => {
  const rows = ['ada', 'bo', 'cy'].map((name) => ({ id: name.toUpperCase(), name }))
  const cursorOf = ({ name, id }: (typeof rows)[number]): Cursor => [name, id]
  const query = { limit: 2, page: 1, after: undefined, query: 'a&b' }

  test('has a `next` URL with the same query and a cursor after its last row', () => {
    const { next, ...rest } = toPage({ path: '/some', query, rows, count: 3, cursorOf })
    expect(rest).toEqual({ items: rows.slice(0, 2), page: 1, limit: 2, total: 3 })
    const url = new URL(next ?? '', 'http://localhost')
    expect(url.pathname).toBe('/some')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      limit: '2',
      page: '2',
      query: 'a&b',
      after: encodeCursor(['bo', 'BO']),
    })
  })

  test('has no `next` if it is the last', () => {
    expect(toPage({ path: '/some', query, rows: rows.slice(0, 2), count: 2, cursorOf }).next).toBeNull()
    expect(toPage({ path: '/some', query, rows: [], count: 0, cursorOf })).toMatchObject({ items: [], total: 0 })
  })

  test('has an exact total up to 1,000 and an estimate from 1,001 on', () => {
    const pageWith = (count: number) => toPage({ path: '/some', query, rows, count, cursorOf })
    expect(pageWith(1000)).toMatchObject({ total: 1000 })
    expect(pageWith(1000)).not.toHaveProperty('totalIsExact')
    expect(pageWith(1001)).toMatchObject({ total: 1001, totalIsExact: false })
  })

  test('has a total of at least its offset plus its rows', () => {
    const far = { ...query, limit: 2, page: 4000 }
    expect(toPage({ path: '/some', query: far, rows, count: 1500, cursorOf })).toMatchObject({
      total: 8001,
      totalIsExact: false,
    })
  })

  test('has the exact total if it is the last, reached by its number', () => {
    const last = toPage({
      path: '/some',
      query: { ...query, page: 700 },
      rows: rows.slice(0, 2),
      count: 9000,
      cursorOf,
    })
    expect(last).toMatchObject({ total: 1400, next: null })
    expect(last).not.toHaveProperty('totalIsExact')
  })

  test('keeps the estimate if it is reached by a cursor, regardless of its number', () => {
    const query = { limit: 2, page: 999_999_999, after: 'x' }
    const last = toPage({ path: '/some', query, rows: rows.slice(0, 2), count: 9000, cursorOf })
    expect(last).toMatchObject({ total: 9000, totalIsExact: false })
  })

  test('keeps the estimate if its number is beyond the last page', () => {
    const beyond = toPage({ path: '/some', query: { ...query, page: 900 }, rows: [], count: 1500, cursorOf })
    expect(beyond).toMatchObject({ items: [], total: 1500, totalIsExact: false, next: null })
  })

  test('has a number up to row 10,000; later pages need a cursor', () => {
    expect(offsetOf({ limit: 50, page: 3, after: undefined })).toBe(100)
    expect(offsetOf({ limit: 50, page: 300, after: 'x' })).toBe(0)
    expect(offsetOf({ limit: 50, page: 200, after: undefined })).toBe(maxOffset - 50)
    expect(() => offsetOf({ limit: 50, page: 201, after: undefined })).toThrow(/first 10000/)
  })
})
