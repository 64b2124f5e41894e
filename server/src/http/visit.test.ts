import type { IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVisitReader, estimateDistance, networkOf, type ProxyHeader, subscriberOf } from './visit.ts'

type Headers = Record<string, string>

const readVisit = (remoteAddress: string, headers: Headers = {}, header: ProxyHeader = 'x-forwarded-for') =>
  createVisitReader({ proxies: ['10.0.0.0/8', '::1'], header })({
    socket: { remoteAddress },
    headers,
  } as unknown as IncomingMessage)

const listed: [string, string, string][] = [
  ['an address', '198.51.100.7', '198.51.100.7'],
  ['an invented address before two proxies', '1.2.3.4, 198.51.100.7, 10.9.9.9', '198.51.100.7'],
  ['an address with a port', '198.51.100.7:5544', '198.51.100.7'],
  ['an IPv6 address', '2001:db8::1', '2001:db8::1'],
  ['an IPv6 address with a port', '[2001:DB8:0::1]:4711', '2001:db8::1'],
  ['an IPv6 address in brackets', '[2001:db8::1]', '2001:db8::1'],
  ['an IPv4 address mapped into IPv6', '::ffff:198.51.100.7', '198.51.100.7'],
  ['only trusted proxies', '10.1.1.1, 10.9.9.9', '10.1.1.1'],
  ['no address', 'unknown', '10.0.0.1'],
  ['no address after an invented one', '1.2.3.4, unknown', '10.0.0.1'],
  ['an empty entry after an invented one', '1.2.3.4, ', '10.0.0.1'],
  ['a number that is no dotted address', '1.2.3.4, 3405803785', '10.0.0.1'],
]
test.for(listed)('the client address is read from X-Forwarded-For with %s', ([, value, expected]) => {
  expect(readVisit('10.0.0.1', { 'x-forwarded-for': value }).ip).toBe(expected)
})

const forwarded: [string, string, string][] = [
  ['an address', 'for=198.51.100.7;proto=https;by=10.0.0.1', '198.51.100.7'],
  ['a name in capitals', 'proto=https; For="198.51.100.7:5544"', '198.51.100.7'],
  ['an invented address before two proxies', 'for=1.2.3.4, for=198.51.100.7, for=10.0.0.2', '198.51.100.7'],
  ['an IPv6 address with a port', 'for="[2001:db8::1]:4711";proto=https, for=10.0.0.2', '2001:db8::1'],
  ['a hidden address', 'for=1.2.3.4, for=_hidden', '10.0.0.1'],
  ['a hidden port', 'for=1.2.3.4, for="198.51.100.7:_port"', '10.0.0.1'],
  ['an unknown address', 'for=1.2.3.4, for=unknown', '10.0.0.1'],
  ['a hidden address behind a second proxy', 'for=1.2.3.4, for=_hidden, for=10.0.0.2', '10.0.0.2'],
  ['an element without an address', 'for=1.2.3.4, proto=https', '10.0.0.1'],
  ['two addresses in one element', 'for=1.2.3.4;for=198.51.100.7', '10.0.0.1'],
  ['a quote that never closes', 'for="1.2.3.4, for=198.51.100.7', '198.51.100.7'],
  ['an address inside another value', 'for=1.2.3.4, by="for=5.6.7.8"', '10.0.0.1'],
  ['an address inside an escaped host', 'for=198.51.100.7;host="x\\", for=\\"1.2.3.4"', '10.0.0.1'],
  ['a parameter whose name ends with for', 'xfor=1.2.3.4', '10.0.0.1'],
]
test.for(forwarded)('the client address is read from Forwarded with %s', ([, value, expected]) => {
  expect(readVisit('10.0.0.1', { forwarded: value }, 'forwarded').ip).toBe(expected)
})

test('the client address is read only from the configured header', () => {
  const headers = { forwarded: 'for=198.51.100.1', 'x-forwarded-for': '198.51.100.2' }
  expect(readVisit('10.0.0.1', headers, 'forwarded').ip).toBe('198.51.100.1')
  expect(readVisit('10.0.0.1', headers, 'x-forwarded-for').ip).toBe('198.51.100.2')
  expect(readVisit('10.0.0.1', { forwarded: 'for=198.51.100.1' }).ip).toBe('10.0.0.1')
})

