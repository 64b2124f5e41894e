import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findReturnUrl, formatSignInUrl, InvalidReturnUrl, parseReturnUrl } from './return-url.ts'
import { parseSearch } from './search.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const origin = 'https://passport.example'

test.for([
  ['/app/admin/users?q=a#b', '/admin/users?q=a#b'],
  ['/app/account/logins?next=https://ok.example//x', '/account/logins?next=https://ok.example//x'],
  ['/app/a/../b', '/a/../b'],
  ['/app/a b', '/a b'],
  ['/app', '/'],
  ['/app/', '/'],
  ['/', '/'],
  ['/app?x=1', '/?x=1'],
  ['/app#x', '/#x'],
  ['/app//evil.example', '/evil.example'],
  ['/app////evil.example', '/evil.example'],
  ['/xyz//evil.example', '/evil.example'],
  ['/abchttps://evil.example', '/https://evil.example'],
  ['/abcjavascript:alert(1)', '/javascript:alert(1)'],
  ['/appevil', '/evil'],
] as const)('%j leads to %s of the app', ([value, path]) => {
  expect(parseReturnUrl(value)).toBe(path)
})

test.for([
  [undefined],
  [null],
  [1],
  [['/app/a', '/app/b']],
  [['/app/a']],
  [''],
  ['app/'],
  [' /app/'],
  ['https://evil.example/app/'],
  ['javascript:alert(1)'],
  ['//evil.example'],
  ['/\\evil.example'],
  ['/app/\\evil.example'],
  ['/app/x\\..\\y'],
  ['/\t/evil.example'],
  ['/app/\n/evil.example'],
  ['/app/\r'],
  ['/app/\0'],
  ['/app/\u0085'],
  ['/app/..'],
  ['/app/../connect/endsession'],
  ['/app/%2e%2E/connect/endsession'],
  ['/app/.%2e/connect/endsession'],
  ['/app/a/../../connect/endsession'],
  ['/xyz../connect/endsession'],
] as const)('rejects %j as a return URL', ([value]) => {
  expect(() => parseReturnUrl(value)).toThrow(InvalidReturnUrl)
  expect(() => parseReturnUrl(value)).toThrow('ignoring invalid return URL')
})

const pieces = [
  ...['/app', '/app/', 'app', '/', '//', '\\', '.', '..', '/../', ':', '@', '?', '#', '%', '=', '&', ';', ' ', 'x'],
  ...['%2e', '%2E', '%2f', '%5c', '%09', '%0a', '%00', '%252f', '%252e', '%c0%af'],
  ...['\t', '\n', '\r', '\0', '\v', '\u007f', '\u0085', '\u00a0', '\u2028', '\ufeff', '\ud800'],
  ...['．', '／', '＼', '。', '℀', '😀', 'é', 'e\u0301'],
  ...['evil.example', '@evil.example', 'https:', 'http:', 'javascript:alert(1)', 'data:', 'localhost:1'],
]
const hostile = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(''))
const plausible = fc.tuple(fc.constantFrom('/app', '/app/', '/', '/xyz'), hostile).map((parts) => parts.join(''))
const anything = fc.oneof(plausible, hostile, fc.webUrl(), fc.string({ unit: 'binary' }))

test('accepted values never leave the origin or the app', () => {
  fc.assert(
    fc.property(anything, (value) => {
      const path = parseOrUndefined(value)
      fc.pre(path !== undefined)
      const { origin: resolvedOrigin, pathname } = new URL(`/app${path}`, origin)
      expect(resolvedOrigin).toBe(origin)
      expect(pathname).toMatch(/^\/app(?:\/|$)/)
    }),
    { numRuns: numRuns * 10 },
  )
})

/** The server's sign-in rule, which browser code must not import. */
const [server] = Object.values(
  import.meta.glob<{ parseReturnUrl: (value: string | null) => string; toLandingUrl: (url: string) => string }>(
    '../../../server/src/login/return-url.ts',
    { eager: true },
  ),
)

test('accepts what the server sends and leads to the page the server meant', () => {
  if (!server) throw new Error('The rule of the server is not where it was')
  fc.assert(
    fc.property(plausible, (value) => {
      fc.pre(server.parseReturnUrl(value) === value)
      const { pathname, search } = new URL(server.toLandingUrl(value), origin)
      expect(pathname).toBe('/app/login')
      expect(toPath(`/app${parseReturnUrl(parseSearch(search)['returnUrl'])}`)).toBe(toPath(value))
    }),
    { numRuns: numRuns * 10 },
  )
})

test('the sign-in URL carries the full URL, encoded once', () => {
  const target = '/app/admin/users?q=a%20b&q=c#part'
  expect(formatSignInUrl(target)).toBe('/login?returnUrl=%2Fapp%2Fadmin%2Fusers%3Fq%3Da%2520b%26q%3Dc%23part')
  expect(new URL(formatSignInUrl(target), origin).searchParams.get('returnUrl')).toBe(target)
})

test('Not Found returns to the refused page, or to its own URL', () => {
  expect(findReturnUrl('/app/admin', '/app/notfound?returnUrl=%2Fapp%2Fadmin')).toBe('/app/admin')
  expect(findReturnUrl(undefined, '/app/no/such')).toBe('/app/no/such')
  expect(findReturnUrl(['/app/a', '/app/b'], '/app/notfound')).toBe('/app/notfound')
})

function parseOrUndefined(value: string): string | undefined {
  try {
    return parseReturnUrl(value)
  } catch {
    return undefined
  }
}

/** Normalises a URL like the browser; `/app` becomes `/app/`. */
function toPath(address: string): string {
  const { pathname, search, hash } = new URL(address, origin)
  return `${pathname === '/app' ? '/app/' : pathname}${search}${hash}`
}
