import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { distanceBetween, networkOf, subscriberOf, visitReader } from './visit.ts'

const ask = (remoteAddress: string, headers: Record<string, string> = {}, trusted = ['10.0.0.0/8', '::1']) =>
  visitReader(trusted)({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)

test.for([
  ['a client that comes by itself', '203.0.113.9', {}, '203.0.113.9'],
  ['one that says it is another', '203.0.113.9', { 'x-forwarded-for': '1.2.3.4' }, '203.0.113.9'],
  ['one behind a trusted proxy', '10.1.2.3', { 'x-forwarded-for': '198.51.100.7' }, '198.51.100.7'],
  [
    'one behind two of them that says it is another',
    '10.1.2.3',
    { 'x-forwarded-for': '1.2.3.4, 198.51.100.7, 10.9.9.9' },
    '198.51.100.7',
  ],
  [
    'one that Forwarded tells of',
    '::1',
    { forwarded: 'for="[2001:db8::1]:4711";proto=https, for=10.0.0.2' },
    '2001:db8::1',
  ],
  ['one with a port', '10.0.0.1', { 'x-forwarded-for': '198.51.100.7:5544' }, '198.51.100.7'],
  ['nonsense from a trusted proxy', '10.0.0.1', { 'x-forwarded-for': 'unknown' }, '10.0.0.1'],
  ['an IPv4 address in IPv6 clothes', '::ffff:203.0.113.9', {}, '203.0.113.9'],
] as const)('%s', ([, remote, headers, expected]) => {
  expect(ask(remote, headers).ip).toBe(expected)
})

test('the host is the forwarded one only from a trusted proxy', () => {
  const headers = { host: 'internal:3000', 'x-forwarded-host': 'id.example' }
  expect(ask('10.0.0.1', headers).host).toBe('id.example')
  expect(ask('203.0.113.9', headers).host).toBe('internal:3000')
})

test('a trace id that is none is replaced', () => {
  expect(ask('10.0.0.1', { traceparent: 'nonsense' }).traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(ask('10.0.0.1', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }).traceId).not.toMatch(/^0+$/)
})

test.for([
  ['203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['nonsense', 'nonsense'],
] as const)('failures from %s count for %s', ([ip, network]) => {
  expect(networkOf(ip)).toBe(network)
})

test('a subscriber has an address of IPv4, and a whole network of IPv6', () => {
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
] as const)('%s and %s are %s, either way round', ([one, other, distance]) => {
  expect([distanceBetween(one, other), distanceBetween(other, one)]).toEqual([distance, distance])
})