test.for(['x-forwarded-for', 'forwarded'] as const)('a client that is not a trusted proxy cannot set %s', (header) => {
  expect(readVisit('203.0.113.9', { 'x-forwarded-for': '1.2.3.4', forwarded: 'for=1.2.3.4' }, header).ip).toBe(
    '203.0.113.9',
  )
  expect(readVisit('::ffff:203.0.113.9', {}, header).ip).toBe('203.0.113.9')
})

const clientText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'for=1.2:[]";,\\ _ay'), maxLength: 60 }),
  fc.string({ maxLength: 60 }),
  fc.ipV4().map((ip) => `for=${ip}`),
)
const address = fc.oneof(fc.ipV4(), fc.ipV6()).filter((ip) => !ip.startsWith('10.') && ip !== '::1')
const port = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined })

test('a client cannot change its address by entries before that of a proxy', () => {
  fc.assert(
    fc.property(fc.array(clientText, { maxLength: 4 }), address, port, (lines, ip, sent) => {
      const node = `${ip.includes(':') && sent ? `[${ip}]` : ip}${sent ? `:${sent}` : ''}`
      const expected = readVisit(ip).ip
      const append = (entry: string) => [...lines, entry].join(', ')
      expect(readVisit('10.0.0.1', { 'x-forwarded-for': append(node) }).ip).toBe(expected)
      const element = `for="${ip.includes(':') ? `[${ip}]` : ip}${sent ? `:${sent}` : ''}";proto=https`
      expect(readVisit('10.0.0.1', { forwarded: append(element) }, 'forwarded').ip).toBe(expected)
      const hidden = `${append('for=_hidden')}, for=10.0.0.2`
      expect(readVisit('10.0.0.1', { forwarded: hidden }, 'forwarded').ip).toBe('10.0.0.2')
    }),
  )
})

test('a header of 16 KB is read in linear time', () => {
  const used = process.cpuUsage()
  for (const part of ['for=10.0.0.1,', ';', '=', '"', ' ', 'for="', '10.0.0.1, ', '[', '1.1.1.1:'])
    for (const header of ['x-forwarded-for', 'forwarded'] as const)
      readVisit('10.0.0.1', { [header]: part.repeat(16_384 / part.length) }, header)
  const { user } = process.cpuUsage(used)
  expect(user / 1000).toBeLessThan(1_000)
})

test('the host is the forwarded one only from a trusted proxy', () => {
  const headers = { host: 'internal:3000', 'x-forwarded-host': 'id.example' }
  expect(readVisit('10.0.0.1', headers).host).toBe('id.example')
  expect(readVisit('203.0.113.9', headers).host).toBe('internal:3000')
})

test('the request id is drawn here, and is the trace id unless the caller sent one', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const [sent, own] = [readVisit('10.0.0.1', { traceparent }), readVisit('10.0.0.1')]
  expect(sent.traceId).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  expect(own.requestId).toBe(own.traceId)
  const ids = [sent, own, readVisit('10.0.0.1', { traceparent })].map(({ requestId }) => requestId)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/)
  expect(new Set([...ids, sent.traceId]).size).toBe(4)
})

test('an invalid trace id is replaced', () => {
  expect(readVisit('10.0.0.1', { traceparent: 'nonsense' }).traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(readVisit('10.0.0.1', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }).traceId).not.toMatch(/^0+$/)
})

test.for([
  ['203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['nonsense', 'nonsense'],
] as const)('the network of %s is %s', ([ip, network]) => {
  expect(networkOf(ip)).toBe(network)
})

test('a subscriber is an IPv4 address or an IPv6 /64', () => {
  expect(subscriberOf('203.0.113.77')).not.toBe(subscriberOf('203.0.113.78'))
  expect(subscriberOf('2001:db8:1:2::1')).toBe(subscriberOf('2001:db8:1:2:3:4:5:6'))
})

test.for([
  ['203.0.113.7', '203.0.113.200', 'same-network'],
  ['::ffff:203.0.113.7', '203.0.113.200', 'same-network'],
  ['203.0.113.7', '203.0.7.7', 'same-range'],
  ['203.0.113.7', '203.1.113.7', 'another-network'],
  ['2001:db8:1:2::1', '2001:db8:1:2:3::', 'same-network'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', 'same-range'],
  ['2001:db8:1:2::1', '2001:db9:1:2::1', 'another-network'],
  ['203.0.113.7', '2001:db8:1:2::1', 'not-comparable'],
  ['203.0.113.7', 'unknown', 'not-comparable'],
] as const)('%s and %s are %s, in either order', ([a, b, distance]) => {
  expect([estimateDistance(a, b), estimateDistance(b, a)]).toEqual([distance, distance])
})
