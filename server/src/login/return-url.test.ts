import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseReturnUrl, toLandingUrl } from './return-url.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

test.for([
  ['/app/', '/app/'],
  ['/app', '/app'],
  ['/app?x=1', '/app?x=1'],
  ['/app#x', '/app#x'],
  ['/app/admin/users?q=a#b', '/app/admin/users?q=a#b'],
  ['/app/x?next=https://ok.example', '/app/x?next=https://ok.example'],
  ['/', '/app/'],
  ['/appevil', '/app/'],
  ['/login', '/app/'],
  ['/xyz//evil.example', '/app/'],
  ['/app//evil.example', '/app/'],
  ['/app/\\evil.example', '/app/'],
  ['/app/\n/evil.example', '/app/'],
  ['/app/../connect/endsession', '/app/'],
  ['/app/%2e%2e/connect/endsession', '/app/'],
  ['/abcjavascript:alert(1)', '/app/'],
  ['//evil.example', '/app/'],
  ['/\\evil.example', '/app/'],
  ['https://evil.example/app/', '/app/'],
  ['javascript:alert(1)', '/app/'],
  ['', '/app/'],
  [null, '/app/'],
] as const)('%j leads to %s', ([value, expected]) => {
  expect(parseReturnUrl(value)).toBe(expected)
})

test('a URL too long for a cookie leads to the home page', () => {
  const longest = `/app/?q=${'x'.repeat(1492)}`
  expect(parseReturnUrl(longest)).toBe(longest)
  expect(parseReturnUrl(`${longest}x`)).toBe('/app/')
  expect(parseReturnUrl(`/app/?q=${'語'.repeat(500)}`)).toBe('/app/')
})

const pieces = [
  '/app',
  '/app/',
  '/',
  '//',
  '\\',
  '..',
  '.',
  '%2e',
  '%2f',
  '%5c',
  ':',
  '@',
  '?',
  '#',
  'evil.example',
  'https:',
  'javascript:',
  '\t',
  '\n',
  '\r',
  '\0',
  ' ',
  '\u00a0',
  '\u2028',
  '\ud800',
  '😀',
  'x',
  '=',
  '&',
  ';',
]
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(''))
const near = fc.tuple(fc.constantFrom('/app', '/app/', '/', ''), hostile).map((parts) => parts.join(''))

test('no value leads out of the origin or the app', () => {
  fc.assert(
    fc.property(fc.oneof(hostile, near, fc.webUrl(), fc.string({ unit: 'binary' })), (value) => {
      const url = new URL(parseReturnUrl(value), 'https://passport.example')
      expect(url.origin).toBe('https://passport.example')
      expect(url.pathname).toMatch(/^\/app(\/|$)/)
      expect(url.pathname).not.toContain('//')
    }),
    { numRuns: numRuns * 10 },
  )
})

test('the app accepts every return URL', () => {
  fc.assert(
    fc.property(near, (value) => {
      const landed = new URL(toLandingUrl(parseReturnUrl(value)), 'https://passport.example').searchParams.getAll(
        'returnUrl',
      )
      expect(landed).toHaveLength(1)
      // The rule of the specification: a single value that starts with / or /app/; the rest follows after 4 characters.
      expect(landed[0]).toMatch(/^\//)
      expect(new URL(`/app/${landed[0]?.slice(4).replace(/^\/+/, '')}`, 'https://passport.example').origin).toBe(
        'https://passport.example',
      )
    }),
    { numRuns: numRuns * 10 },
  )
})
