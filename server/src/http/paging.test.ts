import { maxCounted } from '@passport/contract/page'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cursor, decodeCursor, encodeCursor, offsetOf, pageOf } from './paging.ts'

const text = fc.string({ unit: 'grapheme' }).filter((some) => some.isWellFormed() && !some.includes('\0'))

describe('a cursor', () => {
  test('comes back as it went, whatever the sort key holds', () => {
    fc.assert(
      fc.property(text, text, (key, id) => {
        expect(decodeCursor(encodeCursor([key, id]))).toEqual([key, id])
      }),
    )
  })

  test('that no page has sent is refused by name, and never trusted', () => {
    const forged = [
      fc.string(),
      fc.json().map((some) => Buffer.from(some).toString('base64url')),
      fc.constant(encodeCursor(['a\0', 'b'])),
    ]
    fc.assert(
      fc.property(fc.oneof(...forged), (after) => {
        const refused = expect.objectContaining({ status: 400, code: 'cursor-invalid' })
        try {
          expect(decodeCursor(after)?.map((part) => typeof part)).toEqual(['string', 'string'])
        } catch (error) {
          expect(error).toEqual(refused)
        }
      }),
    )
    expect(() => decodeCursor(encodeCursor(['a\0', 'b']))).toThrow('No page of this list ends there.')
  })
})

describe('a page', () => {
  const rows = ['ada', 'bo', 'cy'].map((name) => ({ id: name.toUpperCase(), name }))
  const cursorOf = ({ name, id }: (typeof rows)[number]): Cursor => [name, id]
  const query = { limit: 2, page: 1, after: undefined, query: 'a&b' }

  test('leads on with what was asked, from after its last row', () => {
    const { next, ...rest } = pageOf({ path: '/some', query, rows, counted: 3, cursorOf })
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

  test('that is the last leads nowhere', () => {
    expect(pageOf({ path: '/some', query, rows: rows.slice(0, 2), counted: 2, cursorOf }).next).toBeNull()
    expect(pageOf({ path: '/some', query, rows: [], counted: 0, cursorOf })).toMatchObject({ items: [], total: 0 })
  })

  test('of more than is counted says so', () => {
    const told = pageOf({ path: '/some', query, rows, counted: maxCounted + 1, cursorOf })
    expect(told).toMatchObject({ total: maxCounted, totalIsExact: false })
  })

  test('has a number as far as is counted, and beyond only a cursor', () => {
    expect(offsetOf({ limit: 50, page: 3, after: undefined })).toBe(100)
    expect(offsetOf({ limit: 50, page: 300, after: 'x' })).toBe(0)
    expect(() => offsetOf({ limit: 50, page: 201, after: undefined })).toThrow(/first 10000/)
  })
})
