import { Worker } from 'node:worker_threads'
import { endpoints } from '@passport/contract/api'
import { publishContent, putContent } from '@passport/contract/content'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { toRoutePattern } from './route-pattern.ts'
import type { TrialRequest, TrialResponse } from './test-hostile-sender.ts'

/** A GET request without a session that was built to cost more than its size. */
export interface AnonymousRequest {
  /** Such as `many cookies`. */
  name: string
  /** The route of the request. */
  pattern: string
  /** Whether a request without a session gets more than 401 from the route. */
  isPublic: boolean
  path: string
  headers: Record<string, string>
}

/** Nearly the limits of a URL and of headers. */
const [targetBytes, headerBytes] = [15_000, 30_000]
const fill = (part: string, bytes = targetBytes) => part.repeat(Math.floor(bytes / part.length))
const list = <T>(length: number, write: (index: number) => T): T[] => Array.from({ length }, (_, index) => write(index))

/** The parameters of any endpoint or page that accepts some without a session. */
const knownParameters =
  'domain email locale api-version return_url client_id scope state redirect_uri response_type claims request id_token_hint sent name query after limit user_code error code request_uri resource'
const json = encodeURIComponent(`{"id_token":${'{"a":'.repeat(1000)}`)

const hostileQueries: Record<string, string> = {
  'different letters': `q=${'etaoinshrdlucmfwypvbgkjqxz'.split('').join('+')}`,
  'frequent words': `q=${'th in er an re on at en nd ti es or te of ed is it al ar st'.replaceAll(' ', '+')}`,
  'combining marks': `q=a${fill('%CC%81%CC%96%CD%85')}`,
  'a repeated parameter': fill('a=1&'),
  'many parameters': list(1_800, (index) => `p${index}=1`).join('&'),
  'a hundred parameters': list(100, (index) => `p${index}=${'x'.repeat(140)}`).join('&'),
  'many separators': fill('&'),
  'a long value': `q=${fill('x')}`,
  'many spaces': `q=${fill('+')}`,
  'broken encoding': `q=${fill('%')}`,
  'long known parameters': knownParameters
    .split(' ')
    .map((name) => `${name}=${fill('x.', 600)}`)
    .join('&'),
  'nested claims': `client_id=x&response_type=code&scope=openid&redirect_uri=https://x.example/&claims=${json}`,
}

const html = { accept: 'text/html' }
const token = [
  { alg: 'ES256', typ: 'at+jwt', kid: 'x' },
  { iss: 'http://localhost', aud: fill('x', 4_000) },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .join('.')

const hostileHeaders: Record<string, Record<string, string>> = {
  'many media types': { accept: fill('a/b;q=0.1,a/c,', headerBytes) },
  'media types of blanks': { accept: `a${fill(' ', headerBytes)}b,text/html` },
  'many languages': { 'accept-language': fill('de-x-a,', headerBytes), ...html },
  'many cookies': { cookie: fill('a=b;', headerBytes), ...html },
  'different cookies': { cookie: list(3_000, (index) => `c${index}=1`).join('; '), ...html },
  'an unknown session': { cookie: `passport=${'x'.repeat(43)}`, ...html },
  'many attempts': { cookie: list(280, (index) => `passport-login-${index}=${'x'.repeat(80)}`).join('; '), ...html },
  'many entity tags': { 'if-none-match': fill('"a",', headerBytes) },
  'many ranges': { range: `bytes=${fill('0-1,', headerBytes)}` },
  'a long token': { authorization: `Bearer ${fill('a.', headerBytes)}` },
  'an unknown signature': { authorization: `Bearer ${token}.${'A'.repeat(86)}` },
  'a long secret': { authorization: `Basic ${fill('QUFB', headerBytes)}` },
  'many proxies': { 'x-forwarded-for': fill('1,', headerBytes), forwarded: fill('for=1,', 500) },
  'a long user agent': { 'user-agent': fill('Mozilla/5.0 (', headerBytes), ...html },
  'many headers': Object.fromEntries(list(1_900, (index) => [`h${index}`, '1'] as const)),
}

/** Values of path parameters that exist; the others do not. */
const knownValues: Record<string, string> = { slug: 'terms', guide: 'configuration', code: 'not-found' }

/** Lists the routes of GET, except that of metrics, which only the operator may read. */
function listRoutes({ app }: TestService): Pick<AnonymousRequest, 'pattern' | 'isPublic'>[] {
  const closed = [...endpoints.values()]
    .filter(({ access }) => access !== 'anyone')
    .map(({ path }) => toRoutePattern(path))
  const routes = app.routes.filter(({ method }) => method === 'GET' || method === 'ALL')
  const patterns = new Set(routes.map(({ path }) => path).filter((path) => path !== '/*' && path !== '/metrics'))
  return [...patterns].map((pattern) => ({
    pattern,
    isPublic: !closed.includes(pattern),
  }))
}

/** Lists hostile requests: every one to public routes, and one to each of the others. */
export function listAnonymousRequests(service: TestService): AnonymousRequest[] {
  return listRoutes(service).flatMap(({ pattern, isPublic }) => {
    const parameter = /:(\w+)(\{\.\+\})?/g
    const path = pattern.replace(parameter, (_, name) => knownValues[name] ?? 'x').replace('*', 'x')
    const isVaried = /[:*]/.test(pattern)
    const longPath = (part: string) => pattern.replace(parameter, fill(part, 7_000)).replace('*', fill(part, 7_000))
    const requests: Pick<AnonymousRequest, 'name' | 'path' | 'headers'>[] = [
      { name: 'the path alone', path, headers: {} },
      { name: 'a page', path, headers: html },
      ...Object.entries(hostileQueries).map(([name, query]) => ({ name, path: `${path}?${query}`, headers: html })),
      ...Object.entries(hostileHeaders).map(([name, headers]) => ({ name, path, headers })),
      ...(isVaried ? ['x', '%C3%A9', 'a-'] : []).map((part) => ({
        name: `a path of ${part}`,
        path: longPath(part),
        headers: html,
      })),
    ]
    return requests
      .filter(({ name }) => isPublic || name === 'a hundred parameters')
      .map((request) => ({ ...request, pattern, isPublic }))
  })
}

/** Starts a service for hostile requests, with a published text whose HTML is as long as that of any text. */
export async function startPublicService() {
  const service = await startTestService({ LOCAL_DIRECTORY_ISSUER: 'on' })
  const ada = await service.as('ada')
  const at = { params: { slug: 'terms' as const }, query: { locale: 'en' } }
  const body = `a|b\n-|-\n${'a|b\n'.repeat(16_000)}`
  const { version } = await ada.call(putContent, { ...at, body: { title: 'Terms', body } })
  await ada.call(publishContent, { ...at, body: { version } })
  const worker = new Worker(new URL('./test-hostile-sender.ts', import.meta.url))
  onFileEnd(() => worker.terminate())
  /** Sends a request from another thread, so that the work of the client is not counted. Returns the status. */
  const send = ({ path, headers }: Pick<AnonymousRequest, 'path' | 'headers'>) =>
    new Promise<number>((resolve) => {
      worker.once('message', ({ status }: TrialResponse) => resolve(status))
      const request: TrialRequest = { url: service.url + path, method: 'GET', headers, body: new Uint8Array() }
      worker.postMessage(request)
    })
  return { service, send }
}
