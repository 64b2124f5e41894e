import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endsWithShutdown } from './socket.ts'

/** Formats a message of the protocol. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const error = (severity: string, localized: string, code: string, detail = 'terminating connection') =>
  message('E', Buffer.from(`S${localized}\0V${severity}\0C${code}\0M${detail}\0Fpostgres.c\0L3\0\0`))
/** Texts in a database have no zero bytes. */
const row = fc
  .string({ unit: 'binary', maxLength: 300 })
  .map((text) => text.replaceAll('\0', ''))
  .map((text) => Buffer.concat([Buffer.from([0, 1]), uint32(Buffer.byteLength(text)), Buffer.from(text)]))
  .map((content) => message('D', content))
const ready = message('Z', Buffer.from('I'))

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32BE(value)
  return buffer
}

test('the end of a session by a shutdown is found behind any rows, in any language', () => {
  const property = fc.property(fc.array(row), fc.constantFrom('FATAL', 'FATALE', 'DÖDLIGT'), (rows, localized) => {
    expect(endsWithShutdown(Buffer.concat([...rows, error('FATAL', localized, '57P01')]))).toBe(true)
  })
  fc.assert(property)
})

test.for([
  ['another error', error('FATAL', 'FATAL', '57P02')],
  ['an error that the session survives', error('ERROR', 'ERROR', '57P01')],
  ['a warning', message('N', error('FATAL', 'FATAL', '57P01').subarray(5))],
  ['a message in front of others', Buffer.concat([error('FATAL', 'FATAL', '57P01'), ready])],
  ['a text with its words', message('D', Buffer.from('SFATALVFATALC57P01\0\0'))],
  ['a detail with its words', error('ERROR', 'ERROR', '22000', 'E SFATAL VFATAL C57P01')],
  ['nothing', Buffer.alloc(0)],
] as const)('%s is no end by a shutdown', ([, received]) => {
  expect(endsWithShutdown(received)).toBe(false)
})

test('no rows are taken for the end by a shutdown', () => {
  fc.assert(fc.property(fc.array(row), (rows) => !endsWithShutdown(Buffer.concat([...rows, ready]))))
})
